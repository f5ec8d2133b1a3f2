"""A time of its own for dialogues that are played outside of a running game, and memory of its own.

Nothing waits there: the clock is put forward to whatever is due next, so that a night takes as long
as its work. What is kept in files and databases besides the game's own is replaced.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import SimpleNamespace
from typing import Any

from django.test import override_settings
from evennia.utils import gametime
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.python.failure import Failure

from evennia_ai import conf, scheduling
from evennia_ai.llm import loop_thread
from evennia_ai.semantic import memory_thread
from evennia_ai.testing import minds

# A Monday, at six in the evening.
START = 1_900_087_200.0
# Long-term memory that is gone with the process; what finds by meaning is the game's own.
MEMORY = "evennia_ai.semantic.mem0.Mem0Memory"
MEMORY_OPTIONS = ("embedder", "embedder_options")
UNLIMITED = {"server": None, "assistant": None, "player": None}


@contextmanager
def own_time() -> Iterator[Clock]:
    """Let time stand still but for `drive`; what takes a thread is done there and then."""
    clock = Clock()
    clock.advance(START)
    with ExitStack() as ending:
        for switch, value in (
            (scheduling.set_clock, clock),
            (memory_thread.set_worker, memory_thread.InlineWorker()),
            (loop_thread.set_runner, loop_thread.InlineRunner()),
        ):
            switch(value)
            ending.callback(switch, None)
        ending.enter_context(_game_time(clock))
        minds.forget_all()
        ending.callback(minds.forget_all)
        yield clock


@contextmanager
def _game_time(clock: Clock) -> Iterator[None]:
    """Let the time of the game's world begin at `START`, and go by the clock."""
    changed = {
        "time": SimpleNamespace(time=clock.seconds),
        "SERVER_RUNTIME": 0.0,
        "SERVER_RUNTIME_LAST_UPDATED": START,
        "_SERVER_EPOCH": START,
    }
    kept = {name: getattr(gametime, name) for name in changed}
    vars(gametime).update(changed)
    try:
        yield
    finally:
        vars(gametime).update(kept)


@contextmanager
def own_memory(folder: str, **changes: Any) -> Iterator[None]:
    """Keep nothing of the game's: long-term memory lies in a folder, and no minute is ever used up.

    `changes` are settings of EVENNIA_AI on top.
    """
    described = conf.get("SEMANTIC").get("default")
    given = (described or {}).get("OPTIONS", {})
    options = {key: given[key] for key in MEMORY_OPTIONS if key in given}
    memory = {"BACKEND": MEMORY, "OPTIONS": {**options, "path": f"{folder}/memory.db3"}}
    settings = {
        **conf.given(),
        "SEMANTIC": {"default": memory if described else None},
        "EXPERIENCE": {**conf.given().get("EXPERIENCE", {}), "PATH": ":memory:"},
        # Time stands still while somebody thinks, so that every call is made in the same minute.
        "RATE": UNLIMITED,
        # No worker has the database of the test.
        "JOBS": {"BACKEND": "thread"},
        **changes,
    }
    with override_settings(EVENNIA_AI=settings):
        yield


def drive(deferred: Deferred[Any], clock: Clock) -> Any:
    """Put the clock forward until a Deferred has fired; return its result, or raise its error."""
    results: list[Any] = []
    deferred.addBoth(results.append)
    while not results:
        due = [call.getTime() for call in clock.getDelayedCalls()]
        if not due:
            raise RuntimeError("a dialogue waits for something that will not happen any more")
        clock.advance(max(0.0, min(due) - clock.seconds()))
    if isinstance(results[0], Failure):
        results[0].raiseException()
    return results[0]
