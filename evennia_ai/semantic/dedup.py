"""When two memories are the same one, told twice."""

from __future__ import annotations

import hashlib
import re
from typing import Any

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_NEGATIONS = frozenset(
    "no not never none nobody nothing neither nor without cannot can't don't doesn't didn't won't"
    " isn't aren't wasn't weren't couldn't shouldn't wouldn't hasn't haven't hadn't"
    " inte ej aldrig ingen inget inga utan".split()
)


def fingerprint(text: str, metadata: dict[str, Any]) -> str:
    """Return a hash that two memories share if the same source said the same words."""
    words = " ".join(text.casefold().split())
    # Two people who say the same are two witnesses: whom one has it from must not be lost.
    said = "\n".join([words, *_source(metadata)])
    return hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()


def same_source(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Return whether two memories come from the same mouth."""
    return _source(one) == _source(other)


def says_the_same(one: str, other: str) -> bool:
    """Return whether texts of nearly equal vectors also agree in what vectors are blind to.

    Numbers, negations and names, in their order: "Ann owes Bob 5" is not "Bob owes Ann 6".
    """
    return _telling(one) == _telling(other)


def _telling(text: str) -> list[str]:
    found, first = [], True
    for match in _WORD.finditer(text):
        word = match.group()
        is_name = word[0].isupper() and not first and word != "I"
        if is_name or any(letter.isdigit() for letter in word):
            found.append(word.casefold())
        elif word.casefold().replace("’", "'") in _NEGATIONS:
            found.append("not")
        first = False
    return found


def _source(metadata: dict[str, Any]) -> tuple[str, str]:
    return str(metadata.get("source_id") or ""), str(metadata.get("speaker") or "")
