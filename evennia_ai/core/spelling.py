"""Short and careless spellings of common words, as people type them: "im", "pls", "nåt", "du e"."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache
from string import ascii_lowercase

from evennia_ai.core import languages, senses, words

# Words that may hold a slip, letters of the word that was meant at least, and how common that is.
_SMALL_WORD = re.compile(r"(?<![\w'’-])[a-z]{5,20}(?![\w'’-])")
_LETTERS, _COMMON = 5, 8_000
# More letters than Evennia takes of a line from a client stay as they are.
_READ = 6_000


def spelled_out(text: str) -> str:
    """Return a line with the words spelled out that people shorten.

    >>> spelled_out("Im sure u know whats here, va heter du?")
    "I'm sure you know what's here, vad heter du?"
    """
    read = _spelled_out(text[:_READ], languages.read_now(), languages.edition())
    return read + text[_READ:]


@lru_cache(maxsize=2_000)
def _spelled_out(text: str, codes: languages.Lines, edition: int) -> str:
    known = languages.table("spelling", codes)
    line = _short(codes, edition).sub(lambda match: _like(match[0], known[match[0].lower()]), text)
    for pattern, said in _rewrites("respelling", codes, edition):
        line = pattern.sub(said, line)
    return line


@lru_cache(maxsize=100)
def _rewrites(
    table: str, codes: languages.Lines, edition: int, *, flags: int = 0
) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return the expressions of a table of some languages, each with what takes the place of what it finds.

    Made once: what `re` itself keeps of expressions is soon pushed out by those with names in them.
    """
    rows = languages.table(table, codes).items()
    return tuple((re.compile(pattern, flags), said) for pattern, said in rows)


@lru_cache(maxsize=50)
def _short(codes: languages.Lines, edition: int) -> re.Pattern[str]:
    known = "|".join(languages.table("spelling", codes)) or "(?!)"
    return re.compile(rf"(?<![\w'])(?:{known})(?![\w'])", re.I)


def corrected(text: str, *, known: Collection[str]) -> str:
    """Return a line of English with the slips in its small words put right, but for what has a `known` stem.

    A known word that is one letter away is meant before a common one.

    >>> corrected("is it dangerus by the nocking stone", known=())
    'is it dangerous by the knocking stone'
    """

    def put_right(match: re.Match[str]) -> str:
        word = match[0]
        if senses.rank(word) >= 0 or words.stem(word, senses.LANGUAGE) in known:
            return word
        of_theirs = (one for one in _one_off(word) if not _stems(one).isdisjoint(known))
        return min(of_theirs, default="") or _meant(word)

    return _SMALL_WORD.sub(put_right, text)


def _stems(word: str) -> set[str]:
    """Return a word as its stem may be: most are their own, but for the ending of many."""
    return {word, word.removesuffix("s")} if len(word) >= _LETTERS else set()


@lru_cache(maxsize=500)
def _one_off(word: str) -> frozenset[str]:
    """Return all that is one letter away from a word, or has two letters the other way round."""
    parts = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    one_off = {f"{one}{two[1:]}" for one, two in parts if two}
    one_off |= {f"{one}{two[1]}{two[0]}{two[2:]}" for one, two in parts if len(two) > 1}
    one_off |= {
        f"{one}{letter}{two[1:]}" for one, two in parts if two for letter in ascii_lowercase
    }
    return frozenset(one_off | {f"{one}{a}{two}" for one, two in parts for a in ascii_lowercase})


@lru_cache(maxsize=2_000)
def _meant(word: str) -> str:
    """Return the commonest word that is one letter away from a misspelt one, itself if none is."""
    places = senses.table().places
    likely = (one for one in _one_off(word) & places.keys() if len(one) >= _LETTERS)
    meant = min(likely, key=places.__getitem__, default=word)
    return meant if places.get(meant, _COMMON) < _COMMON else word


def in_full(text: str) -> str:
    """Return a text with "I am" for "I'm" and so on, so that a table of patterns needs each once."""
    rewrites = _rewrites("in_full", languages.read_now(), languages.edition(), flags=re.I)
    for pattern, whole in rewrites:
        text = pattern.sub(whole, text)
    return text


def _like(typed: str, word: str) -> str:
    return word[:1].upper() + word[1:] if typed[:1].isupper() else word
