"""Patterns with a name in them, which are made once and not anew for each name.

Where a name stands, a pattern has NAME. To make one takes longer than a whole line takes to be understood.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

# A letter that no name has, and one that stands for it where somebody writes it all the same.
NAME, OTHER = "\U00010000", "\U00010001"

_ARTICLES = frozenset("a an the some en ett den det ein eine der die das".split())
# What a name has in small letters, before a word that may be small as well.
_SMALL = _ARTICLES | frozenset("of and von van de la le du af av och und zu y i in at".split())


def called(name: str) -> str:
    """Return a name as it stands in a sentence: one that is a sentence itself, in quotation marks.

    >>> [called(name) for name in ("Ann robbed Bob", "Tom the smith", "a tall man with a hat")]
    ['"Ann robbed Bob"', 'Tom the smith', 'a tall man with a hat']
    """
    words = name.split()
    is_description = bool(words) and words[0].casefold() in _ARTICLES
    says = any(one.islower() and not {one, before} & _SMALL for before, one in pairwise(words))
    return f'"{name}"' if says and len(words) > 2 and not is_description else name


def matches(
    source: str, name: str, text: str, *, any_case: bool = False
) -> Iterator[re.Match[str]]:
    """Yield what a pattern with a name in it finds; each match is of the text with NAME for the name.

    >>> [match.span() for match in matches(rf", {NAME}!", "Bob", "Hi, Bob! Bob!")]
    [(2, 6)]
    """
    if marked := _marked(name, text, any_case):
        yield from _made(source, any_case).finditer(marked)


def is_in(source: str, name: str, text: str) -> bool:
    """Return whether a pattern with a name in it finds something."""
    return any(True for _ in matches(source, name, text))


def sub(source: str, name: str, other: str, text: str) -> str:
    """Return a text with something else for what a pattern finds at a name, in any case.

    >>> sub(rf",? {NAME}(?!\\w)", "Bob", "", "Hello, bob, and hello Bobby")
    'Hello, and hello Bobby'
    """
    parts, end, read, shift = [], 0, 0, 0
    for match in matches(source, name, text, any_case=True):
        # A name is one letter in what was searched, and has its own length in the text.
        shift += (len(name) - len(NAME)) * match.string.count(NAME, read, match.start())
        parts += [text[end : match.start() + shift], other]
        shift += (len(name) - len(NAME)) * match.group().count(NAME)
        read, end = match.end(), match.end() + shift
    return "".join([*parts, text[end:]])


def _marked(name: str, text: str, any_case: bool) -> str:
    """Return a text with NAME for each place of a name; "" if it has none."""
    there, wanted = (_lower(text), _lower(name)) if any_case else (text, name)
    parts, end = [], 0
    at = there.find(wanted) if name else -1
    while at >= 0:
        parts.append(text[end:at].replace(NAME, OTHER))
        end = at + len(name)
        at = there.find(wanted, end)
    return NAME.join([*parts, text[end:].replace(NAME, OTHER)]) if parts else ""


@lru_cache(maxsize=500)
def _made(source: str, any_case: bool) -> re.Pattern[str]:
    return re.compile(source, re.I if any_case else 0)


def _lower(text: str) -> str:
    """Return a text in small letters that has as many of them."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(one.lower()[0] for one in text)
