"""The thread of the asyncio loop: network calls off the reactor, with a deadline, as Deferreds.

One daemon thread holds one asyncio loop. Nothing in it may touch the database: Django refuses
(SynchronousOnlyOperation), which is the guard that we want. A thread that is not a daemon and busy
when somebody types `reload` would leave the game down, so there is none.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from twisted.internet import defer
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from evennia_ai import scheduling
from evennia_ai.exceptions import LLMTimeout

# Seconds that `stop` waits for coroutines to unwind; what is busy longer dies with the process.
GRACE = 0.2


class LoopThread:
    """The runner of a game: one daemon thread with one asyncio loop, started by the first use."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ended: threading.Event | None = None

    def run(
        self,
        make_coroutine: Callable[[], Coroutine[Any, Any, Any]],
        *,
        timeout: float,
        what: str = "The model",
    ) -> Deferred[Any]:
        """Run what `make_coroutine` returns for at most `timeout` seconds.

        The Deferred fires in a slice of the reactor's time; with LLMTimeout at the deadline, which
        names `what` was waited for. Cancelling it cancels the coroutine.
        """
        # Imported late: whoever imports the reactor first decides which one it is.
        from twisted.internet import reactor

        bound = bounded(make_coroutine, timeout=timeout, what=what)
        future = asyncio.run_coroutine_threadsafe(bound, self._started())
        result: Deferred[Any] = Deferred(lambda _: future.cancel())
        future.add_done_callback(
            lambda done: reactor.callFromThread(scheduling.call_soon, _fire, result, done)
        )
        return result

    def stop(self) -> None:
        """Cancel all coroutines and end the thread; the next use starts another one."""
        loop, ended = self._loop, self._ended
        self._loop = self._ended = None
        if loop is None or ended is None:
            return
        asyncio.run_coroutine_threadsafe(_wind_up(), loop)
        ended.wait(GRACE)

    def _started(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = asyncio.SelectorEventLoop()
            self._loop.set_default_executor(DaemonThreads())
            self._ended = scheduling.start_thread(_run_loop, self._loop, name="evennia_ai")
        return self._loop


class InlineRunner:
    """The runner of tests: runs the coroutine to its end, there and then.

    Its loop is closed again before the Deferred fires, so callbacks may use the database while the
    coroutine, as in a game, may not.
    """

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None

    def run(
        self,
        make_coroutine: Callable[[], Coroutine[Any, Any, Any]],
        *,
        timeout: float,
        what: str = "The model",
    ) -> Deferred[Any]:
        """See `LoopThread.run`; the Deferred has fired already."""
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
        task = self._loop.create_task(bounded(make_coroutine, timeout=timeout, what=what))
        self._loop.run_until_complete(asyncio.wait([task]))
        result: Deferred[Any] = Deferred()
        _fire(result, task)
        return result

    def stop(self) -> None:
        """Close the loop; the next use makes another one."""
        if self._loop is not None:
            self._loop.close()
            self._loop = None


class DaemonThreads(ThreadPoolExecutor):
    """Runs each job in a daemon thread of its own.

    asyncio looks up host names in its executor. The threads of the usual one are waited for at
    exit, and a name server that hangs would keep the old process alive while the new one starts.
    """

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Start the job now."""
        future: Future[Any] = Future()
        scheduling.start_thread(_work, future, function, args, kwargs)
        return future


@dataclass
class _State:
    runner: LoopThread | InlineRunner | None = None


_state = _State()


def get_runner() -> LoopThread | InlineRunner:
    if _state.runner is None:
        _state.runner = LoopThread()
    return _state.runner


def set_runner(runner: LoopThread | InlineRunner | None) -> None:
    """Use another runner (None: a new loop thread at the next use)."""
    _state.runner = runner


def stop() -> None:
    """Cancel everything that runs; for the end of the server."""
    if _state.runner is not None:
        _state.runner.stop()


async def bounded(
    make_coroutine: Callable[[], Awaitable[Any]], *, timeout: float, what: str
) -> Any:
    """Await the coroutine under the one deadline that also holds when bytes trickle in."""
    try:
        async with asyncio.timeout(timeout) as deadline:
            return await make_coroutine()
    except TimeoutError:
        if not deadline.expired():
            raise
        raise LLMTimeout(f"{what} did not answer within {timeout:g} seconds") from None


def _fire(result: Deferred[Any], done: Future[Any] | asyncio.Future[Any]) -> None:
    if result.called:
        # Cancelled meanwhile.
        return
    if done.cancelled():
        result.errback(defer.CancelledError())
    elif (error := done.exception()) is not None:
        result.errback(Failure(error))
    else:
        result.callback(done.result())


def _run_loop(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    loop.run_forever()
    loop.close()


async def _wind_up() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    # One more pass, in which what has just ended is told to whoever waits for it.
    await asyncio.sleep(0)
    asyncio.get_running_loop().stop()


def _work(
    future: Future[Any], function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    if future.set_running_or_notify_cancel():
        outcome = defer.execute(function, *args, **kwargs)
        outcome.addCallbacks(future.set_result, lambda failure: future.set_exception(failure.value))
