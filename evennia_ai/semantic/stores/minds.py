"""The memories of each assistant as one array of traits and one matrix of vectors, so that a search reads hardly a row.

Who may know a row never changes, and a number is given once. So what is kept can be incomplete, and
hold rows that are gone, but not be wrong; which are gone is asked when something was deleted.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from evennia_ai.core import words
from evennia_ai.semantic.stores.growable_arrays import BytesLRU, Column

if TYPE_CHECKING:
    import numpy

# Bytes that are kept, for all assistants together; the one asked last always is.
CACHE_BYTES = 128_000_000
# Rows of which it is read which language they are in.
READ = 200
# The audience of a row of which it was not read.
UNREAD = "[]"
_FLOATS = ("moment", "trust", "importance", "worth", "length")


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
    vector: bytes = b""
    audience: str | None = UNREAD

    @property
    def length(self) -> int:
        """Letters by whose words it is found."""
        return len(self.text) + len(self.before)

    @property
    def said(self) -> int:
        """A hash of who said what."""
        return hash((self.speaker.casefold(), " ".join(self.text.casefold().split())))


class Left(NamedTuple):
    """The numbers of the rows that were not deleted, among all up to one; higher ones were not seen."""

    numbers: numpy.ndarray
    up_to: int


class Mind:
    """What one assistant remembers, by ascending number; some of it may be gone by now."""

    def __init__(self, dimensions: int) -> None:
        self._traits, self._vectors = Column(_kinds()), Column("float32", width=dimensions)
        self.speakers: dict[str, int] = {}
        self.audiences: dict[str | None, int] = {}
        self._signs: Counter[str] = Counter()
        self.deletions = 0

    @property
    def traits(self) -> numpy.ndarray:
        """Number, moment and so on of each row."""
        return self._traits.values

    @property
    def vectors(self) -> numpy.ndarray:
        """The vector of each row."""
        return self._vectors.values

    @property
    def last(self) -> int:
        """The highest number of a row, or 0."""
        return int(self.traits["n"][-1]) if len(self._traits) else 0

    @property
    def language(self) -> str:
        """The language of most of what it remembers, "" if that is the game's."""
        return words.usual_language(self._signs)

    @property
    def nbytes(self) -> int:
        """Bytes that it takes."""
        return self._traits.nbytes + self._vectors.nbytes

    def extend(self, rows: Sequence[Row]) -> None:
        """Take in rows with higher numbers than those that are there."""
        import numpy as np

        for row in rows[: max(0, READ - len(self._traits))]:
            self._signs.update(words.signs(words.words(row.text)))
        packed = np.frombuffer(b"".join(row.vector for row in rows), dtype=np.float32)
        self._vectors.extend(packed.reshape(len(rows), -1))
        self._traits.extend(self.traits_of(rows))

    def traits_of(self, rows: Sequence[Row]) -> numpy.ndarray:
        """Return the traits of rows, which need not be kept here."""
        import numpy as np

        found = np.zeros(len(rows), dtype=_kinds())
        for name in ("n", "said", *_FLOATS):
            found[name] = [getattr(row, name) for row in rows]
        found["speaker"] = [_coded(self.speakers, row.speaker) for row in rows]
        found["ears"] = [_coded(self.audiences, row.audience) for row in rows]
        found["there"] = True
        return found

    def note_left(self, left: Left) -> None:
        """Note which rows are there still."""
        import numpy as np

        known = self.traits["n"]
        self.traits["there"] = np.isin(known, left.numbers) | (known > left.up_to)

    def open_to(self, hearers: Iterable[str], *, min_trust: float = 0.0) -> numpy.ndarray:
        """Return where the rows are that are there and that all who hear may know."""
        import numpy as np

        listening, traits = frozenset(hearers), self.traits
        known_to = (None if one is None else frozenset(json.loads(one)) for one in self.audiences)
        heard = np.array([is_open(one, listening) for one in known_to], dtype=bool)
        if not len(traits):
            return np.zeros(0, dtype=np.int64)
        return np.flatnonzero(
            heard[traits["ears"]] & traits["there"] & (traits["trust"] >= min_trust)
        )

    def places(self, numbers: Any) -> numpy.ndarray:
        """Return where the rows of these numbers are; numbers that are not there are left out."""
        import numpy as np

        known, wanted = self.traits["n"], np.sort(np.asarray(numbers, dtype=np.int64))
        places = np.searchsorted(known, wanted)
        there = places < len(known)
        there[there] = known[places[there]] == wanted[there]
        return places[there]


class Minds:
    """The memories of those assistants who were asked lately.

    `fetch(assistant_key, after)` gives the rows with numbers above `after`, ascending. `deletions()`
    counts what was deleted of anybody, and `left(assistant_key)` tells what is there after that;
    without them a mind does not know what is gone.
    """

    def __init__(
        self,
        fetch: Callable[[str, int], list[Row]],
        *,
        dimensions: int,
        deletions: Callable[[], int] = lambda: 0,
        left: Callable[[str], Left] | None = None,
        limit: int = CACHE_BYTES,
    ) -> None:
        self._fetch, self._deletions, self._left = fetch, deletions, left
        self._dimensions = dimensions
        self._kept: BytesLRU[str, Mind] = BytesLRU(limit)
        self._lock = threading.Lock()

    def get(self, assistant_key: str) -> Mind:
        """Return what an assistant remembers, as far as it is written."""
        while True:
            # Asked first: what goes while the rows are read is seen the next time.
            deletions = self._deletions()
            with self._lock:
                mind = self._kept.get(assistant_key)
                if mind is None:
                    mind = Mind(self._dimensions)
                    mind.deletions = deletions
                    self._kept.keep(assistant_key, mind)
                last = mind.last
            # Not under the lock: whoever fetches may have to wait for one who writes.
            rows = self._fetch(assistant_key, last)
            is_less = self._left is not None and mind.deletions != deletions
            left = self._left(assistant_key) if self._left is not None and is_less else None
            with self._lock:
                if self._kept.get(assistant_key) is not mind or mind.last != last:
                    # It was dropped, or another thread was faster.
                    continue
                if rows:
                    mind.extend(rows)
                if left is not None:
                    mind.note_left(left)
                    mind.deletions = deletions
                self._kept.keep(assistant_key, mind)
                return mind

    def drop(self) -> None:
        """Forget all rows."""
        with self._lock:
            self._kept.clear()


def _kinds() -> list[tuple[str, str]]:
    floats = [(name, "f8") for name in _FLOATS]
    return [("n", "i8"), ("said", "i8"), *floats, ("speaker", "i4"), ("ears", "i4"), ("there", "?")]


def _coded(codes: dict[Any, int], value: Any) -> int:
    return codes.setdefault(value, len(codes))
