"""Arrays that grow at their end without being copied each time, and products of their rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy

# Values for which there is room from the beginning.
FIRST_ROOM = 16
# So many multiplications of one product begin no thread.
MULTIPLIED = 200_000


class Column:
    """Values, or rows of `width` values; what `values` gave stays as it was while more come in."""

    def __init__(self, kind: str, *, width: int | None = None) -> None:
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
