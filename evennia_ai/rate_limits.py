"""Rate limits: how often something may be done in so many seconds, such as a line that nobody asked for.

It is kept in memory only.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import NamedTuple

from evennia_ai import scheduling
from evennia_ai.core import volatile

HOUR = 3600.0
# Seconds after which what is over is looked for again.
SWEEP_SECONDS = 60.0
# Counts for staff that wait to be told.
UNTOLD = 1000


class Limit(NamedTuple):
    """So many times in so many seconds, of whatever the key names."""

    key: tuple[object, ...]
    times: float = 1
    seconds: float = HOUR


@dataclass
class _Done:
    """When something was done, the oldest first, and for how many seconds that counts."""

    seconds: float
    moments: deque[float] = field(default_factory=deque)


@dataclass
class _State:
    done: dict[tuple[object, ...], _Done] = field(default_factory=dict)
    untold: dict[tuple[object, ...], int] = field(default_factory=dict)
    sweep_at: float = 0.0


_state = volatile.keep(_State)


def allows(*limits: Limit) -> bool:
    """Return whether once more is within all of some limits."""
    return all(len(moments(one)) < one.times for one in limits)


def take(*limits: Limit) -> bool:
    """Return whether once more is within all of some limits, and count it if it is."""
    if not allows(*limits):
        return False
    for one in limits:
        count(one)
    return True


def count(limit: Limit) -> None:
    """Count something that was done, whatever its limit."""
    now = scheduling.clock().seconds()
    _sweep(now)
    done = _state.done.setdefault(limit.key, _Done(limit.seconds))
    done.seconds = limit.seconds
    done.moments.append(now)


def to_tell(key: tuple[object, ...], times: int = 1) -> int:
    """Return how often something happened that staff were not told of, these times among it; 0 where they were told within the hour.

    So a flood is one line in the log, and the next one says how much there was.
    """
    so_far = _state.untold.pop(key, 0) + times
    if take(Limit(("staff told", *key))):
        return so_far
    _state.untold[key] = so_far
    return 0


def moments(limit: Limit) -> list[float]:
    """Return when something was done that counts, the oldest first; a clock that was set back locks nobody out."""
    done, now = _state.done.get(limit.key), scheduling.clock().seconds()
    return [one for one in done.moments if now - limit.seconds < one <= now] if done else []


def _sweep(now: float) -> None:
    """Forget what counts no more."""
    # A test may wind a clock back.
    if 0 <= _state.sweep_at - now <= SWEEP_SECONDS:
        return
    _state.sweep_at = now + SWEEP_SECONDS
    if len(_state.untold) > UNTOLD:
        _state.untold.clear()
    for key, done in list(_state.done.items()):
        while done.moments and done.moments[0] <= now - done.seconds:
            done.moments.popleft()
        if not done.moments:
            del _state.done[key]
