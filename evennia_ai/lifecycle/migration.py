"""Moving what version 0.1 kept to where it is kept now, while the game goes on."""

from __future__ import annotations

from evennia.utils import logger
from twisted.internet.defer import inlineCallbacks

from evennia_ai import scheduling
from evennia_ai.memory.storage import first_version_migration


@inlineCallbacks
def run():
    """Move all that is left, in slices; return how many Attributes that was.

    It can be run again, after a crash as well: what was moved is not moved twice.
    """
    moved = 0
    for count in first_version_migration.steps():
        moved += count
        yield scheduling.yield_to_reactor()
    if moved:
        logger.log_info(f"evennia_ai: {said(moved)}")
    return moved


def run_at_once() -> int:
    """Move all that is left, without a reactor; return how many Attributes that was."""
    return sum(first_version_migration.steps())


def said(moved: int) -> str:
    """Return what was done, as a sentence."""
    if not moved:
        return "Nothing of version 0.1 was left."
    return f"{moved} Attributes of version 0.1 were moved to where minds are kept now."
