"""How much of our work one pass of the reactor may do, so that the game always gets its turn.

Whatever may come in crowds (events, ticks, starts of turns, answers of models) goes through `soon`.
"""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Generator, Iterable
from datetime import datetime, timezone
from typing import Any, Callable

from twisted.internet.defer import Deferred, inlineCallbacks

from evennia_ai import conf

# How long the reactor waits for a thread of ours when both are busy. Python's default of 5 ms would be
# paid for nearly each query and each write to a socket, where the reactor lets go for an instant.
SWITCH_SECONDS = 0.0005
# Share of the longest call that still counts after one more.
FADING = 0.9

_queue: deque[tuple[Callable[..., Any], tuple[Any, ...]]] = deque()
_clock: Any = None
_scheduled = False
# Seconds that a call of late has taken at most; what is long ago counts less with each call.
_longest = 0.0
# Seconds of work since the start.
_worked = 0.0


def clock() -> Any:
    """Return what tells and keeps time: the reactor, or the clock of a test."""
    if _clock is None:
        from twisted.internet import reactor

        return reactor
    return _clock


def now() -> datetime:
    """Return the time of day, aware, in UTC, by the clock."""
    return datetime.fromtimestamp(clock().seconds(), tz=timezone.utc)


def set_clock(new_clock: Any) -> None:
    """Use another clock (None: the reactor) and forget what was waiting."""
    global _clock, _scheduled, _longest
    _clock, _scheduled, _longest = new_clock, False, 0.0
    _queue.clear()


def share_processor() -> None:
    """Let the reactor take its turn sooner; for whoever starts a thread beside it."""
    sys.setswitchinterval(SWITCH_SECONDS)


def call_soon(function: Callable[..., Any], *args: Any) -> None:
    """Call `function` in one of the next passes of the reactor, in order of asking.

    Must be called on the reactor thread; another thread hands it over by `callFromThread`.
    """
    _queue.append((function, args))
    _schedule()


def yield_to_reactor() -> Deferred[None]:
    """Return a Deferred that fires in one of the next slices, for what would take too long in one."""
    taken: Deferred[None] = Deferred()
    call_soon(_let_go_on, taken)
    return taken


@inlineCallbacks
def step_by_step(steps: Iterable[Any]) -> Generator[Deferred[None], None, None]:
    """Go through `steps`, one a slice; the Deferred fires when all are done, and fails as one does."""
    for _ in steps:
        yield yield_to_reactor()


def drain() -> None:
    """Do all that waits at once: the server is about to stop.

    An error surfaces when the rest is done; of several, the last.
    """
    try:
        while _queue:
            function, args = _queue.popleft()
            function(*args)
    finally:
        if _queue:
            drain()


def waiting() -> int:
    """Return how many calls wait for their slice."""
    return len(_queue)


def worked() -> float:
    """Return how many seconds of work there have been since the server started."""
    return _worked


def _let_go_on(taken: Deferred[None]) -> None:
    if not taken.called:
        taken.callback(None)


def _schedule() -> None:
    global _scheduled
    if not _scheduled:
        _scheduled = True
        clock().callLater(0, _run_slice)


def _run_slice() -> None:
    """Work for at most SLICE_MS; an error surfaces, and what stands behind it still runs.

    The next call is taken to last as long as the longest of late: a long one that begins late in a
    slice would hold the game for both.
    """
    global _scheduled, _longest, _worked
    _scheduled = False
    started = ended = time.perf_counter()
    stop_at = ended + conf.get("SLICE_MS") / 1000
    try:
        while _queue:
            begun = ended
            function, args = _queue.popleft()
            function(*args)
            ended = time.perf_counter()
            _longest = max(ended - begun, _longest * FADING)
            if ended + _longest >= stop_at:
                return
    finally:
        _worked += ended - started
        if _queue:
            _schedule()
