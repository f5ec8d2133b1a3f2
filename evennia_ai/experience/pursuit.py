"""Pursuit of goals: reached or given up, they become experience."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import Any

from evennia.utils import logger
from twisted.internet.defer import Deferred, inlineCallbacks

from evennia_ai.core.records import Goal, Source
from evennia_ai.domain.choices import goal_rules as rules
from evennia_ai.experience.base import experience_of
from evennia_ai.memory.state import kept_goals
from evennia_ai.semantic.memory_thread import MemoryUnavailable


@inlineCallbacks
def update_goal(
    script: Any,
    npc: Any,
    goal_id: int,
    *,
    progress: float | None = None,
    milestone: str = "",
    status: str | None = None,
    sources: Iterable[Source] = (),
) -> Generator[Deferred[Any], Any, Goal | None]:
    """Note how a goal goes; fire with it, or with None if there is none such that is still open.

    `progress` is 0 to 100, `milestone` what has been reached, a `status` of "done" or "abandoned" ends it: how it went is kept as a
    trajectory of experience. It is for those alone from then on who may know its new `sources`, and is forgotten with each of them.
    """
    name = npc.key
    goal = kept_goals.update_goal(
        script,
        goal_id,
        progress=progress,
        milestone=milestone,
        status=status,
        sources=sources,
    )
    if goal is None or goal.status == rules.OPEN:
        return goal
    try:
        yield experience_of(script, npc).store_trajectory(
            goal.title,
            rules.route(goal),
            rules.worth(goal),
            {"milestones_hit": goal.milestones, "steps": goal.steps},
            audience=goal.audience,
            sources=goal.sources,
        )
    except MemoryUnavailable as error:
        logger.log_warn(f"evennia_ai: {name} could not keep how a goal went: {error}")
    return goal
