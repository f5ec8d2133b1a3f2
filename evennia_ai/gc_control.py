"""Control of garbage collection: it runs while no assistant is at work, and over little.

A full collection of a town holds the game for 20 to 100 ms, and left to itself it comes when most is made: in the
midst of a crowd that talks. So what was made is looked through soon, and what is left of it is exempt from then on. All
is looked through where much has come to that. The small collections, which take a millisecond, stay as they are.
"""

from __future__ import annotations

import gc
from dataclasses import dataclass
from typing import Any

import evennia

from evennia_ai import scheduling
from evennia_ai.core import volatile

# Seconds between two looks whether one is due.
LOOK_SECONDS = 1.0
# Collections of the middle generation (each of 7,000 objects more than were let go) after which what is not
# exempt is looked through as soon as nobody waits for us, and after which it is anyhow.
WHEN_IDLE, AT_LATEST = 2, 400
# To how many times as many the exempt have to grow for all to be looked through: while nobody is connected, and anyhow.
WHEN_EMPTY, AT_MOST = 2, 4
# Seconds of work between two looks that are no crowd: a few ticks, and nobody talks.
IDLE_WORK = 0.05


@dataclass
class _State:
    looking: Any = None
    # How much had been worked at the last look.
    worked: float = 0.0
    # Objects that are exempt: when all were looked through last, and now.
    exempt_then: int = 0
    exempt: int = 0
    # What decided before we did.
    thresholds: tuple[int, int, int] | None = None

    def end(self) -> None:
        """Leave it to Python again, as a test must that took it over."""
        if self.looking is not None and self.looking.active():
            self.looking.cancel()
        if self.thresholds is not None:
            gc.set_threshold(*self.thresholds)


_state = volatile.keep(_State)


def take_over() -> None:
    """Exempt what is loaded by now, and choose the moment of each full collection from here on."""
    # What is loaded stays for good: each full collection would walk over all of it, and so would one now.
    gc.freeze()
    _state.exempt_then = _state.exempt = gc.get_freeze_count()
    if _state.looking is None:
        _state.thresholds = gc.get_threshold()
        gc.set_threshold(*_state.thresholds[:2], 2 * AT_LATEST)
        _state.worked = scheduling.worked()
        _look_again()


def _look_again() -> None:
    _state.looking = scheduling.clock().callLater(LOOK_SECONDS, _look)


def _look() -> None:
    made, worked = gc.get_count()[2], scheduling.worked()
    # Many may wait for a model at this moment, and none of them for us.
    is_idle = not scheduling.waiting() and worked - _state.worked < IDLE_WORK
    _state.worked = worked
    if made >= AT_LATEST or (made >= WHEN_IDLE and is_idle):
        _collect()
    _look_again()


def _collect() -> None:
    is_empty = not evennia.SESSION_HANDLER
    is_whole = _state.exempt >= _state.exempt_then * (WHEN_EMPTY if is_empty else AT_MOST)
    if is_whole:
        gc.unfreeze()
        _state.exempt = 0
    gc.collect()
    # Counted here: to count all that are exempt takes as long as to look them through.
    _state.exempt += len(gc.get_objects(generation=2))
    if is_whole:
        _state.exempt_then = _state.exempt
    gc.freeze()
