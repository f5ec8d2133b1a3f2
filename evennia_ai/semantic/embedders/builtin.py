"""The embedder that comes with the package: senses of common words, and hashed words for the rest.

It needs numpy and the table of `core/senses`. Words that are not in the table, also those of other
languages, count by themselves: texts that share them are alike.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from evennia_ai.core import words
from evennia_ai.core.senses import LANGUAGE, SENSES
from evennia_ai.semantic import word_senses

if TYPE_CHECKING:
    import numpy


# Numbers into which words are hashed.
HASHED = 384
# How much the words themselves count beside their senses: enough to tell two texts apart that
# differ in a name, too little to hide that two mean the same.
HASH_WEIGHT = 0.35
FUNCTION_WORD_WEIGHT = 0.3
PAIR_WEIGHT = 0.5


class BuiltinEmbedder:
    """Embeds English well and any language somehow, without a model or network."""

    name = "builtin-4"
    dimensions = SENSES + HASHED
    # Measured on tests/benchmarks/data: mean, deviation and weight of unrelated lines, and what is
    # worth a look. Of pairs of lines in tests/data/linked_lines.json more alike than 0.4, 54 of 58
    # belong together, and of 60 that belong together 54 are. No likeness makes two texts one: "is
    # dead" and "is not dead" are too alike.
    scale = {"cosine_prior": (0.03, 0.09, 5.0), "relevant": 0.2, "alike": 0.4}

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

    found = words.words(text)
    language = words.language_of(found)
    carrying = list(dict.fromkeys(words.telling(found, language)))
    # The table is of one language; "gift" is another word in German.
    known = carrying if language == LANGUAGE else []
    senses = [sense for word in known if (sense := word_senses.weighted_sense(word)) is not None]
    for sense in senses:
        row[:SENSES] += sense
    for key, weight in _hashed(found, language):
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


def _hashed(found: Sequence[str], language: str) -> Iterable[tuple[str, float]]:
    """Yield the words and their pairs, each with what it counts."""
    carrying = []
    for word in found:
        if words.carries_meaning(word, language):
            carrying.append(words.stem(words.bare(word), language))
            yield carrying[-1], 1.0
        else:
            yield word, FUNCTION_WORD_WEIGHT
    for pair in zip(carrying, carrying[1:], strict=False):
        yield " ".join(pair), PAIR_WEIGHT
