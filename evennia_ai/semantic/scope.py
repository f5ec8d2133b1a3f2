"""What a search needs of an assistant's memories, kept as arrays so that it reads hardly a row.

Whether a row may be told is not kept: the store asks its database at each search, and so it knows
as well which rows are gone.
"""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from evennia_ai.core import words
from evennia_ai.semantic import fusion
from evennia_ai.semantic.columns import Column, products
from evennia_ai.semantic.ranked import Known
from evennia_ai.semantic.word_index import Line, WordIndex, WordView

if TYPE_CHECKING:
    import numpy

_FLOATS = ("moment", "trust", "importance", "worth")
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
    """The rows of an assistant at one moment, by ascending number; some may be gone by now.

    After them come those that are not stored, and only ranked along with them. They have numbers
    below zero: -1 for the first. `said` is a hash of who said what.
    """

    rows: Known
    said: numpy.ndarray
    words: WordView
    vectors: numpy.ndarray
    beside: numpy.ndarray
    # Of most of the rows; "" if that is the game's.
    language: str

    def places(self, numbers: Any) -> numpy.ndarray:
        """Return where rows are, in order of time: those of these numbers, and those not stored.

        Numbers that are not there are left out; of what is not stored, what another one says as well.
        """
        import numpy as np

        known, wanted = self._stored, np.sort(np.asarray(numbers, dtype=np.int64))
        places = np.searchsorted(known, wanted)
        there = places < len(known)
        there[there] = known[places[there]] == wanted[there]
        told = places[there]
        _, first = np.unique(self.said[len(known) :], return_index=True)
        more = len(known) + np.sort(first)
        found = np.append(told, more[~_among(self.said[more], self.said[told])])
        return found[np.argsort(self.rows.moments[found], kind="stable")]

    def likeness(self, vector: Any, *, stored: numpy.ndarray | None = None) -> numpy.ndarray:
        """Return the product of a vector with that of each row; of the stored ones, if not given."""
        import numpy as np

        known = products(self.vectors, vector) if stored is None else stored
        return np.append(known, products(self.beside, vector)) if len(self.beside) else known

    def spread(self, numbers: numpy.ndarray, values: numpy.ndarray) -> numpy.ndarray:
        """Return values of rows, given by ascending number, for each stored row; 0 for the others."""
        import numpy as np

        known, spread = self._stored, np.zeros(len(self._stored))
        places = np.minimum(np.searchsorted(numbers, known), max(0, len(numbers) - 1))
        if len(numbers):
            there = numbers[places] == known
            spread[there] = values[places[there]]
        return spread

    @property
    def _stored(self) -> numpy.ndarray:
        return self.rows.numbers[: len(self.rows.numbers) - len(self.beside)]

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
        self._said = Column("int64")
        self._languages: Counter[str] = Counter()
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
        for column, name in zip(self._floats, _FLOATS, strict=True):
            column.extend([getattr(row, name) for row in rows])
        self._codes.extend(self._coded(rows))
        self._said.extend([_said(row) for row in rows])
        self._words.extend(map(_telling, rows))
        for row in rows:
            self._languages.update(words.signs(words.words(row.text)))
        self._numbers.extend([row.n for row in rows])

    def view(self, also: Sequence[Row] = ()) -> View:
        """Return what is there now, and after it some rows that are not stored."""
        import numpy as np

        codes = np.append(self._codes.values, np.array(self._coded(also), dtype=np.int32))
        floats = (
            np.append(column.values, [getattr(row, name) for row in also])
            for column, name in zip(self._floats, _FLOATS, strict=True)
        )
        said = np.array([_said(row) for row in also], dtype=np.int64)
        vectors = [np.frombuffer(row.vector, dtype=np.float32) for row in also]
        return View(
            Known(
                np.append(self._numbers.values, -1 - np.arange(len(also))),
                *floats,
                codes,
                list(self._speakers),
            ),
            np.append(self._said.values, said),
            self._words.view(map(_telling, also)),
            self._vectors.values,
            np.array(vectors, dtype=np.float32),
            words.usual_language(self._languages),
        )

    def _coded(self, rows: Sequence[Row]) -> list[int]:
        return [self._speakers.setdefault(row.speaker, len(self._speakers)) for row in rows]


def _telling(row: Row) -> Line:
    return fusion.telling_words(row.text), fusion.telling_words(row.before)


def _said(row: Row) -> int:
    return hash((row.speaker.casefold(), " ".join(row.text.casefold().split())))


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

    def get(self, assistant_key: str, also: Sequence[Row] = ()) -> View:
        """Return the rows of an assistant, those that are gone by now too, and after them `also`."""
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
                return scope.view(also)

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


def _among(few: numpy.ndarray, many: numpy.ndarray) -> numpy.ndarray:
    """Return which of few different numbers are among many: as `numpy.isin`, which would sort the many."""
    import numpy as np

    found = np.zeros(len(few), dtype=bool)
    if len(few):
        order = np.argsort(few)
        places = np.minimum(np.searchsorted(few[order], many), len(few) - 1)
        found[order[places[few[order][places] == many]]] = True
    return found
