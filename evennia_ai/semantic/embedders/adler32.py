"""The seed's embedder: words counted in 384 buckets. It knows nothing of meaning, and needs nothing."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy

DIMENSIONS = 384


class Adler32Embedder:
    """Counts each word in the bucket that its adler32 checksum points at."""

    name = "adler32"
    dimensions = DIMENSIONS

    def __init__(self) -> None:
        # Measured on talks: half of the lines that answer a question are more like it than 0.1, and
        # none is more than 0.7. Word order is invisible to it, so that no likeness is high enough to
        # take two texts for one.
        self.scale = {"relevant": 0.1}

    def embed(self, texts: list[str]) -> numpy.ndarray:
        """Return a row of length 1 for each text."""
        import numpy as np

        buckets = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
        for row, text in zip(buckets, texts, strict=True):
            for token in text.lower().split():
                row[zlib.adler32(token.encode("utf-8", "replace")) % DIMENSIONS] += 1.0
        lengths = np.linalg.norm(buckets, axis=1, keepdims=True)
        return buckets / np.where(lengths > 0, lengths, 1.0)

    def embed_query(self, text: str) -> numpy.ndarray:
        return self.embed([text])[0]
