"""Patterns with a name in them, which are made once and not anew for each name.

Where a name stands, a pattern has NAME. To make one takes longer than a whole line takes to be understood.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

# A letter that no name has, and one that stands for it where somebody writes it all the same.
NAME, OTHER = "\U00010000", "\U00010001"


def matches(
    source: str, name: str, text: str, *, any_case: bool = False
) -> Iterator[re.Match[str]]:
    """Yield what a pattern finds at each place of a name; the match is of a text with NAME in that place.

    >>> [match.span() for match in matches(rf", {NAME}!", "Bob", "Hi, Bob! Bob!")]
    [(2, 6)]
    """
    there, wanted = (_lower(text), _lower(name)) if any_case else (text, name)
    at = there.find(wanted) if name else -1
    while at >= 0:
        before, after = text[:at], text[at + len(name) :]
        marked = NAME.join(part.replace(NAME, OTHER) for part in (before, after))
        if match := _made(source, any_case).search(marked):
            yield match
        at = there.find(wanted, at + 1)


def is_in(source: str, name: str, text: str, *, any_case: bool = False) -> bool:
    """Return whether a pattern finds something at a place of a name."""
    return any(True for _ in matches(source, name, text, any_case=any_case))


def sub(source: str, name: str, other: str, text: str) -> str:
    """Return a text with something else for what a pattern finds at a name, in any case.

    >>> sub(rf",? {NAME}(?!\\\\w)", "Bob", "", "Hello, bob, and hello Bobby")
    'Hello, and hello Bobby'
    """
    parts, end = [], 0
    for match in matches(source, name, text, any_case=True):
        if match.start() >= end:
            parts += [text[end : match.start()], other]
            end = match.end() + len(name) - len(NAME)
    return "".join([*parts, text[end:]]) if end else text


@lru_cache(maxsize=500)
def _made(source: str, any_case: bool) -> re.Pattern[str]:
    return re.compile(source, re.I if any_case else 0)


def _lower(text: str) -> str:
    """Return a text in small letters that has as many of them."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(one.lower()[0] for one in text)
