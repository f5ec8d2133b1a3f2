"""The port to whoever does a job: JOBS says which of three.

An executor is an object with `run(work, seconds=…)` → Deferred of the answer as text (see `payload`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from twisted.internet.defer import Deferred

from evennia_ai import conf
from evennia_ai.core import volatile
from evennia_ai.workers.payload import Work

THREAD = "thread"
# What JOBS["BACKEND"] may be, and where it is; in the thread it is not carried anywhere.
BACKENDS = {
    THREAD: "",
    "inline": "evennia_ai.workers.inline.InlineExecutor",
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


@dataclass
class _State:
    executor: Executor | None = None
    # A worker carries nothing on.
    is_worker: bool = False

    def end(self) -> None:
        """Let go of what is open."""
        if self.executor is not None:
            self.executor.stop()


_state = volatile.keep(_State, from_settings=True)


def executor_for(job: str) -> Executor | None:
    """Return who does a job, or None: it is done here."""
    chosen = conf.get("JOBS")
    if chosen["BACKEND"] == THREAD or _state.is_worker or job in chosen["KEEP"]:
        return None
    if _state.executor is None:
        _state.executor = conf.load(BACKENDS[chosen["BACKEND"]])()
    return _state.executor


def be_worker() -> None:
    """Let this process do all work itself from now on."""
    _state.is_worker = True


def stop() -> None:
    """Let go of what is open; for the end of the server."""
    volatile.forget(_state)


def chosen() -> Any:
    """Return the name of the backend of the settings."""
    return conf.get("JOBS")["BACKEND"]
