"""Control of garbage collection: it runs while no assistant is at work.

Such a full collection holds the game for 20 to 100 ms, and left to itself it comes when most is made:
in the midst of a crowd that talks. The small collections, which take a millisecond, stay as they are.
"""

from __future__ import annotations

import gc
from dataclasses import dataclass
from typing import Any

from evennia_ai import scheduling
from evennia_ai.core import volatile

# Seconds between two looks whether one is due.
LOOK_SECONDS = 1.0
# Collections of the middle generation (each of 7,000 objects more than were let go) after which a full
# one is made as soon as nobody waits for us, and after which it is made anyhow.
WHEN_IDLE, AT_LATEST = 40, 400
# Seconds of work between two looks that are no crowd: a few ticks, and nobody talks.
IDLE_WORK = 0.05


@dataclass
class _State:
    looking: Any = None
    # How much had been worked at the last look.
    worked: float = 0.0
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
    # What is loaded stays for good: each full collection would walk over all of it.
    gc.collect()
    gc.freeze()
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
        gc.collect()
    _look_again()
