"""What common English words mean, as numbers: two words of one sense have vectors that are alike.

The table was drawn from all-MiniLM-L6-v2 (Apache License 2.0) and comes with the package: the senses of
the words of a sentence, each by its weight, add up to about what that model makes of it. It is read
when it is needed; words that are not in it, also those of other languages, have no sense.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from evennia_ai.core.word_tables import IRREGULAR
from evennia_ai.semantic.stores.growable_arrays import products

if TYPE_CHECKING:
    import numpy

TABLE = Path(__file__).with_name("embedders") / "builtin_words.npz"
# Of which the words are.
LANGUAGE = "en"
# Numbers that tell a word's sense.
SENSES = 128
# A number of the table is one of 2 * LEVELS + 1 steps, in 4 bits.
LEVELS = 7
# What a word counts in a sentence is kept in such steps.
WEIGHT_STEP = 0.02
# Words less alike than this have nothing to do with each other. Found on the development half of
# tests/benchmarks/data; from 0.25 to 0.45 it makes no difference.
RELATED = 0.35

# How a form may end that is not in the table, and what the table may have in its place.
_ENDINGS = ("s", "es", "d", "ed", "ing", "ly", "er", "est")
_FILLS = ("", "e", "y", "ed", "ing")


@lru_cache(maxsize=20_000)
def rank(word: str) -> int:
    """Return the place of a word or of its base form in the table, commonest first, or -1."""
    ranks = table()[0]
    return next((ranks[form] for form in _forms(word) if form in ranks), -1)


def sense(word: str) -> numpy.ndarray | None:
    """Return the sense of a word, of length 1, or None."""
    place = rank(word)
    return table()[1][place] if place >= 0 else None


def weighted_sense(word: str) -> numpy.ndarray | None:
    """Return the sense of a word, as long as what it counts in a sentence, or None."""
    place = rank(word)
    if place < 0:
        return None
    _, senses, weights = table()
    return senses[place] * weights[place]


@lru_cache(maxsize=2_000)
def related(word: str) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Return the places of the words that mean something like it, and how much so, 0 to 1."""
    import numpy as np

    own = sense(word)
    if own is None:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32)
    likeness = products(table()[1], own)
    places = np.flatnonzero(likeness > RELATED)
    return places, np.minimum((likeness[places] - RELATED) / (1.0 - RELATED), 1.0)


@lru_cache(maxsize=1)
def table() -> tuple[dict[str, int], numpy.ndarray, numpy.ndarray]:
    """Return the place of each word, commonest first, their senses, rows of length 1, and weights."""
    return read_table()


def read_table() -> tuple[dict[str, int], numpy.ndarray, numpy.ndarray]:
    """Return what `table` returns, as the file has it now."""
    import numpy as np

    with np.load(TABLE, allow_pickle=False) as packed:
        words = packed["words"].tobytes().decode("utf-8").split("\n")
        pairs, weights = packed["senses"], packed["weights"]
    levels = np.stack([pairs >> 4, pairs & 0xF], axis=2).reshape(len(pairs), -1)
    senses = levels.astype(np.float32) - LEVELS
    senses /= np.linalg.norm(senses, axis=1, keepdims=True)
    places = {word: place for place, word in enumerate(words)}
    return places, senses, weights.astype(np.float32) * WEIGHT_STEP


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
