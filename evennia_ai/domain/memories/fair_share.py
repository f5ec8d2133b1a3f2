"""Room for everybody: whoever has most makes way first."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from heapq import heapify, heapreplace
from typing import Any, TypeVar

T = TypeVar("T")


def least_of_the_greatest(
    items: Iterable[T], count: int, *, by: Callable[[T], str], worth: Callable[[T], Any]
) -> list[T]:
    """Return so many items: each time whoever has most loses what is worth least, then the first.

    `by` tells whose an item is. So nobody loses anything because another has much.
    """
    whose: dict[str, list[tuple[Any, int, T]]] = {}
    for place, item in enumerate(items):
        whose.setdefault(by(item), []).append((worth(item), place, item))
    for owned in whose.values():
        owned.sort(key=lambda one: one[:2], reverse=True)
    # The places are different, so that items are never compared.
    crowd = [(-len(owned), owned[-1][:2], who) for who, owned in whose.items()]
    heapify(crowd)
    chosen: list[T] = []
    while len(chosen) < count and crowd and crowd[0][0] < 0:
        owned = whose[crowd[0][2]]
        chosen.append(owned.pop()[2])
        heapreplace(crowd, (-len(owned), owned[-1][:2] if owned else (0, 0), crowd[0][2]))
    return chosen
