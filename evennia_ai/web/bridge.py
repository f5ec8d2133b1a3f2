"""The way from a page to the game: views run in threads, the game in one of its own.

What touches an object of the game, and all that changes something, is a function called over here. It
runs on the reactor between the slices of other work, and gives plain data back.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from twisted.internet.defer import maybeDeferred
from twisted.python import log
from twisted.python.failure import Failure

from evennia_ai import scheduling
from evennia_ai.exceptions import AssistantError

N = TypeVar("N")

# A page that waits longer for the game is given up; nor does a reload wait longer for it.
SECONDS = 3.0
# Nor does a page wait longer for others that are being made.
IN_LINE_SECONDS = 3.0
# What the database is asked for at once: little enough for a small part of a slice.
PORTION = 12
# Of a slice, for one call of a page: who may ask has to be found first, and its answer is written in the same pass.
SHARE = 0.5

# Held by the page that is being made. Of two threads that work, each waits for the other to be interrupted, and
# so does the game; of five, it may wait for five.
_making = threading.Lock()
# Whether the page of this thread holds it.
_here = threading.local()


class GameBusy(AssistantError):
    """The game had no time; nothing was done, and nothing will be."""


class StillGoing(AssistantError):
    """What was asked for has begun, and goes on while the page is shown."""


class Errand:
    """One call: it waits, has begun, or was given up; what was given up never begins."""

    def __init__(self, function: Callable[[], Any]) -> None:
        self._function = function
        self._lock = threading.Lock()
        self._done = threading.Event()
        self._begun = self._given_up = False
        self._result: Any = None

    def begin(self) -> None:
        """Do it, unless nobody waits for it any more; on the reactor."""
        with self._lock:
            if self._given_up:
                return
            self._begun = True
        maybeDeferred(self._function).addBoth(self._end)

    def wait(self, seconds: float) -> Any:
        """Return what came of it; in the thread that asked."""
        if not self._done.wait(seconds):
            with self._lock:
                # It may have ended while we took the lock.
                if not self._done.is_set():
                    self._given_up = True
                    raise (
                        StillGoing("It goes on.") if self._begun else GameBusy("Nothing was done.")
                    )
        if isinstance(self._result, Failure):
            self._result.raiseException()
        return self._result

    def _end(self, result: Any) -> None:
        with self._lock:
            self._result = result
            self._done.set()
        if self._given_up and isinstance(result, Failure):
            log.err(result, "evennia_ai: what a page asked for failed after the page was shown")


def stand_in_line() -> None:
    """Let this page wait for all that the game has to do: it is for somebody who must not slow it for others."""
    _here.first = False


@contextmanager
def making() -> Iterator[None]:
    """Make a page in the block, while no other one is made; raises GameBusy when the others take too long.

    What it asks of the game goes before what has not begun (hundreds of minds wake after a reload), unless
    it stands in line.
    """
    _here.first = True
    if not _take():
        raise GameBusy("Other pages are being made.")
    try:
        yield
    finally:
        _give()


@contextmanager
def _paused() -> Iterator[None]:
    """Let another page be made in the block, while this one waits."""
    _give()
    try:
        yield
    finally:
        # What came of it is told even if the others take too long: then beside them.
        _take()


def _take() -> bool:
    _here.makes = _making.acquire(timeout=IN_LINE_SECONDS)
    return _here.makes


def _give() -> None:
    if getattr(_here, "makes", False):
        _here.makes = False
        _making.release()


def call(function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """Call a function where the game runs; return what it, or the Deferred that it returns, comes to: plain data.

    Raises GameBusy or StillGoing when it takes too long.
    """
    # Imported late: whoever imports the reactor first decides which one it is.
    from twisted.internet import reactor

    errand = Errand(lambda: function(*args, **kwargs))
    soon = scheduling.go_on_soon if getattr(_here, "first", True) else scheduling.call_soon
    reactor.callFromThread(soon, errand.begin)
    with _paused():
        return errand.wait(SECONDS)


def each(function: Callable[..., Iterable[Any]], /, *args: Any, of: Sequence[Any]) -> Iterator[Any]:
    """Yield what a function makes of numbers or ids, its last argument, in as many calls as the game likes.

    It must work as it reads them: after half of SLICE_MS it is given no more, and called again for the others. What
    has to be fetched from the database first takes ten times as long, so that no count would do.
    """
    at = 0
    while at < len(of):
        at, found = call(_some, function, args, of, at)
        yield from found


def _some(
    function: Callable[..., Iterable[Any]], args: tuple[Any, ...], numbers: Sequence[Any], at: int
) -> tuple[int, list[Any]]:
    # Of its own time: where much else runs, less would be done in more calls.
    until = time.thread_time() + scheduling.SLICE_MS / 1000 * SHARE

    def given() -> Iterator[Any]:
        nonlocal at
        while at < len(numbers):
            at += 1
            yield numbers[at - 1]
            if time.thread_time() >= until:
                return

    found = list(function(*args, given()))
    return at, found


def portions(numbers: Iterable[N], *, size: int = PORTION) -> Iterator[list[N]]:
    """Yield some numbers at once: for a function of `each` that asks the database for several."""
    left = iter(numbers)
    while some := list(itertools.islice(left, size)):
        yield some
