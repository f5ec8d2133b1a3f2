"""Counts the words that carry meaning, by their stems, in any language: for situations told in few words.

"Drunk" and "sober" are near each other for a model of sentences, for both are about drinking. Where
one word makes the difference, what counts is that it is the same.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from evennia_ai.core import words

if TYPE_CHECKING:
    import numpy

DIMENSIONS = 512
# Texts whose rows are kept, of 2 kB each.
KEPT = 300


class WordsEmbedder:
    """Puts each word that carries meaning into one of 512 places, once."""

    # To be counted up where other stems put words elsewhere.
    name = "words-2"
    dimensions = DIMENSIONS

    def __init__(self) -> None:
        # No likeness is high enough to take two texts for one: word order is invisible to it.
        self.scale = {"relevant": 0.1}

    def embed(self, texts: Sequence[str]) -> numpy.ndarray:
        """Return one row of length 1 for each text, float32."""
        import numpy as np

        return np.array(
            [_row(text, words.Game.language) for text in texts], dtype=np.float32
        ).reshape(-1, DIMENSIONS)

    def embed_query(self, text: str) -> numpy.ndarray:
        return self.embed([text])[0]


# One turn asks for a situation, keeps what was done in it, and says how the one before it went. The language
# of the game counts where a text tells none.
@lru_cache(maxsize=KEPT)
def _row(text: str, game: str) -> numpy.ndarray:
    import numpy as np

    row = np.zeros(DIMENSIONS, dtype=np.float32)
    for stem in _stems(text):
        row[zlib.crc32(stem.encode("utf-8", "surrogatepass")) % DIMENSIONS] += 1.0
    # A text without such a word is like no other, but still of length 1.
    row[-1] += 1.0 if not row.any() else 0.0
    return row / np.linalg.norm(row)


def _stems(text: str) -> set[str]:
    found = words.words(text)
    language = words.language_of(found)
    telling = (words.bare(word) for word in found if words.carries_meaning(word, language))
    return {words.stem(word, language) for word in telling}
