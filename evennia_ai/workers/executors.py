"""The port to the executor of a job, a thread or a queue: JOBS says which.

An executor is an object with `run(work, seconds=…)` → Deferred of the answer as text (see `payload`).
"""

from __future__ import annotations

from typing import Any, Protocol

from twisted.internet.defer import Deferred

from evennia_ai import conf
from evennia_ai.core import volatile
from evennia_ai.workers.payload import Work

THREAD = "thread"
# What JOBS["BACKEND"] may be, and where it is; in the thread it is not carried anywhere.
BACKENDS = {
    THREAD: "",
    "procrastinate": "evennia_ai.workers.queue.ProcrastinateExecutor",
}


class Executor(Protocol):
    """Does work somewhere; `is_here` where that is this process."""

    is_here: bool

    def run(self, work: Work, *, seconds: float) -> Deferred[str]:
        """Let it be done; work of the same key is done once, whoever asks for it and how often.

        `seconds` are for doing it.
        """

    def stop(self) -> None:
        """Wait for nothing more."""


def executor_for(job: str) -> Executor | None:
    """Return who does a job, or None: it is done here."""
    # The checks import this module before there are models.
    from evennia_ai.memory import lookup

    chosen = conf.get("JOBS")
    # A worker does all work itself.
    if chosen["BACKEND"] == THREAD or lookup.is_worker() or job in chosen["KEEP"]:
        return None
    return _executor()


def stop() -> None:
    """Let go of what is open; for the end of the server."""
    _executor.clear()


def _made() -> Executor:
    made: Executor = conf.load(BACKENDS[conf.get("JOBS")["BACKEND"]])()
    return made


_executor = volatile.once_from_settings(_made, end=lambda executor: executor.stop())


def chosen() -> Any:
    """Return the name of the backend of the settings."""
    return conf.get("JOBS")["BACKEND"]
