"""Arrays that grow at their end without being copied each time, products of their rows, and a cache by the bytes that they take."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    import numpy

# Values for which there is room from the beginning.
FIRST_ROOM = 16
# So many multiplications of one product begin no thread.
MULTIPLIED = 200_000


class Column:
    """Values, or rows of `width` values; what `values` gave stays as it was while more come in."""

    def __init__(self, kind: str | list[tuple[str, str]], *, width: int | None = None) -> None:
        import numpy as np

        self._shape = () if width is None else (width,)
        self._room = np.empty((FIRST_ROOM, *self._shape), dtype=kind)
        self._length = 0

    def __len__(self) -> int:
        return self._length

    @property
    def values(self) -> numpy.ndarray:
        """All that came in so far."""
        return self._room[: self._length]

    @property
    def nbytes(self) -> int:
        """Bytes that it takes."""
        return self._room.nbytes

    def extend(self, values: Sequence[Any] | numpy.ndarray) -> None:
        """Put values at the end."""
        import numpy as np

        length = self._length + len(values)
        if length > len(self._room):
            room = np.empty((max(length, 2 * len(self._room)), *self._shape), self._room.dtype)
            room[: self._length] = self.values
            # Who holds the former one keeps it as it is.
            self._room = room
        self._room[self._length : length] = values
        self._length = length


def products(rows: numpy.ndarray, vector: Any) -> numpy.ndarray:
    """Return the product of each row with a vector.

    Not by `@`: for that numpy starts a thread on each core, which the game needs, and they wait for one
    another longer than they calculate.
    """
    import numpy as np

    return np.einsum("ij,j->i", rows, np.asarray(vector, dtype=rows.dtype).ravel())


def sums(weights: numpy.ndarray, rows: numpy.ndarray) -> numpy.ndarray:
    """Return for each row of weights the sum of the rows, each multiplied by its weight.

    That is `weights @ rows`, by parts for which numpy starts no threads.
    """
    import numpy as np

    step = max(1, MULTIPLIED // (len(weights) * rows.shape[1] or 1))
    found = np.zeros((len(weights), rows.shape[1]), dtype=rows.dtype)
    for start in range(0, len(rows), step):
        found += weights[:, start : start + step] @ rows[start : start + step]
    return found


class Sized(Protocol):
    """Knows about how many bytes it takes."""

    @property
    def nbytes(self) -> int:
        """Bytes that it takes."""


Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value", bound=Sized)


class BytesLRU(Generic[Key, Value]):
    """What was kept last, at most `limit` bytes of it; the very last is kept whatever it takes."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept: OrderedDict[Key, Value] = OrderedDict()
        # Each is weighed when it is kept, and not all of them each time.
        self._weights: dict[Key, int] = {}
        self.nbytes = 0

    def get(self, key: Key) -> Value | None:
        """Return what is kept under a key."""
        return self._kept.get(key)

    def keep(self, key: Key, value: Value) -> None:
        """Keep it, as it has grown by now, as what was asked last, and let go of what there is no room for."""
        self._kept[key] = value
        self._kept.move_to_end(key)
        weight = value.nbytes
        self.nbytes += weight - self._weights.get(key, 0)
        self._weights[key] = weight
        while len(self._kept) > 1 and self.nbytes > self._limit:
            self.drop(next(iter(self._kept)))

    def drop(self, key: Key) -> None:
        """Let go of what is kept under a key."""
        if self._kept.pop(key, None) is not None:
            self.nbytes -= self._weights.pop(key)

    def clear(self) -> None:
        """Let go of everything."""
        self._kept.clear()
        self._weights.clear()
        self.nbytes = 0
