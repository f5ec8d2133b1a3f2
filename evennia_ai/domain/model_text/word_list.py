"""Words that must not be spoken, found as whole words, in time that grows with the text alone."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

# What parts words in no script: a soft hyphen, joiners, marks of direction.
_UNSEEN = "Cf"
# Letters, digits, and the marks that belong to a letter.
_OF_WORDS = ("L", "N", "M")


def words_of(text: str) -> list[str]:
    """Return the words of a text as they are compared: of any case, width and invisible parts."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    seen = (one for one in folded if unicodedata.category(one) != _UNSEEN)
    parted = (one if unicodedata.category(one).startswith(_OF_WORDS) else " " for one in seen)
    return "".join(parted).split()


class WordList:
    """Words and phrases; a phrase is found where its words stand in a row."""

    def __init__(self, listed: Iterable[str]) -> None:
        self._phrases = {tuple(words_of(one)) for one in listed} - {()}
        self._lengths = sorted({len(phrase) for phrase in self._phrases})

    def is_in(self, text: str) -> bool:
        """Return whether a text has one of them."""
        words = words_of(text) if self._phrases else []
        return any(
            tuple(words[start : start + length]) in self._phrases
            for length in self._lengths
            for start in range(len(words) - length + 1)
        )


def listed_in(text: str) -> list[str]:
    """Return the words that a file lists: one word or phrase a line, and # before what is none."""
    lines = (line.strip() for line in text.splitlines())
    return [line for line in lines if line and not line.startswith("#")]
