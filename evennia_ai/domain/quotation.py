"""Foreign text in what a model reads: one quoted line each, which can neither end itself nor go on."""

from __future__ import annotations

import json
import re

# To a model, curly quotation marks end a quotation as well.
_STRAIGHT = str.maketrans(dict.fromkeys("“”„‟＂", '"'))
_WORD = re.compile(r"[\w-]{1,40}")
_QUOTATION = re.compile(r'"(?:[^"\\\n]|\\.)*"')


def quote(text: object, *, max_length: int | None = None) -> str:
    """Return foreign text as one quoted line that cannot end its own quotation."""
    line = " ".join(str(text).split()).translate(_STRAIGHT)
    if max_length is not None and len(line) > max_length:
        line = f"{line[: max_length - 1]}…"
    return json.dumps(line, ensure_ascii=False)


def word(text: object, *, max_length: int | None = None) -> str:
    """Return a name of our own as it is, if it is one word; what is more may be foreign, and is quoted."""
    bare = str(text).strip()
    return bare if _WORD.fullmatch(bare) else quote(bare, max_length=max_length)


def unquoted(text: str) -> str:
    """Return what `quote` was given, wherever a quotation stands in a text."""
    return _QUOTATION.sub(_words, text)


def outside(text: str) -> str:
    """Return what of a text stands in no quotation: our own words, wherever all else is quoted."""
    return _QUOTATION.sub('""', text)


def _words(found: re.Match[str]) -> str:
    try:
        return str(json.loads(found[0], strict=False))
    except ValueError:
        # Somebody else's way of quoting.
        return found[0]
