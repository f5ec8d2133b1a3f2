"""Foreign text in what a model reads: one quoted line each, which can neither end itself nor go on."""

from __future__ import annotations

import json
import re

# To a model, curly quotation marks end a quotation as well.
_STRAIGHT = str.maketrans(dict.fromkeys("“”„‟＂", '"'))
_WORD = re.compile(r"[\w-]{1,40}")
# From a quotation mark to the one that ends it; to the end of the line where none does, as then none
# does for any mark in between, and each would be looked at that far.
_QUOTATION = re.compile(r'"(?:[^"\\\n]+|\\.)*("?)')
# Marks that JSON has; all others are somebody else's way of quoting.
_ESCAPED = re.compile(r'(?:[^\\]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*')
_read = json.JSONDecoder(strict=False).decode
# Made once: `json.dumps` makes an encoder for each line of each prompt.
_write = json.JSONEncoder(ensure_ascii=False).encode


def quote(text: object, *, max_length: int | None = None) -> str:
    """Return foreign text as one quoted line that cannot end its own quotation."""
    line = " ".join(str(text).split()).translate(_STRAIGHT)
    if max_length is not None and len(line) > max_length:
        line = f"{line[: max_length - 1]}…"
    return _write(line)


def word(text: object) -> str:
    """Return a name of our own as it is, if it is one word; what is more may be foreign, and is quoted."""
    bare = str(text).strip()
    return bare if _WORD.fullmatch(bare) else quote(bare)


def unquoted(text: str) -> str:
    """Return what `quote` was given, wherever a quotation stands in a text."""
    return _QUOTATION.sub(_words, text)


def outside(text: str) -> str:
    """Return what of a text stands in no quotation: our own words, wherever all else is quoted."""
    return _QUOTATION.sub(lambda found: '""' if found[1] else found[0], text)


def _words(found: re.Match[str]) -> str:
    if not found[1] or not _ESCAPED.fullmatch(found[0]):
        return found[0]
    return str(_read(found[0])) if "\\" in found[0] else found[0][1:-1]
