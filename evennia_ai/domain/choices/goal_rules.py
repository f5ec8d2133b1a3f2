"""Goals of an assistant: goals that hold smaller goals, and their progress."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from msgspec import structs

from evennia_ai.core.records import Goal
from evennia_ai.domain.model_text.quotation import word

OPEN, DONE, ABANDONED = "open", "done", "abandoned"
# How deep goals may lie in one another.
DEPTH = 5
FULL = 100.0
# What giving a goal up costs at most; what had been reached of it counts against that.
GIVEN_UP = -1.0


def rolled_up(goals: Iterable[Goal]) -> list[Goal]:
    """Return the goals with their progress; that of one with parts is the average of its parts.

    Only what is given counts, so that whoever may see some of the goals learns nothing of others.
    Parts that were given up do not count.
    """
    given = list(goals)
    parts: dict[int | None, list[Goal]] = {}
    for goal in given:
        parts.setdefault(goal.parent_id, []).append(goal)

    def progress(goal: Goal, depth: int) -> float:
        counted = [part for part in parts.get(goal.id, ()) if part.status != ABANDONED]
        if goal.status == DONE:
            return FULL
        if not counted or depth > DEPTH:
            return float(goal.progress)
        return round(sum(progress(part, depth + 1) for part in counted) / len(counted), 2)

    return [structs.replace(goal, progress=progress(goal, 1)) for goal in given]


def overall(goals: Iterable[Goal]) -> float:
    """Return how far the open goals have come on average, 0 to 100; 0 without any.

    Goals within others count through them.
    """
    known = rolled_up(goals)
    ids = {goal.id for goal in known}
    top = [g for g in known if g.status == OPEN and g.parent_id not in ids]
    return round(sum(goal.progress for goal in top) / len(top), 2) if top else 0.0


def newest_open(goals: Iterable[Goal], *, limit: int) -> list[Goal]:
    waiting = [goal for goal in goals if goal.status == OPEN]
    return sorted(waiting, key=lambda goal: -goal.id)[:limit]


def depth_of(goals: Mapping[int, Goal], goal_id: int | None) -> int:
    """Return how many goals lie around what would be put into this one; 0 for None."""
    depth, seen = 0, set()
    while goal_id in goals and goal_id not in seen:
        seen.add(goal_id)
        depth += 1
        goal_id = goals[goal_id].parent_id
    return depth


def worth(goal: Goal) -> float:
    """Return the reward of a goal that is over: 1 if it was reached, -1 to 0 if it was given up."""
    if goal.status == DONE:
        return 1.0
    return round(GIVEN_UP * (1 - goal.progress / FULL), 2)


def route(goal: Goal) -> str:
    """Return the way that was taken, in words: what was reached on it, one after the other."""
    return " > ".join(goal.milestones) or "no milestones"


def described(goals: Iterable[Goal], *, shown_as: Callable[[str], str] = str) -> list[str]:
    """Return goals as lines, the parts of one under it; `shown_as` says how what was written is shown."""
    known = rolled_up(goals)
    ids = {goal.id for goal in known}
    lines: list[str] = []

    def add(goal: Goal, depth: int) -> None:
        status = f"{goal.progress:g} %" if goal.status == OPEN else word(goal.status)
        lines.append(f"{'  ' * depth}{goal.id}. {shown_as(goal.title)} ({status})")
        for part in known:
            if part.parent_id == goal.id and depth < DEPTH:
                add(part, depth + 1)

    for goal in known:
        if goal.parent_id not in ids:
            add(goal, 0)
    return lines
