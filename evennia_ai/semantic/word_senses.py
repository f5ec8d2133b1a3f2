"""Word senses (`core/senses`) as rows of numpy: for many words at once."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from evennia_ai.core import senses
from evennia_ai.core.senses import LEVELS, SENSES, WEIGHT_STEP, rank
from evennia_ai.semantic.stores.growable_arrays import products

if TYPE_CHECKING:
    import numpy

# Words less alike than this have nothing to do with each other. Found on the development half of
# tests/benchmarks/data; from 0.25 to 0.45 it makes no difference.
RELATED = 0.35


def sense(word: str) -> numpy.ndarray | None:
    """Return the sense of a word, of length 1, or None."""
    place = rank(word)
    return table()[1][place] if place >= 0 else None


def weighted_sense(word: str) -> numpy.ndarray | None:
    """Return the sense of a word, as long as what it counts in a sentence, or None."""
    place = rank(word)
    if place < 0:
        return None
    _, rows, weights = table()
    return rows[place] * weights[place]


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
    import numpy as np

    read = senses.table()
    pairs = np.frombuffer(read.packed, dtype=np.uint8).reshape(-1, SENSES // 2)
    levels = np.stack([pairs >> 4, pairs & 0xF], axis=2).reshape(len(pairs), -1)
    rows = levels.astype(np.float32) - LEVELS
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    weights = np.frombuffer(read.weights, dtype=np.uint8).astype(np.float32) * WEIGHT_STEP
    return read.places, rows, weights
