"""The worker of semantic memory: one daemon thread beside the reactor, its results as Deferreds.

One thread and not a pool: several that use numpy and SQLite at once keep the reactor from running.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from twisted.internet import defer
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from evennia_ai import scheduling
from evennia_ai.exceptions import AssistantError

# Seconds that a turn waits for long-term memory; right after a start it may still be loading.
RECALL_SECONDS = 1.0
# Jobs that may wait. Who fills this asks for more than a server can do; what comes then is refused.
QUEUE_LIMIT = 2000
# Seconds that `stop` lets the thread finish what waits; the rest dies with the process.
GRACE = 2.0


class MemoryUnavailable(AssistantError):
    """Semantic memory cannot be used now: it is busy, switched off, or its file is broken."""


class MemoryBroken(MemoryUnavailable):
    """Semantic memory could not be built; staff were told of it as it was first tried."""


def warn(text: str, error: Exception) -> None:
    """Tell staff what an error of long-term memory prevented, unless they know that there is none."""
    # Imported late, here and in `stored`: a script may use a store without Evennia's settings.
    from evennia.utils import logger

    if not isinstance(error, MemoryBroken):
        logger.log_warn(f"evennia_ai: {text}: {error}")


class Runner(Protocol):
    """Runs functions and gives Deferreds that fire on the reactor thread."""

    def run(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Deferred[Any]:
        """Call the function off the reactor."""

    def stop(self) -> None:
        """Finish what waits, and take nothing more."""


class Worker:
    """The runner of a game: a queue and one daemon thread, which starts with the first job."""

    def __init__(self, *, limit: int = QUEUE_LIMIT) -> None:
        self._jobs: queue.Queue[Any] = queue.Queue(limit)
        self._ended: threading.Event | None = None

    def run(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Deferred[Any]:
        """See `Runner.run`; fails with MemoryUnavailable if too much waits already."""
        result: Deferred[Any] = Deferred(lambda _: None)
        try:
            self._jobs.put_nowait((result, function, args, kwargs))
        except queue.Full:
            busy = f"semantic memory is busy: {self._jobs.maxsize} jobs wait."
            return defer.fail(MemoryUnavailable(busy))
        if self._ended is None:
            self._ended = scheduling.start_thread(self._work, self._jobs, name="evennia_ai memory")
        return result

    def stop(self) -> None:
        """Finish what waits, for at most GRACE seconds; the next job starts another thread."""
        ended, self._ended = self._ended, None
        jobs, self._jobs = self._jobs, queue.Queue(self._jobs.maxsize)
        if ended is None:
            return
        try:
            jobs.put_nowait(None)
        except queue.Full:
            return
        ended.wait(GRACE)

    def _work(self, jobs: queue.Queue[Any]) -> None:
        # Imported late: whoever imports the reactor first decides which one it is.
        from twisted.internet import reactor

        while (job := jobs.get()) is not None:
            result, function, args, kwargs = job
            if not result.called:
                outcome = _outcome(function, args, kwargs)
                reactor.callFromThread(scheduling.go_on_soon, _fire, result, outcome)


class InlineWorker:
    """The runner of tests: works there and then, so that the Deferred has fired already."""

    def run(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Deferred[Any]:
        """See `Runner.run`."""
        return defer.execute(function, *args, **kwargs)

    def stop(self) -> None:
        """There is nothing to stop."""


@dataclass
class _State:
    runner: Runner | None = None


_state = _State()


def get_worker() -> Runner:
    if _state.runner is None:
        _state.runner = Worker()
    return _state.runner


def set_worker(runner: Runner | None) -> None:
    """Use another runner (None: a new thread at the next use)."""
    _state.runner = runner


def stop() -> None:
    """Finish what waits; for the end of the server."""
    if _state.runner is not None:
        _state.runner.stop()


def beside_the_reactor(owner: type, name: str) -> Callable[..., Deferred[Any]]:
    """Return a method that takes what `owner` takes by that name, and fires with its result, by `_run` of its own class."""

    def method(self: Any, *args: Any, **kwargs: Any) -> Deferred[Any]:
        ran: Deferred[Any] = self._run(name, *args, **kwargs)
        return ran

    method.__name__ = name
    method.__doc__ = getattr(owner, name).__doc__
    return method


def _outcome(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Return what the function returns, or its Failure."""
    outcomes: list[Any] = []
    defer.execute(function, *args, **kwargs).addBoth(outcomes.append)
    return outcomes[0]


def _fire(result: Deferred[Any], outcome: Any) -> None:
    if result.called:
        # Cancelled meanwhile.
        return
    if isinstance(outcome, Failure):
        result.errback(outcome)
    else:
        result.callback(outcome)
