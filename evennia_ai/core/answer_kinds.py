"""Kinds of answers: what a question asks for (a time, a number, a name), and which texts hold such a thing.

By the tables `wants` and `types` of the language files.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from evennia_ai.core import languages, words

# (what is asked for, how it is asked); the first that fits wins.
_WANTS = tuple(
    (kind, languages.Pattern(f"wants.{kind}"))
    for kind in (
        "colour age duration distance count price origin often when place name person"
    ).split()
)
_TYPES = {
    kind: languages.Pattern(f"types.{kind}")
    for kind in ("price age duration distance count often when origin place name colour").split()
}
# What is answered by a name: of somebody, of a place, of a thing; and of these, by words for a place as well.
_NAMED = frozenset(("person", "place", "origin", "name"))
_PLACED = frozenset(("place", "origin"))

# Characters of a question, and of a line, that are looked at.
_LENGTH, _LINE_LENGTH = 400, 1000

_CAPITALISED = re.compile(r"(?<![\w'’])[^\W\d_a-zß-öø-ÿ]\w+")
_BEGINS = re.compile(r"(?:\A|[.!?:…]['\"”’)]*\s)['\"“‘(]*\Z")
_BEFORE = 8


def wanted(question: str) -> str:
    """Return what kind of thing a question asks for, "" if simply something about its thing."""
    asked = question[:_LENGTH].strip(" .!?\"'")
    return next((kind for kind, asks in _WANTS if asks.search(asked)), "")


def is_of_type(kind: str, text: str) -> bool:
    """Return whether a text tells what is asked for: a sum for a price."""
    pattern = _TYPES.get(kind)
    if kind == "count":
        # "Eight silvers" counts nothing but money.
        text = without_sums(text)
    return bool(pattern and pattern.search(text))


def without_sums(text: str) -> str:
    return _TYPES["price"].sub(" ", text)


def is_likely(kind: str, text: str, *, called: Collection[str] = ()) -> bool:
    """Return whether a line of talk holds such a thing: a time where it is asked when, a name where it is asked who.

    Args:
        kind: as `wanted` returns it.
        text: what was said, without the name of whoever said it.
        called: words in the names of those who talk, in lower case; these do not count.

    """
    text = text[:_LINE_LENGTH]
    if kind not in _NAMED:
        return is_of_type(kind, text)
    if kind in _PLACED and is_of_type("place", text):
        return True
    language = words.language_of(words.words(text))
    return any(
        _is_name(found, text, language)
        for found in _CAPITALISED.finditer(text)
        if words.bare(found[0].casefold()) not in called
    )


def _is_name(found: re.Match[str], text: str, language: str) -> bool:
    if _TYPES["when"].match(found[0]):
        return False
    begins = _BEGINS.search(text[max(0, found.start() - _BEFORE) : found.start()])
    # The first word of a sentence has a capital whatever it is.
    return not begins or words.carries_meaning(found[0].casefold(), language)
