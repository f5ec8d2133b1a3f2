"""Sleep slots: how many minds work in their sleep at once, as a whole village falls asleep together.

What is kept here is only who is at it; a reload drops it together with the work.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any, Callable

from twisted.internet.defer import Deferred, maybeDeferred

from evennia_ai import conf, scheduling
from evennia_ai.core import volatile


@dataclass
class _State:
    working: set[int] = field(default_factory=set)
    # (script id, work, what fires with its outcome), in the order of asking
    waiting: deque[tuple[int, Callable[[], Any], Deferred[Any]]] = field(default_factory=deque)


_state = volatile.keep(_State)


def work(script_id: int, job: Callable[[], Any]) -> Deferred[Any]:
    """Run one tick of a mind's sleep as soon as there is a place; return a Deferred of its outcome.

    SLEEP_CONCURRENCY says how many places there are, SLEEP_TICK_TIMEOUT how long one may be kept.
    """
    outcome: Deferred[Any] = Deferred()
    _state.waiting.append((script_id, job, outcome))
    _begin_waiting()
    return outcome


def is_working(script_id: int) -> bool:
    """Return whether a tick of this mind's sleep is under way just now."""
    return script_id in _state.working


def _begin_waiting() -> None:
    while _state.waiting and len(_state.working) < conf.get("SLEEP_CONCURRENCY"):
        script_id, job, outcome = _state.waiting.popleft()
        _state.working.add(script_id)
        # Each in a slice of its own: what it does at once, before it waits for anything, is not little.
        scheduling.call_soon(_begin, script_id, job, outcome)


def _begin(script_id: int, job: Callable[[], Any], outcome: Deferred[Any]) -> None:
    done = maybeDeferred(job)
    done.addTimeout(conf.get("SLEEP_TICK_TIMEOUT"), scheduling.clock())
    done.addBoth(_leave, script_id)
    done.chainDeferred(outcome)


def _leave(result: Any, script_id: int) -> Any:
    _state.working.discard(script_id)
    _begin_waiting()
    return result
