"""Control of garbage collection: it runs while nobody waits for us, and over little.

A full collection of a town holds the game for 20 to 100 ms, and left to itself it comes when most is made: in the
midst of a crowd that talks. So what was made is looked through soon, and what is left of it is exempt from then on. All
is looked through where much has come to that. The small collections, which take a millisecond, stay as they are.
"""

from __future__ import annotations

import gc
import sys
from dataclasses import dataclass
from typing import Any

import evennia

from evennia_ai import scheduling
from evennia_ai.core import volatile

# Seconds between two looks whether one is due.
LOOK_SECONDS = 0.25
# Collections of the middle generation (each of 7,000 objects more than were let go) after which what is not
# exempt is looked through as soon as nobody waits for us, and after which it is anyhow.
WHEN_IDLE, AT_LATEST = 1, 400
# To how many times as much what is in memory has to grow for all to be looked through: while nobody is connected, and
# anyhow. Python knows how many blocks are in use; to count what is exempt takes as long as to look it through.
WHEN_EMPTY, AT_MOST = 2, 4


@dataclass
class _State:
    looking: Any = None
    # Blocks of memory that were in use when all were looked through last.
    blocks_then: int = 0
    # What decided before we did.
    thresholds: tuple[int, int, int] | None = None

    def end(self) -> None:
        """Leave it to Python again, as a test must that took it over."""
        if self.looking is not None and self.looking.active():
            self.looking.cancel()
        if self.thresholds is not None:
            gc.set_threshold(*self.thresholds)


_state = volatile.keep(_State)


def hold_back() -> None:
    """Exempt what is loaded by now, and let Python make no full collection of its own any more."""
    if _state.thresholds is None:
        _state.thresholds = gc.get_threshold()
        gc.set_threshold(*_state.thresholds[:2], 2 * AT_LATEST)
    # Each full collection would walk over all of it, and so would one now.
    gc.freeze()


def take_over() -> None:
    """Exempt what was loaded since, too, and choose the moment of each full collection from here on."""
    hold_back()
    _state.blocks_then = sys.getallocatedblocks()
    if _state.looking is None:
        _look_again()


def _look_again() -> None:
    _state.looking = scheduling.clock().callLater(LOOK_SECONDS, _look)


def _look() -> None:
    made = gc.get_count()[2]
    if made >= AT_LATEST or (made >= WHEN_IDLE and not scheduling.waiting()):
        _collect()
    _look_again()


def _collect() -> None:
    is_empty = not evennia.SESSION_HANDLER
    limit = _state.blocks_then * (WHEN_EMPTY if is_empty else AT_MOST)
    is_whole = sys.getallocatedblocks() >= limit
    if is_whole:
        gc.unfreeze()
    gc.collect()
    gc.freeze()
    if is_whole:
        _state.blocks_then = sys.getallocatedblocks()
