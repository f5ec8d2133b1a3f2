"""Rate limits: how often something may be done in so many seconds, such as a line that nobody asked for.

It is kept in memory only.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from evennia_ai import scheduling
from evennia_ai.core import volatile

HOUR = 3600.0
# Seconds after which what is over is looked for again.
SWEEP_SECONDS = 60.0


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


def tell(key: tuple[object, ...], say: Callable[[int], None], times: int = 1) -> None:
    """Say how often something happened: at once, or where it was said within the hour, of all that follows at its end.

    So a flood is two lines in the log, and the second says how much there was.
    """
    told = _told(key)
    if take(told):
        say(times)
        return
    if key not in _state.untold:
        left = moments(told)[0] + told.seconds - scheduling.clock().seconds()
        scheduling.clock().callLater(left, _tell_rest, key, say)
    _state.untold[key] = _state.untold.get(key, 0) + times


def _tell_rest(key: tuple[object, ...], say: Callable[[int], None]) -> None:
    if times := _state.untold.pop(key, 0):
        count(_told(key))
        say(times)


def _told(key: tuple[object, ...]) -> Limit:
    return Limit(("staff told", *key))


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
    for key, done in list(_state.done.items()):
        while done.moments and done.moments[0] <= now - done.seconds:
            done.moments.popleft()
        if not done.moments:
            del _state.done[key]
