"""Goals of an assistant, kept on its script."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from evennia.typeclasses.models import TypedObject
from msgspec import structs

from evennia_ai import scheduling
from evennia_ai.core.records import GAME, Audience, Goal, Source, Step, format_time, united
from evennia_ai.domain import audience as audiences
from evennia_ai.domain.choices import goal_rules as rules
from evennia_ai.memory import kinds, repository

# Goals that one assistant keeps; of those that are over the oldest are let go.
GOAL_LIMIT = 50
# What one goal has reached so far.
MILESTONE_LIMIT = 20


def goals(script: TypedObject) -> list[Goal]:
    """Return all goals, oldest first."""
    return repository.load(script, kinds.GOALS) or []


def open_goals(script: TypedObject) -> list[Goal]:
    """Return the goals that are neither reached nor given up."""
    return [goal for goal in goals(script) if goal.status == rules.OPEN]


def progress(script: TypedObject) -> float:
    """Return how far the open goals have come, 0 to 100."""
    return rules.overall(goals(script))


def add_goal(
    script: TypedObject,
    title: str,
    *,
    parent_id: int | None = None,
    audience: Audience = audiences.PUBLIC,
    plan: Sequence[Step] = (),
    said_by: str = "",
    about: Sequence[str] = (),
    sources: Iterable[Source] = (),
) -> Goal:
    """Set a goal and return it; with a `plan` its steps are gone by themselves, before all who may know it.

    Without `sources` it is the game's own, for those of the `audience`.

    Raises:
        ValueError: There is no such parent, it lies too deep, or there are too many.
    """
    with repository.edit(script, kinds.GOALS, default=list) as kept:
        known = {goal.id: goal for goal in kept}
        if parent_id is not None and parent_id not in known:
            raise ValueError(f"There is no goal {parent_id}.")
        if rules.depth_of(known, parent_id) >= rules.DEPTH:
            raise ValueError(f"Goals lie at most {rules.DEPTH} deep in one another.")
        _make_room(kept)
        goal = Goal(
            id=max([0, *known]) + 1,
            title=title,
            parent_id=parent_id,
            status=rules.OPEN,
            progress=0.0,
            milestones=[],
            steps=0,
            audience=audience,
            created=format_time(scheduling.now()),
            plan=list(plan),
            said_by=said_by,
            about=list(about),
            sources=united(sources) or [Source(GAME, said_by, audience)],
        )
        goal = structs.replace(goal, plan_audience=goal.audience if plan else [])
        kept.append(goal)
    return goal


def planned(script: TypedObject) -> list[Goal]:
    """Return the open goals with steps, oldest first."""
    return [goal for goal in open_goals(script) if goal.plan]


def set_plan(
    script: TypedObject,
    goal_id: int,
    plan: Sequence[Step],
    *,
    sources: Iterable[Source],
) -> None:
    """Give an open goal the steps by which it is reached; whom they name it is about.

    They are gone before those alone who may know the goal and its new `sources`, and it is for them from then on.
    """

    def planned_out(goal: Goal) -> Goal:
        about = sorted({*goal.about, *(step.person for step in plan)} - {""})
        goal = _drawn_from(goal, sources)
        return structs.replace(goal, plan=list(plan), plan_audience=goal.audience, about=about)

    _change(script, goal_id, planned_out)


def keep_plan(
    script: TypedObject,
    goal_id: int,
    plan: Sequence[Step],
    *,
    milestone: str = "",
    is_done: bool = False,
) -> Goal | None:
    """Note which steps of an open goal are left, what has been reached, and if a step is done; None if there is none such."""

    def gone_on(goal: Goal) -> Goal:
        done = goal.steps + is_done
        reached = round(rules.FULL * done / (done + len(plan)), 2) if is_done else goal.progress
        milestones = _with_milestone(goal, milestone)
        return structs.replace(
            goal, plan=list(plan), steps=done, progress=reached, milestones=milestones
        )

    return _change(script, goal_id, gone_on)


def update_goal(
    script: TypedObject,
    goal_id: int,
    *,
    progress: float | None = None,
    milestone: str = "",
    status: str | None = None,
    sources: Iterable[Source] = (),
) -> Goal | None:
    """Note how a goal goes; return it, or None if there is none such that is still open.

    Who may know it are from then on only those who may also know its new `sources`.
    """

    def gone_on(goal: Goal) -> Goal:
        reached = goal.progress if progress is None else min(rules.FULL, max(0.0, progress))
        return structs.replace(
            _drawn_from(goal, sources),
            steps=goal.steps + 1,
            progress=float(reached),
            milestones=_with_milestone(goal, milestone),
            status=goal.status if status is None else status,
        )

    return _change(script, goal_id, gone_on)


def _change(script: TypedObject, goal_id: int, change: Callable[[Goal], Goal]) -> Goal | None:
    """Change an open goal and return it, None if there is none such; one with parts is as far as they are."""
    with repository.edit(script, kinds.GOALS, default=list) as kept:
        for place, goal in enumerate(kept):
            if goal.id == goal_id and goal.status == rules.OPEN:
                kept[place] = goal = change(goal)
                # From what those may know who may know it: a number tells, too.
                parts = rules.rolled_up(audiences.select_open_to(kept, goal.audience))
                kept[place] = goal = next(one for one in parts if one.id == goal_id)
                return goal
    return None


def _drawn_from(goal: Goal, sources: Iterable[Source]) -> Goal:
    """Return a goal into which something goes that was made of these sources, too."""
    return structs.replace(goal, sources=united(goal.sources, sources))


def _with_milestone(goal: Goal, milestone: str) -> list[str]:
    return [*goal.milestones, *filter(None, [milestone])][-MILESTONE_LIMIT:]


def _make_room(kept: list[Goal]) -> None:
    """Let go of the oldest that is over and has no parts; ValueError if none is."""
    if len(kept) < GOAL_LIMIT:
        return
    parents = {goal.parent_id for goal in kept}
    over = [goal for goal in kept if goal.status in (rules.DONE, rules.ABANDONED)]
    over = [goal for goal in over if goal.id not in parents]
    if not over:
        raise ValueError(
            f"There are {GOAL_LIMIT} goals already; bring one of them to an end first."
        )
    kept.remove(over[0])
