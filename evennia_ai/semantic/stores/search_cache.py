"""The cache of a search: an assistant's memories as arrays, so that it reads hardly a row.

Who may know a row never changes, and a number is given once. So what is kept can be incomplete, and
hold rows that are gone, but not be wrong; which are gone is asked when something was deleted.
"""

from __future__ import annotations

import json
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from evennia_ai.core import words
from evennia_ai.semantic.ranking import fusion
from evennia_ai.semantic.ranking.ranked import Known
from evennia_ai.semantic.ranking.word_index import Coded, WordIndex, WordView
from evennia_ai.semantic.stores.growable_arrays import BytesLRU, Column, products

if TYPE_CHECKING:
    import numpy

_FLOATS = ("moment", "trust", "importance", "worth")
# Bytes that are kept, for all assistants together; the one asked last always is.
CACHE_BYTES = 128_000_000
# Lines beside the stored ones whose words are kept as numbers: each turn brings most of them again.
KEPT_LINES = 4000
# The audience of a row of which it was not read.
UNREAD = "[]"


def is_open(known_to: frozenset[str] | None, hearers: frozenset[str]) -> bool:
    """Return whether all who hear are among those who may know; None is the public."""
    return known_to is None or hearers <= known_to


class Row(NamedTuple):
    """One memory as the database gives it; `vector` is the bytes of its numbers, `audience` JSON or None."""

    n: int
    moment: float
    trust: float
    importance: float
    speaker: str
    worth: float
    text: str
    before: str
    vector: bytes
    audience: str | None = UNREAD


class Left(NamedTuple):
    """The numbers of the rows that were not deleted, among all up to one; higher ones were not seen."""

    numbers: numpy.ndarray
    up_to: int


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
    # Of each stored row: the place of its audience in `audiences`, where None is the public.
    ears: numpy.ndarray
    audiences: list[frozenset[str] | None]
    # Which of the stored rows are there still, as far as was asked.
    there: numpy.ndarray

    def places(self, numbers: Any) -> numpy.ndarray:
        """Return where rows are, in order of time: those of these numbers, and those not stored.

        Numbers that are not there are left out; of what is not stored, what another one says as well.
        """
        import numpy as np

        known, wanted = self._stored, np.sort(np.asarray(numbers, dtype=np.int64))
        places = np.searchsorted(known, wanted)
        there = places < len(known)
        there[there] = known[places[there]] == wanted[there]
        return self._in_order(places[there])

    def told(self, hearers: Iterable[str], *, min_trust: float = 0.0) -> numpy.ndarray:
        """Return where the rows are that all who hear may know, as `places` does."""
        import numpy as np

        trusted = self.rows.trusts[: len(self._stored)] >= min_trust
        return self._in_order(np.flatnonzero(self.open_to(hearers) & trusted))

    def open_to(self, hearers: Iterable[str]) -> numpy.ndarray:
        """Return for each stored row whether it is there, and all who hear may know it."""
        import numpy as np

        listening = frozenset(hearers)
        heard = np.array([is_open(known, listening) for known in self.audiences], dtype=bool)
        return heard[self.ears] & self.there

    def _in_order(self, told: numpy.ndarray) -> numpy.ndarray:
        import numpy as np

        stored = len(self._stored)
        _, first = np.unique(self.said[stored:], return_index=True)
        more = stored + np.sort(first)
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


class OwnedRows:
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
        self._ears, self._there = Column("int32"), Column("bool")
        self._audiences: dict[str | None, int] = {}
        self._hearing: list[frozenset[str] | None] = []
        self._beside: OrderedDict[int, Coded] = OrderedDict()
        # How much had been deleted when it was asked which rows are there.
        self.deletions = 0

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
        self._words.extend((_telling(row.text), _telling(row.before)) for row in rows)
        self._ears.extend([self._heard_by(row.audience) for row in rows])
        self._there.extend([True] * len(rows))
        for row in rows:
            self._languages.update(words.signs(words.words(row.text)))
        self._numbers.extend([row.n for row in rows])

    def note_left(self, left: Left) -> None:
        """Note which rows are there still."""
        import numpy as np

        known = self._numbers.values
        self._there = Column("bool")
        self._there.extend(np.isin(known, left.numbers) | (known > left.up_to))

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
            self._words.view(map(self._coded_beside, also)),
            self._vectors.values,
            np.array(vectors, dtype=np.float32),
            words.usual_language(self._languages),
            self._ears.values,
            list(self._hearing),
            self._there.values,
        )

    def _coded(self, rows: Sequence[Row]) -> list[int]:
        return [self._speakers.setdefault(row.speaker, len(self._speakers)) for row in rows]

    def _heard_by(self, audience: str | None) -> int:
        if audience not in self._audiences:
            self._audiences[audience] = len(self._hearing)
            self._hearing.append(None if audience is None else frozenset(json.loads(audience)))
        return self._audiences[audience]

    def _coded_beside(self, row: Row) -> Coded:
        """Return the words of a line that is not stored."""
        # Not by the words: whoever is forgotten leaves none behind.
        key = hash((row.text, row.before))
        if key not in self._beside:
            self._beside[key] = self._words.code((_telling(row.text), _telling(row.before)))
        self._beside.move_to_end(key)
        while len(self._beside) > KEPT_LINES:
            self._beside.popitem(last=False)
        return self._beside[key]


def _telling(text: str) -> list[str]:
    return fusion.telling_words(text) if text else []


def _said(row: Row) -> int:
    return hash((row.speaker.casefold(), " ".join(row.text.casefold().split())))


class OwnedCache:
    """The rows of those assistants who were asked lately.

    `fetch(assistant_key, after)` gives the rows with numbers above `after`, ascending. A number
    stands for one row for good, so what is kept is never wrong, only incomplete. `deletions()`
    counts what was deleted of anybody, and `left(assistant_key)` tells what is there after that;
    without them a view does not know what is gone.
    """

    def __init__(
        self,
        fetch: Callable[[str, int], list[Row]],
        *,
        dimensions: int,
        limit: int = CACHE_BYTES,
        deletions: Callable[[], int] = lambda: 0,
        left: Callable[[str], Left] | None = None,
    ) -> None:
        self._fetch = fetch
        self._deletions, self._left = deletions, left
        self._dimensions = dimensions
        self._kept: BytesLRU[str, OwnedRows] = BytesLRU(limit)
        self._lock = threading.Lock()

    def get(self, assistant_key: str, also: Sequence[Row] = ()) -> View:
        """Return the rows of an assistant, and after them `also`."""
        while True:
            # Asked first: what goes while the rows are read is seen the next time.
            deletions = self._deletions()
            with self._lock:
                owned = self._kept.get(assistant_key)
                if owned is None:
                    owned = OwnedRows(self._dimensions)
                    owned.deletions = deletions
                    self._kept.keep(assistant_key, owned)
                last = owned.last
            # Not under the lock: whoever fetches may have to wait for one who writes.
            rows = self._fetch(assistant_key, last)
            is_less = self._left is not None and owned.deletions != deletions
            left = self._left(assistant_key) if is_less else None
            with self._lock:
                if self._kept.get(assistant_key) is not owned or owned.last != last:
                    # It was dropped, or another thread was faster.
                    continue
                if rows:
                    owned.extend(rows)
                if left is not None:
                    owned.note_left(left)
                    owned.deletions = deletions
                self._kept.keep(assistant_key, owned)
                return owned.view(also)

    def drop(self, assistant_key: str | None = None) -> None:
        """Forget the rows of an assistant, or of all."""
        with self._lock:
            if assistant_key is None:
                self._kept.clear()
            else:
                self._kept.drop(assistant_key)


def _among(few: numpy.ndarray, many: numpy.ndarray) -> numpy.ndarray:
    """Return which of few different numbers are among many: as `numpy.isin`, which would sort the many."""
    import numpy as np

    found = np.zeros(len(few), dtype=bool)
    if len(few):
        order = np.argsort(few)
        places = np.minimum(np.searchsorted(few[order], many), len(few) - 1)
        found[order[places[few[order][places] == many]]] = True
    return found
