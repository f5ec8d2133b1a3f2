"""Foreign text in what a model reads: words within one line of ours, or one quoted line."""

from __future__ import annotations

import json
import re

# To a model, curly quotation marks end a quotation as well.
_STRAIGHT = str.maketrans(dict.fromkeys("“”„‟＂", '"'))
_COLONS = ":：﹕꞉∶︓ː։׃"
# A colon that would make the words before it look like the name of a speaker.
_LABEL = re.compile(
    rf"(?<=\S)\s?[{_COLONS}](?=\s|$)|(?<=[\w\"”')\]*])[{_COLONS}](?=[^\W\d]|[^\x00-\x7f]|[\"“])"
)
_IN_NAMES = re.compile(rf"[\s{_COLONS}()\[\]{{}}*|\"“”<>]+")
# What the templates of models have of their own.
_MARKS = re.compile(r"<\|([^|<>]{0,40})\|>|\[/?(INST)\]")
_WITHIN = str.maketrans("()", "[]")
# Characters of a name at the beginning of a line.
LABEL_LENGTH = 40
_WORD = re.compile(r"[\w-]{1,40}")
# From a quotation mark to the one that ends it; to the end of the line where none does, as then none
# does for any mark in between, and each would be looked at that far.
_QUOTATION = re.compile(r'"(?:[^"\\\n]+|\\.)*("?)')
# Marks that JSON has; all others are somebody else's way of quoting.
_ESCAPED = re.compile(r'(?:[^\\]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*')
_read = json.JSONDecoder(strict=False).decode
# Made once: `json.dumps` makes an encoder for each line of each prompt.
_write = json.JSONEncoder(ensure_ascii=False).encode


def plain(text: object) -> str:
    """Foreign text as words within one line, which look like nobody else's line."""
    bare = _MARKS.sub(lambda mark: mark[1] or mark[2] or "", " ".join(str(text).split()))
    return _LABEL.sub(" -", bare)


def within(text: object) -> str:
    """Foreign text within one of our notes, which it cannot end."""
    return plain(text).translate(_WITHIN)


def label(name: object) -> str:
    """A name that may begin a line."""
    return " ".join(_IN_NAMES.sub(" ", str(name)).split())[:LABEL_LENGTH].rstrip() or "Somebody"


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
