"""Tools for goals and their parts.

A goal that is reached or given up becomes a trajectory of its experience. Trajectories of goals like
it come back with `add_goal`, and in the prompt beside the goals that are open, so that
the mind that plans sees how it went before.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal

import msgspec
from evennia.utils import logger
from twisted.internet.defer import inlineCallbacks

from evennia_ai import conf, prompts_life, scheduling
from evennia_ai.core.records import Goal, Source
from evennia_ai.domain import audience as audiences
from evennia_ai.domain.choices import goal_rules as rules
from evennia_ai.domain.choices import plan_rules
from evennia_ai.domain.model_text import reply
from evennia_ai.exceptions import ToolError
from evennia_ai.experience import pursuit
from evennia_ai.experience.base import experience_of
from evennia_ai.memory import plans
from evennia_ai.memory.state import kept_goals
from evennia_ai.prompts import quote
from evennia_ai.semantic.memory_thread import RECALL_SECONDS, MemoryUnavailable
from evennia_ai.tools import world
from evennia_ai.tools.base import Tool, ToolCategory

# Characters of a title or a milestone.
TITLE_LENGTH = 120
# Earlier goals that are shown with one, and characters of the way that was taken to one of them.
SHOWN = 3
ROUTE_LENGTH = 120


class GoalTool(Tool):
    """What tools for goals share; it is none itself."""

    category = ToolCategory.SAFE_CHAIN
    # To plan is for quiet hours: three schemas are too many for each word that is spoken.
    for_talk = False


class AddGoal(GoalTool):
    """Set yourself a goal, or a part of one. You are told how like goals went before."""

    name = "add_goal"
    keeps = True

    @inlineCallbacks
    def execute(
        self,
        turn,
        title: Annotated[str, "What you want to achieve, in one short sentence."],
        parent_id: Annotated[int, "The number of the goal that it is a part of; 0 is none."] = 0,
    ):
        text = reply.printable(title, max_length=TITLE_LENGTH)
        if not text:
            raise ToolError("title must say something.")
        if parent_id:
            _find(turn, kept_goals.goals(turn.script), parent_id)
        try:
            goal = kept_goals.add_goal(
                turn.script, text, parent_id=parent_id or None, sources=turn.origins()
            )
        except ValueError as error:
            raise ToolError(str(error)) from None
        _, lines = yield before(turn, text)
        return "\n".join([f"Goal {goal.id} is set: {quote(text)}.", *lines])


class PlanGoal(GoalTool):
    """Give an open goal the steps that reach it; you go them by yourself, and with the last it is reached."""

    name = "plan_goal"
    keeps = True
    allowed_if = "it has an open goal without steps of which those who listen may know"

    def allowed(self, turn) -> bool:
        return bool(_without_steps(turn)) or conf.get("ALL_TOOLS")

    def execute(
        self,
        turn,
        goal_id: Annotated[int, "The number that stands before the goal."],
        steps: Annotated[list[str], f"In their order, each one of: {plan_rules.WRITTEN_SO}."],
    ):
        goal = _find(turn, _without_steps(turn), goal_id, what="open goal without steps")
        npc = world.body_of(turn)
        try:
            found = plans.bound(npc, plan_rules.read_steps(steps), is_own=True)
        except ValueError as error:
            raise ToolError(f"Nothing was planned: {error}") from None
        steps = plans.with_way_back(npc, found)
        kept_goals.set_plan(turn.script, goal.id, steps, sources=turn.origins())
        return f"You go by yourself to goal {goal.id}, in {len(found)} steps."


class UpdateGoal(GoalTool):
    """Note how far a goal of yours is, in percent, or what you have reached."""

    name = "update_goal"
    brief = True
    keeps = True
    for_talk = True
    allowed_if = "it has an open goal of which those who listen may know"

    def allowed(self, turn) -> bool:
        goals = [goal for goal in kept_goals.open_goals(turn.script) if not goal.plan]
        return bool(audiences.select_tellable(goals, turn.hearers)) or conf.get("ALL_TOOLS")

    @inlineCallbacks
    def execute(
        self,
        turn,
        goal_id: Annotated[int, "The number that stands before the goal."],
        progress: Annotated[float, "How far you are, in percent; -1 leaves it as it is."] = -1.0,
        milestone: Annotated[str, "What you have reached just now, in a few words."] = "",
        status: Annotated[Literal["open", "done", "abandoned"], "Whether it is over."] = "open",
    ):
        kept = _find(turn, kept_goals.goals(turn.script), goal_id)
        if kept.plan and kept.status == rules.OPEN:
            raise ToolError(f"Goal {goal_id} goes on by itself; you need not note how.")
        if progress > rules.FULL:
            raise ToolError("progress is in percent: 100 is all of it.")
        goal = yield pursuit.update_goal(
            turn.script,
            world.body_of(turn),
            goal_id,
            progress=None if progress < 0 else progress,
            milestone=reply.printable(milestone, max_length=TITLE_LENGTH),
            status=status,
            sources=turn.origins(),
        )
        if goal is None:
            raise ToolError(f"Goal {goal_id} is over already.")
        if goal.status == rules.OPEN:
            return f"Goal {goal_id} is at {goal.progress:g} %."
        return f"Goal {goal_id} is {goal.status}."


def _without_steps(turn: Any) -> list[Goal]:
    """Return the open goals without steps or parts of which those who listen may know."""
    kept = kept_goals.open_goals(turn.script)
    whole = {goal.parent_id for goal in kept}
    alone = [goal for goal in kept if not goal.plan and goal.id not in whole]
    return audiences.select_tellable(alone, turn.hearers)


def _shown(turn: Any, goals: Iterable[Goal]) -> list[Goal]:
    """Return what those who hear the answer may know of, and note that the turn draws on it."""
    shown = audiences.select_tellable(goals, turn.hearers)
    for one in shown:
        turn.include(one)
    return shown


def _find(turn: Any, goals: Iterable[Goal], number: int, *, what: str = "goal") -> Goal:
    """Return a goal; the same words for what is kept back as for what is not there."""
    found = [goal for goal in goals if goal.id == number]
    if not audiences.select_tellable(found, turn.hearers):
        raise ToolError(f"There is no {what} {number}.")
    return _shown(turn, found)[0]


@inlineCallbacks
def before(turn: Any, title: str, *, is_same: bool = False):
    """Return how goals like one went before, as far as those who listen may know, and as lines; `is_same` asks for the one of that title."""
    found = yield like(turn, title, SHOWN, hearers={*turn.hearers, turn.identity})
    if is_same:
        found = [one for one in found if one["task_id"] == title][:1]
    return found, prompts_life.goals_before(before=[as_line(one) for one in found])


@inlineCallbacks
def like(turn: Any, title: str, number: int, *, hearers: Iterable[str] | None):
    """Return trajectories of goals like one that all `hearers` may know, else what is public.

    The turn draws on them from then on.
    """
    try:
        # Figures of the world stand in no trajectory: in the query they would speak for those whose
        # other words are like "progress", before those that are about the same thing.
        found = experience_of(turn.script, world.body_of(turn)).retrieve_similar_trajectories(
            title, {}, number, hearers=hearers
        )
        found.addTimeout(RECALL_SECONDS, scheduling.clock(), onTimeoutCancel=_too_slow)
        trajectories = yield found
    except MemoryUnavailable as error:
        logger.log_warn(f"evennia_ai: {turn.name} could not look for goals like it: {error}")
        return []
    for one in trajectories:
        turn.include(one["audience"], msgspec.convert(one["sources"], list[Source]))
    return trajectories


def as_line(trajectory: dict[str, Any], *, is_quoted: bool = True) -> str:
    """Return a trajectory as a line of a result, or of a prompt."""
    summary = trajectory["summary"]
    way = reply.printable(trajectory["route_taken"], max_length=ROUTE_LENGTH)
    return prompts_life.goal_before(
        title=trajectory["task_id"],
        is_reached=trajectory["reward"] > 0,
        route=way if summary.get("milestones_hit") else "",
        steps=summary.get("steps", 0),
        is_quoted=is_quoted,
    )


def _too_slow(result: Any, seconds: float) -> Any:
    raise MemoryUnavailable(f"it did not answer within {seconds:g} seconds")
