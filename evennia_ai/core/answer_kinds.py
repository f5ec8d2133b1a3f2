"""Kinds of answers: what a question asks for (a time, a number, a name), and which texts hold such a thing.

By the tables `wants` and `types` of the language files.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from evennia_ai.core import languages, words
from evennia_ai.core.senses import LANGUAGE, rank

# (what is asked for, how it is asked); the first that fits wins.
_WANTS = tuple(
    (kind, languages.Pattern(f"wants.{kind}"))
    for kind in (
        "looks trouble colour age duration distance count price occupation origin often when way place wish"
        " name person"
    ).split()
)
_TYPES = {
    kind: languages.Pattern(f"types.{kind}")
    for kind in (
        "price age duration distance count often when origin way place occupation wish name colour"
        " trouble looks"
    ).split()
}
# What is answered by a name: of somebody, of a place, of a thing; and of these, by words for a place as well.
_NAMED = frozenset(("person", "place", "origin", "name"))
_PLACED = frozenset(("place", "origin"))
# Kinds that most texts hold, or few answers do, so that holding one tells little.
_VAGUE = frozenset(("trouble", "looks", "way", "occupation", "wish"))

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
    """Return a text without the sums of money in it."""
    return _TYPES["price"].sub(" ", text)


def tells_apart(kind: str) -> bool:
    """Return whether it says much of a line of talk that it holds such a thing."""
    return bool(kind) and kind not in _VAGUE


def is_likely(kind: str, text: str, *, called: Collection[str] = ()) -> bool:
    """Return whether a line of talk holds such a thing: a time where it is asked when, a name where it is asked who.

    Args:
        kind: one for which `tells_apart` holds.
        text: what was said, without the name of whoever said it.
        called: words in the names of those who talk, in lower case; these do not count.

    """
    text = text[:_LINE_LENGTH]
    if kind not in _NAMED:
        return is_of_type(kind, text)
    if kind in _PLACED and is_of_type("place", text):
        return True
    said = words.words(text)
    is_known = words.language_of(said) == LANGUAGE
    return any(
        _is_name(found, text, is_known=is_known)
        for found in _CAPITALISED.finditer(text)
        if words.bare(found[0].casefold()) not in called
    )


def _is_name(found: re.Match[str], text: str, *, is_known: bool) -> bool:
    if _TYPES["when"].match(found[0]):
        return False
    begins = _BEGINS.search(text[max(0, found.start() - _BEFORE) : found.start()])
    # The first word of a sentence has a capital whatever it is; a name is no word of the language.
    return not begins or (is_known and rank(found[0].casefold()) < 0)
