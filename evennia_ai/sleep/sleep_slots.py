"""Sleep slots: how many minds work in their sleep at once, as a whole village falls asleep together.

What is kept here is only who is at it; a reload drops it together with the work.
"""

from __future__ import annotations

from typing import Any, Callable

from twisted.internet.defer import Deferred, DeferredSemaphore

from evennia_ai import conf, scheduling
from evennia_ai.core import volatile

# Seconds for what one sleeping assistant does in one tick, which takes some answers of a slow model.
TICK_SECONDS = 600
# What is under way, with the id of its script, while a mind has a slot.
WORK = "tick of sleep"


@volatile.once_from_settings
def _slots() -> DeferredSemaphore:
    return DeferredSemaphore(max(1, conf.get("SLEEP_CONCURRENCY")))


def work(script_id: int, job: Callable[[], Any]) -> Deferred[Any]:
    """Run one tick of a mind's sleep as soon as there is a slot; return a Deferred of its outcome.

    SLEEP_CONCURRENCY says how many slots there are, TICK_SECONDS how long one may be kept.
    """
    return _slots().run(_begin, script_id, job)


def is_working(script_id: int) -> bool:
    """Return whether a tick of this mind's sleep is under way just now."""
    return scheduling.is_under_way(WORK, script_id)


def _begin(script_id: int, job: Callable[[], Any]) -> Deferred[Any]:
    scheduling.begin(WORK, script_id)
    # Each in a slice of its own: what it does at once, before it waits for anything, is not little.
    done = scheduling.yield_to_reactor().addCallback(lambda _: job())
    done.addTimeout(TICK_SECONDS, scheduling.clock())
    return done.addBoth(_leave, script_id)


def _leave(result: Any, script_id: int) -> Any:
    scheduling.end(WORK, script_id)
    return result
