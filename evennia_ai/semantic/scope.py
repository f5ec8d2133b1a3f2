"""What a search needs of an assistant's memories, kept as arrays so that it reads hardly a row.

Whether a row may be told is not kept: the store asks its database at each search, and so it knows
as well which rows are gone.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from evennia_ai.semantic import fusion
from evennia_ai.semantic.columns import Column
from evennia_ai.semantic.ranked import Known
from evennia_ai.semantic.word_index import WordIndex, WordView

if TYPE_CHECKING:
    import numpy

# Bytes that are kept, for all assistants together; the one asked last always is.
CACHE_BYTES = 128_000_000


class Row(NamedTuple):
    """One memory as the database gives it; `vector` is the bytes of its numbers."""

    n: int
    moment: float
    trust: float
    importance: float
    speaker: str
    worth: float
    text: str
    before: str
    vector: bytes


class View(NamedTuple):
    """The rows of an assistant at one moment, by ascending number; some may be gone by now."""

    rows: Known
    vectors: numpy.ndarray
    words: WordView

    def places(self, numbers: Any) -> numpy.ndarray:
        """Return where the rows of these numbers are, in order of time, without those not there."""
        import numpy as np

        known, wanted = self.rows.numbers, np.sort(np.asarray(numbers, dtype=np.int64))
        places = np.searchsorted(known, wanted)
        there = places < len(known)
        there[there] = known[places[there]] == wanted[there]
        places = places[there]
        return places[np.argsort(self.rows.moments[places], kind="stable")]

    def known(self, places: numpy.ndarray) -> Known:
        """Return the rows of these places, in their order."""
        *arrays, speakers = self.rows
        return Known(*(array[places] for array in arrays), speakers)


class Scope:
    """The rows of one assistant, which only ever become more."""

    def __init__(self, dimensions: int) -> None:
        self._numbers = Column("int64")
        self._floats = [Column("float64") for _ in range(4)]
        self._codes = Column("int32")
        self._speakers: dict[str, int] = {}
        self._vectors = Column("float32", width=dimensions)
        self._words = WordIndex()
        self._dimensions = dimensions

    @property
    def last(self) -> int:
        """The highest number of a row, or 0."""
        return int(self._numbers.values[-1]) if len(self._numbers) else 0

    @property
    def nbytes(self) -> int:
        """Bytes that the vectors take, beside which all else is little."""
        return self._vectors.nbytes

    def extend(self, rows: list[Row]) -> None:
        """Take in rows with higher numbers than those that are there."""
        import numpy as np

        vectors = np.frombuffer(b"".join(row.vector for row in rows), dtype=np.float32)
        self._vectors.extend(vectors.reshape(len(rows), self._dimensions))
        for column, name in zip(
            self._floats, ("moment", "trust", "importance", "worth"), strict=True
        ):
            column.extend([getattr(row, name) for row in rows])
        self._codes.extend(
            [self._speakers.setdefault(row.speaker, len(self._speakers)) for row in rows]
        )
        self._words.extend(
            (fusion.telling_words(row.text), fusion.telling_words(row.before)) for row in rows
        )
        self._numbers.extend([row.n for row in rows])

    def view(self) -> View:
        """Return what is there now."""
        rows = Known(
            self._numbers.values,
            *(column.values for column in self._floats),
            self._codes.values,
            list(self._speakers),
        )
        return View(rows, self._vectors.values, self._words.view())


class ScopeCache:
    """The scopes of those who were asked lately.

    `fetch(assistant_key, after)` gives the rows with numbers above `after`, ascending. A number
    stands for one row for good, so what is kept is never wrong, only incomplete.
    """

    def __init__(
        self,
        fetch: Callable[[str, int], list[Row]],
        *,
        dimensions: int,
        limit: int = CACHE_BYTES,
    ) -> None:
        self._fetch = fetch
        self._dimensions = dimensions
        self._limit = limit
        self._kept: OrderedDict[str, Scope] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, assistant_key: str) -> View:
        """Return the rows of an assistant, also those that are gone by now."""
        while True:
            with self._lock:
                scope = self._kept.get(assistant_key)
                if scope is None:
                    scope = self._kept[assistant_key] = Scope(self._dimensions)
                last = scope.last
            # Not under the lock: whoever fetches may have to wait for one who writes.
            rows = self._fetch(assistant_key, last)
            with self._lock:
                if self._kept.get(assistant_key) is not scope or scope.last != last:
                    # It was dropped, or another thread was faster.
                    continue
                if rows:
                    scope.extend(rows)
                self._kept.move_to_end(assistant_key)
                while len(self._kept) > 1 and self.size() > self._limit:
                    self._kept.popitem(last=False)
                return scope.view()

    def drop(self, assistant_key: str | None = None) -> None:
        """Forget the rows of an assistant, or of all."""
        with self._lock:
            if assistant_key is None:
                self._kept.clear()
            else:
                self._kept.pop(assistant_key, None)

    def size(self) -> int:
        """Return how many bytes are kept."""
        return sum(scope.nbytes for scope in self._kept.values())
