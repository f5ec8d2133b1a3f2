"""Goals of an assistant, kept on its script."""

from __future__ import annotations

from collections.abc import Sequence

from evennia.typeclasses.models import TypedObject
from msgspec import structs

from evennia_ai import scheduling
from evennia_ai.core.records import Audience, Goal, Step, format_time
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
) -> Goal:
    """Set a goal and return it; with a `plan` its steps are gone by themselves.

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
        )
        kept.append(goal)
    return goal


def planned(script: TypedObject) -> list[Goal]:
    """Return the open goals with steps, oldest first."""
    return [goal for goal in open_goals(script) if goal.plan]


def set_plan(script: TypedObject, goal_id: int, plan: Sequence[Step]) -> None:
    """Give an open goal the steps by which it is reached; whom they name it is about."""
    with repository.edit(script, kinds.GOALS, default=list) as kept:
        place = _place(kept, goal_id)
        if place is not None and kept[place].status == rules.OPEN:
            about = sorted({*kept[place].about, *(step.person for step in plan)} - {""})
            kept[place] = structs.replace(kept[place], plan=list(plan), about=about)


def keep_plan(
    script: TypedObject,
    goal_id: int,
    plan: Sequence[Step],
    *,
    milestone: str = "",
    is_done: bool = False,
) -> Goal | None:
    """Note which steps of an open goal are left, what has been reached, and if a step is done; None if there is none such."""
    with repository.edit(script, kinds.GOALS, default=list) as kept:
        place = _place(kept, goal_id)
        if place is None or kept[place].status != rules.OPEN:
            return None
        before = kept[place]
        done = before.steps + is_done
        kept[place] = goal = structs.replace(
            before,
            plan=list(plan),
            steps=done,
            progress=(
                round(rules.FULL * done / (done + len(plan)), 2) if is_done else before.progress
            ),
            milestones=_with_milestone(before, milestone),
        )
    return goal


def update_goal(
    script: TypedObject,
    goal_id: int,
    *,
    progress: float | None = None,
    milestone: str = "",
    status: str | None = None,
    audience: Audience = audiences.PUBLIC,
) -> Goal | None:
    """Note how a goal goes; return it, or None if there is none such that is still open.

    Who may know it are from then on only those who may also know what `audience` stands for.
    """
    with repository.edit(script, kinds.GOALS, default=list) as kept:
        place = _place(kept, goal_id)
        if place is None or kept[place].status != rules.OPEN:
            return None
        before = kept[place]
        reached = before.progress if progress is None else min(rules.FULL, max(0.0, progress))
        kept[place] = goal = structs.replace(
            before,
            steps=before.steps + 1,
            audience=audiences.intersection([before.audience, audience]),
            progress=float(reached),
            milestones=_with_milestone(before, milestone),
            status=before.status if status is None else status,
        )
        # From what those may know who may know it: a number tells, too.
        parts = rules.rolled_up(audiences.select_open_to(kept, goal.audience))
        kept[place] = goal = next(one for one in parts if one.id == goal_id)
    return goal


def _place(kept: list[Goal], number: int) -> int | None:
    """Return where a goal with that number stands."""
    return next((place for place, one in enumerate(kept) if one.id == number), None)


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
