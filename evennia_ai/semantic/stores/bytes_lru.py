"""A cache of things that grow, by how many bytes they take: what was asked least lately goes first."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, Protocol, TypeVar


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
