"""Scheduling on the reactor: how much of our work one pass may do, so that the game always gets its turn.

Whatever may come in crowds (events, ticks, starts of turns, answers of models) goes through `call_soon`. What is done
once at a time is begun and ended here, too.
"""

from __future__ import annotations

import _thread
import threading
import time
from collections import deque
from collections.abc import Generator, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, Callable

from twisted.internet.defer import Deferred, inlineCallbacks
from twisted.internet.task import deferLater
from twisted.python import threadable

from evennia_ai.core import volatile

# Milliseconds of work that is done in one go before the game gets its turn.
SLICE_MS = 5
# What nobody waits for works so long, and then lets the game alone for so long.
STEPS_SECONDS, PAUSE_SECONDS = 0.001, 0.004
# Share of the longest call that still counts after one more.
FADING = 0.9


_Call = tuple[Callable[..., Any], tuple[Any, ...]]


@dataclass
class _State:
    queue: deque[_Call] = field(default_factory=deque)
    # What goes on with something that has begun, before `queue`.
    begun: deque[_Call] = field(default_factory=deque)
    clock: Any = None
    # The call of the next slice.
    due: Any = None
    is_working: bool = False
    # Seconds that a call of late has taken at most; what is long ago counts less with each call.
    longest: float = 0.0


_state = _State()


@dataclass
class _UnderWay:
    work: set[tuple[object, ...]] = field(default_factory=set)


_under_way = volatile.keep(_UnderWay)


def begin(*work: object) -> bool:
    """Note that some work is under way, until it is ended; False if it is already, and is not to begin again."""
    if work in _under_way.work:
        return False
    _under_way.work.add(work)
    return True


def end(*work: object) -> None:
    """Note that some work is over."""
    _under_way.work.discard(work)


def is_under_way(*work: object) -> bool:
    """Return whether some work has begun and is not over."""
    return work in _under_way.work


def clock() -> Any:
    """Return what tells and keeps time: the reactor, or the clock of a test."""
    if _state.clock is None:
        from twisted.internet import reactor

        return reactor
    return _state.clock


def now() -> datetime:
    """Return the time of day, aware, in UTC, by the clock."""
    return datetime.fromtimestamp(clock().seconds(), tz=timezone.utc)


def set_clock(new_clock: Any) -> None:
    """Use another clock (None: the reactor) and forget what was waiting."""
    _state.clock, _state.due, _state.longest = new_clock, None, 0.0
    _state.queue.clear()
    _state.begun.clear()


def start_thread(
    target: Callable[..., object], *args: object, name: str | None = None
) -> threading.Event:
    """Start a daemon thread, and do not wait until it runs; return what is set when it has ended."""
    ended = threading.Event()

    def run() -> None:
        try:
            target(*args)
        finally:
            ended.set()

    thread = threading.Thread(target=run, name=name, daemon=True)
    # `start` waits until it runs, for up to 20 ms where others compute: in a thread that nobody waits for.
    _thread.start_new_thread(thread.start, ())
    return ended


def is_game_thread() -> bool:
    """True on the reactor's thread, and in a process without a running reactor; False as a page is made."""
    return threadable.ioThread in (None, threadable.getThreadID())


def call_soon(function: Callable[..., Any], *args: Any) -> None:
    """Call `function` in one of the next passes of the reactor, in order of asking.

    Must be called on the reactor thread; another thread hands it over by `callFromThread`.
    """
    _state.queue.append((function, args))
    _schedule()


def go_on_soon(function: Callable[..., Any], *args: Any) -> None:
    """Call `function` as `call_soon` does, before all that has not begun yet.

    So of two hundred who are spoken to at once the first is done when it can be, and not when all are.
    """
    _state.begun.append((function, args))
    _schedule()


def yield_to_reactor(*, first: bool = False) -> Deferred[None]:
    """Return a Deferred that fires in one of the next slices, for what would take too long in one.

    With `first` it does so before all that has not begun yet: only for what ends soon.
    """
    taken: Deferred[None] = Deferred()
    (go_on_soon if first else call_soon)(_let_go_on, taken)
    return taken


@inlineCallbacks
def step_by_step(steps: Iterable[Any]) -> Generator[Deferred[None], None, None]:
    """Go through `steps` that nobody waits for, a few at a time, with pauses in which the game is let alone.

    The Deferred fires when all are done, and fails as one does.
    """
    begun = time.perf_counter()
    for _ in steps:
        if time.perf_counter() - begun >= STEPS_SECONDS:
            yield deferLater(clock(), PAUSE_SECONDS)
            yield yield_to_reactor()
            begun = time.perf_counter()


def drain() -> None:
    """Do all that waits at once: the server is about to stop.

    An error surfaces when the rest is done; of several, the last.
    """
    try:
        while waiting():
            function, args = _next()
            function(*args)
    finally:
        if waiting():
            drain()


def waiting() -> int:
    """Return how many calls wait for their slice."""
    return len(_state.begun) + len(_state.queue)


def _next() -> _Call:
    return (_state.begun or _state.queue).popleft()


def _let_go_on(taken: Deferred[None]) -> None:
    if not taken.called:
        taken.callback(None)


def _schedule() -> None:
    # The next slice is due when this one ends: what of the game came due meanwhile is before it.
    if _state.is_working:
        return
    # Whoever clears all that a reactor has still to call must not silence us for good.
    if _state.due is None or not _state.due.active():
        _state.due = clock().callLater(0, _run_slice)


def _run_slice() -> None:
    """Work for at most SLICE_MS; an error surfaces, and what stands behind it still runs.

    The next call is taken to last as long as the longest of late: a long one that begins late in a
    slice would hold the game for both.
    """
    ended = time.perf_counter()
    stop_at = ended + SLICE_MS / 1000
    _state.is_working = True
    try:
        while waiting():
            begun = ended
            function, args = _next()
            function(*args)
            ended = time.perf_counter()
            _state.longest = max(ended - begun, _state.longest * FADING)
            if ended + _state.longest >= stop_at:
                return
    finally:
        _state.is_working = False
        if waiting():
            _schedule()
