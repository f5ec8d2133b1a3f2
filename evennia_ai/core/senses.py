"""Word senses of common English words, as numbers: words of one sense have similar numbers.

The table was drawn from all-MiniLM-L6-v2 (Apache License 2.0, see NOTICE.txt) and comes with the package: the
senses of the words of a sentence, each by its weight, add up to about what that model makes of it. Words that
are not in it, also those of other languages, have no sense. It is read as the server starts, without numpy.
"""

from __future__ import annotations

import math
import zipfile
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from operator import mul
from pathlib import Path

from evennia_ai.core.word_tables import IRREGULAR

TABLE = Path(__file__).with_name("builtin_words.npz")
# Of which the words are.
LANGUAGE = "en"
# Numbers that tell a word's sense.
SENSES = 128
# A number of the table is one of 2 * LEVELS + 1 steps, in 4 bits: two numbers a byte.
LEVELS = 7
# What a word counts in a sentence is kept in such steps.
WEIGHT_STEP = 0.02

# How a form may end that is not in the table, and what the table may have in its place.
_ENDINGS = ("s", "es", "d", "ed", "ing", "ly", "er", "est")
_FILLS = ("", "e", "y", "ed", "ing")
_PAIRS = tuple((byte // 16 - LEVELS, byte % 16 - LEVELS) for byte in range(256))


@dataclass(frozen=True)
class Table:
    """The place of each word, commonest first; of all words their senses, packed, and their weights in steps."""

    places: dict[str, int]
    packed: bytes
    weights: bytes


@lru_cache(maxsize=1)
def table() -> Table:
    """Return the table; it is read once, in about 20 ms."""
    with zipfile.ZipFile(TABLE) as file:
        words, weights, senses = (
            _numbers(file.read(f"{name}.npy")) for name in ("words", "weights", "senses")
        )
    places = {word: place for place, word in enumerate(words.decode("utf-8").split("\n"))}
    return Table(places, senses, weights)


@lru_cache(maxsize=20_000)
def rank(word: str) -> int:
    """Return the place of a word or of its base form in the table, commonest first, or -1."""
    return place(word, table().places)


def place(word: str, places: Mapping[str, int]) -> int:
    """Return the place of a word or of its base form in another table, or -1."""
    return next((places[form] for form in _forms(word) if form in places), -1)


def weight(word: str) -> float | None:
    """Return how much a word counts in a sentence; None if it is not in the table."""
    at = rank(word)
    return None if at < 0 else table().weights[at] * WEIGHT_STEP


def likeness(one: str, other: str) -> float:
    """Return how like the senses of two words are, -1 to 1; 0 if one of them has none."""
    first, second = rank(one), rank(other)
    if first < 0 or second < 0:
        return 0.0
    product: int = sum(map(mul, _levels(first), _levels(second)))
    return product / (_length(first) * _length(second))


def text_likeness(one: Iterable[str], other: Iterable[str]) -> float:
    """Return how like two texts are by the senses of their words, -1 to 1."""
    return float(sum(map(mul, _of_words(tuple(one)), _of_words(tuple(other)))))


@lru_cache(maxsize=2_000)
def _of_words(words: tuple[str, ...]) -> array[float]:
    total = [0.0] * SENSES
    for at in filter(lambda at: at >= 0, map(rank, words)):
        share = table().weights[at] * WEIGHT_STEP / _length(at)
        total = [sum_ + share * level for sum_, level in zip(total, _levels(at), strict=True)]
    length = math.hypot(*total)
    return array("f", (number / length for number in total) if length else total)


@lru_cache(maxsize=2_000)
def _levels(at: int) -> tuple[int, ...]:
    size = SENSES // 2
    packed = table().packed[at * size : (at + 1) * size]
    return tuple(level for byte in packed for level in _PAIRS[byte])


@lru_cache(maxsize=20_000)
def _length(at: int) -> float:
    return math.hypot(*_levels(at)) or 1.0


def _numbers(file: bytes) -> bytes:
    """Return the bytes of an array in numpy's format, behind its header."""
    return file[10 + int.from_bytes(file[8:10], "little") :]


def _forms(word: str) -> Iterable[str]:
    yield word
    if word in IRREGULAR["en"]:
        yield IRREGULAR["en"][word]
    for ending in _ENDINGS:
        base = word.removesuffix(ending)
        if base == word or len(base) < 3:
            continue
        yield from (base + fill for fill in _FILLS)
        if base[-1] in "iv":
            # "berries", "wolves".
            yield base[:-1] + {"i": "y", "v": "f"}[base[-1]]
        if base[-1] == base[-2]:
            # "digging".
            yield base[:-1]
    # "frighten", of which the table has "frightened".
    yield from (word + fill for fill in _FILLS[-2:])
