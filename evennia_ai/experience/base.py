"""Experience beside the reactor: the same methods, whose results are Deferreds."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from copy import deepcopy
from typing import Any

from twisted.internet.defer import Deferred, succeed

from evennia_ai import conf
from evennia_ai.core import volatile
from evennia_ai.core.decisions import Lessons
from evennia_ai.domain.choices import replay
from evennia_ai.domain.choices.experience_told import Told
from evennia_ai.experience.experience_port import ExperienceMemory
from evennia_ai.memory.state import assistant, npc_settings
from evennia_ai.semantic import memory_thread
from evennia_ai.semantic.memory_thread import MemoryUnavailable

SWITCHED_OFF = "EXPERIENCE is switched off in the settings"


def _beside_the_reactor(name: str, nothing: object) -> Callable[..., Deferred[Any]]:
    """Return the method of `ExperienceMemory` that has this name, whose result is a Deferred.

    `nothing` is what it fires with where there is no experience.
    """

    def method(self: Experience, *args: Any, **kwargs: Any) -> Deferred[Any]:
        if not is_enabled():
            return succeed(deepcopy(nothing))
        return memory_thread.get_worker().run(_call, self.scope, name, args, kwargs)

    method.__name__, method.__doc__ = name, getattr(ExperienceMemory, name).__doc__
    return method


class Experience:
    """`ExperienceMemory` of one scope; each method takes the same and fires with its result.

    They fail with MemoryUnavailable where the file is broken or too much waits. Switched off,
    nothing is kept and nothing is found.
    """

    def __init__(self, scope: str) -> None:
        self.scope = scope

    store_decision = _beside_the_reactor("store_decision", "")
    set_reward = _beside_the_reactor("set_reward", False)
    retrieve_similar = _beside_the_reactor("retrieve_similar", [])
    lessons = _beside_the_reactor("lessons", Lessons([], []))
    build_few_shot_prompt = _beside_the_reactor("build_few_shot_prompt", "")
    store_trajectory = _beside_the_reactor("store_trajectory", "")
    retrieve_similar_trajectories = _beside_the_reactor("retrieve_similar_trajectories", [])
    store_feedback = _beside_the_reactor("store_feedback", "")
    retrieve_feedback = _beside_the_reactor("retrieve_feedback", None)
    get_stats = _beside_the_reactor("get_stats", replay.stats({}))
    hydrate = _beside_the_reactor("hydrate", 0)
    told = _beside_the_reactor("told", Told([], [], [], None))
    dump = _beside_the_reactor("dump", {"decisions": [], "trajectories": [], "feedback": []})
    restore = _beside_the_reactor("restore", 0)
    remove = _beside_the_reactor("remove", 0)
    unsay = _beside_the_reactor("unsay", 0)
    clear = _beside_the_reactor("clear", 0)
    scopes = _beside_the_reactor("scopes", [])


def get_experience(scope: str = "default") -> Experience:
    """Return the experience of an assistant, or of a group that shares a scope."""
    return Experience(scope)


def is_enabled() -> bool:
    """Return whether decisions are kept at all."""
    return not why_off()


def why_off() -> str:
    """Return why no decisions are kept, "" where they are."""
    return "" if conf.get("EXPERIENCE")["ENABLED"] else SWITCHED_OFF


def reset() -> None:
    """Close and forget what was opened, so that changed settings count."""
    _memory.clear()
    _opened.clear()


def close() -> None:
    """Finish what waits and close the file; for the end of the server."""
    memory_thread.stop()
    reset()


def _call(scope: str, name: str, args: Any, kwargs: Any) -> Any:
    try:
        return getattr(_memory(scope), name)(*args, **kwargs)
    except (sqlite3.Error, OSError) as error:
        raise MemoryUnavailable(f"experience: {error}.") from error


# The one of the settings, with whose file and embedder all scopes work. Both are asked on the worker.
_opened = volatile.once_from_settings(ExperienceMemory, end=ExperienceMemory.close)
_memory = volatile.once_from_settings(
    lambda scope: _opened().scoped(scope), end=ExperienceMemory.close
)


def group_of(npc: Any) -> str:
    """Return the group that shares experience with an assistant, as its builder named it, or ""."""
    return npc_settings.experience_scope(npc)


def experience_of(script: Any, npc: Any) -> Experience:
    """Return the experience of an assistant: its own, or that of its group."""
    group = group_of(npc)
    return get_experience(f"group:{group}" if group else assistant.key_of(script))
