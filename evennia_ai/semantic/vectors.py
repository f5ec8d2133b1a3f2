"""Keeps the vectors of those who were asked lately in memory, so that a search reads no blobs."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy

# Bytes that are kept, for all assistants together; the one asked last always is.
CACHE_BYTES = 96_000_000


class VectorCache:
    """The vectors of each assistant as one array, with the numbers of their rows.

    `fetch(assistant_key, after)` gives (row numbers, array) of the rows above `after`, ascending. A
    row number stands for one vector for good, so what is kept is never wrong, only incomplete.
    """

    def __init__(
        self,
        fetch: Callable[[str, int], tuple[numpy.ndarray, numpy.ndarray]],
        *,
        limit: int = CACHE_BYTES,
    ) -> None:
        self._fetch = fetch
        self._limit = limit
        self._kept: OrderedDict[str, tuple[numpy.ndarray, numpy.ndarray]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, assistant_key: str) -> tuple[numpy.ndarray, numpy.ndarray]:
        """Return (row numbers, vectors) of an assistant, also of rows that are gone by now."""
        import numpy as np

        with self._lock:
            kept = self._kept.get(assistant_key)
        after = int(kept[0][-1]) if kept is not None and len(kept[0]) else 0
        numbers, vectors = self._fetch(assistant_key, after)
        if kept is not None and len(kept[0]):
            if not len(numbers):
                numbers, vectors = kept
            else:
                numbers = np.concatenate([kept[0], numbers])
                vectors = np.concatenate([kept[1], vectors])
        with self._lock:
            self._kept[assistant_key] = numbers, vectors
            self._kept.move_to_end(assistant_key)
            while len(self._kept) > 1 and self.size() > self._limit:
                self._kept.popitem(last=False)
        return numbers, vectors

    def drop(self, assistant_key: str | None = None) -> None:
        """Forget the vectors of an assistant, or all of them."""
        with self._lock:
            if assistant_key is None:
                self._kept.clear()
            else:
                self._kept.pop(assistant_key, None)

    def size(self) -> int:
        """Return how many bytes are kept."""
        return sum(vectors.nbytes for _, vectors in self._kept.values())
