"""Limits on unprompted lines (OCCASIONS): the recent ones, and whether there is room for one more.

It is kept in memory only.
"""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass, field
from typing import NamedTuple

from evennia_ai import conf, scheduling
from evennia_ai.core import volatile

HOUR = 3600.0


class Limit(NamedTuple):
    """So many lines in so many seconds, of whatever the key names."""

    key: tuple[object, ...]
    lines: float
    seconds: float = HOUR


@dataclass
class _State:
    # what is limited → when a line of it was said
    times: defaultdict[tuple[object, ...], deque[float]] = field(
        default_factory=lambda: defaultdict(deque)
    )


_state = volatile.keep(_State)


def limits() -> dict[str, float]:
    """Return OCCASIONS; ours hold where a game wrote what is no number, which `evennia check` names."""
    given, ours = conf.get("OCCASIONS"), conf.DEFAULTS["OCCASIONS"]
    return {key: given[key] if isinstance(given[key], (int, float)) else ours[key] for key in ours}


def take(*wanted: Limit) -> bool:
    """Return whether one line more is within all of some limits, and count it if it is."""
    if any(_count(one) >= one.lines for one in wanted):
        return False
    _drop_what_is_over(max(HOUR, limits()["pair"]))
    for one in wanted:
        _state.times[one.key].append(scheduling.clock().seconds())
    return True


def _count(limit: Limit) -> int:
    since = scheduling.clock().seconds() - limit.seconds
    return sum(moment > since for moment in _state.times.get(limit.key, ()))


def _drop_what_is_over(seconds: float) -> None:
    """Forget what lies longer back than any limit looks."""
    since = scheduling.clock().seconds() - seconds
    for key, moments in list(_state.times.items()):
        while moments and moments[0] <= since:
            moments.popleft()
        if not moments:
            del _state.times[key]
