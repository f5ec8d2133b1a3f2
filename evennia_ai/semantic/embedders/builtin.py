"""The embedder that comes with the package: senses of common words, and hashed words for the rest.

It needs numpy and a table of the commonest English words, which was drawn from all-MiniLM-L6-v2
(Apache License 2.0). Words that are not in the table, also those of other languages, count by
themselves: texts that share them are alike.
"""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from evennia_ai.domain import retrieval
from evennia_ai.semantic import fusion

if TYPE_CHECKING:
    import numpy


TABLE = Path(__file__).with_name("builtin_words.npz")
# Numbers that tell a word's sense, and numbers into which words are hashed.
SENSES = 96
HASHED = 416
# A number of the table is one of 2 * LEVELS + 1 steps, in 4 bits.
LEVELS = 7
# How much the words themselves count beside their senses: enough to tell two texts apart that
# differ in a name, too little to hide that two mean the same.
HASH_WEIGHT = 0.35
FUNCTION_WORD_WEIGHT = 0.3
PAIR_WEIGHT = 0.5
# What a word counts that is rarer than all of the table, beside common ones.
RARE_WEIGHT = math.log(22_000)

_WORD = re.compile(r"[^\W_]+(?:['’]t\b)?")
# How a form may end that is not in the table, and what the table may have in its place.
_ENDINGS = ("s", "es", "d", "ed", "ing", "ly", "er", "est")
_FILLS = ("", "e", "y")


class BuiltinEmbedder:
    """Embeds English well and any language somehow, without a model or network."""

    name = "builtin-1"
    dimensions = SENSES + HASHED
    # Measured on tests/benchmarks/data: mean, deviation and weight of unrelated lines, and what is
    # worth a look. No likeness makes two texts one: "is dead" and "is not dead" are too alike.
    scale = {"cosine_prior": (0.06, 0.10, 5.0), "relevant": 0.2}

    def embed(self, texts: Sequence[str]) -> numpy.ndarray:
        """Return one row of length 1 for each text, float32."""
        import numpy as np

        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            _fill(row, text)
        return rows

    def embed_query(self, text: str) -> numpy.ndarray:
        """Return the row of a question."""
        return self.embed([text])[0]


def _fill(row: numpy.ndarray, text: str) -> None:
    import numpy as np

    words = _WORD.findall(text.casefold())
    idle = fusion.function_words(words)
    carrying = [word for word in dict.fromkeys(words) if word not in idle]
    senses = [sense for word in carrying if (sense := _sense(word)) is not None]
    for sense in senses:
        row[:SENSES] += sense
    for key, weight in _hashed(words, idle):
        code = zlib.crc32(key.encode("utf-8", "surrogatepass"))
        row[SENSES + (code >> 1) % HASHED] += weight if code & 1 else -weight
    # The more words have no sense that is known, the more the words themselves have to count.
    unknown = 1.0 - len(senses) / len(carrying) if carrying else 1.0
    hash_weight = HASH_WEIGHT + (1.0 - HASH_WEIGHT) * unknown
    for part, weight in ((row[:SENSES], 1.0), (row[SENSES:], hash_weight)):
        if length := np.linalg.norm(part):
            part *= weight / length
    if length := np.linalg.norm(row):
        row /= length
    else:
        # A text without a word is like no other, but still of length 1.
        row[-1] = 1.0


def _hashed(words: Sequence[str], idle: frozenset[str]) -> Iterable[tuple[str, float]]:
    """Yield the words and their pairs, each with what it counts."""
    carrying = []
    for word in words:
        if word in idle:
            yield word, FUNCTION_WORD_WEIGHT
        else:
            carrying.append(retrieval.stem(word))
            yield carrying[-1], 1.0
    for pair in zip(carrying, carrying[1:], strict=False):
        yield " ".join(pair), PAIR_WEIGHT


@lru_cache(maxsize=20_000)
def _sense(word: str) -> numpy.ndarray | None:
    """Return the sense of a word or of its base form, more of it if it is rare."""
    ranks, senses = _table()
    for form in _forms(word):
        if (rank := ranks.get(form)) is not None:
            return senses[rank] * (math.log(rank + 2) / RARE_WEIGHT)
    return None


def _forms(word: str) -> Iterable[str]:
    yield word
    if word in retrieval.IRREGULAR:
        yield retrieval.IRREGULAR[word]
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


@lru_cache(maxsize=1)
def _table() -> tuple[dict[str, int], numpy.ndarray]:
    """Return the rank of each word, commonest first, and their senses, rows of length 1."""
    import numpy as np

    with np.load(TABLE, allow_pickle=False) as table:
        words = table["words"].tobytes().decode("utf-8").split("\n")
        packed = table["senses"]
    levels = np.stack([packed >> 4, packed & 0xF], axis=2).reshape(len(packed), -1)
    senses = levels.astype(np.float32) - LEVELS
    senses /= np.linalg.norm(senses, axis=1, keepdims=True)
    return {word: rank for rank, word in enumerate(words)}, senses
