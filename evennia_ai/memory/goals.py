"""What an assistant wants to achieve, as it is kept on its script."""

from __future__ import annotations

from typing import Any

from evennia_ai import pace
from evennia_ai.core.records import Audience, format_time
from evennia_ai.domain import audience as audiences
from evennia_ai.domain import goals as rules
from evennia_ai.memory import kinds, repository

# Goals and projects that one assistant keeps; of those that are over the oldest are let go.
GOAL_LIMIT = 50
PROJECT_LIMIT = 10
# What one goal has reached so far.
MILESTONE_LIMIT = 20


def goals(script: Any) -> list[dict[str, Any]]:
    """Return all goals, oldest first."""
    return repository.load(script, kinds.GOALS) or []


def projects(script: Any) -> list[dict[str, Any]]:
    """Return all projects, oldest first."""
    return repository.load(script, kinds.PROJECTS) or []


def open_goals(script: Any) -> list[dict[str, Any]]:
    """Return the goals that are neither reached nor given up."""
    return [goal for goal in goals(script) if goal["status"] == rules.OPEN]


def progress(script: Any) -> float:
    """Return how far the open goals have come, 0 to 100."""
    return rules.overall(goals(script))


def add_goal(
    script: Any,
    title: str,
    *,
    parent_id: int | None = None,
    project_id: int | None = None,
    audience: Audience = audiences.PUBLIC,
) -> dict[str, Any]:
    """Set a goal and return it.

    Raises:
        ValueError: There is no such parent or project, it lies too deep, or there are too many.
    """
    with repository.edit(script, kinds.GOALS, default=list) as kept:
        known = {goal["id"]: goal for goal in kept}
        if parent_id is not None and parent_id not in known:
            raise ValueError(f"There is no goal {parent_id}.")
        if rules.depth_of(known, parent_id) >= rules.DEPTH:
            raise ValueError(f"Goals lie at most {rules.DEPTH} deep in one another.")
        if project_id is not None and project_id not in [one["id"] for one in projects(script)]:
            raise ValueError(f"There is no project {project_id}.")
        _make_room(kept, limit=GOAL_LIMIT, what="goals")
        goal = {
            "id": max([0, *known]) + 1,
            "title": title,
            "parent_id": parent_id,
            "project_id": project_id,
            "status": rules.OPEN,
            "progress": 0.0,
            "milestones": [],
            "steps": 0,
            "audience": audience,
            "created": format_time(pace.now()),
        }
        kept.append(goal)
    return goal


def update_goal(
    script: Any,
    goal_id: int,
    *,
    progress: float | None = None,
    milestone: str = "",
    status: str | None = None,
    audience: Audience = audiences.PUBLIC,
) -> dict[str, Any] | None:
    """Note how a goal goes; return it, or None if there is none such that is still open.

    Who may know it are from then on only those who may also know what `audience` stands for.
    """
    with repository.edit(script, kinds.GOALS, default=list) as kept:
        goal = next((one for one in kept if one["id"] == goal_id), None)
        if goal is None or goal["status"] != rules.OPEN:
            return None
        goal["steps"] += 1
        goal["audience"] = audiences.intersection([goal["audience"], audience])
        if progress is not None:
            goal["progress"] = min(rules.FULL, max(0.0, float(progress)))
        if milestone:
            goal["milestones"] = [*goal["milestones"], milestone][-MILESTONE_LIMIT:]
        if status is not None:
            goal["status"] = status
        # From what those may know who may know it: a number tells, too.
        parts = rules.rolled_up(audiences.select_open_to(kept, goal["audience"]))
        goal["progress"] = next(one["progress"] for one in parts if one["id"] == goal_id)
    return goal


def create_project(
    script: Any, name: str, *, description: str = "", audience: Audience = audiences.PUBLIC
) -> dict[str, Any]:
    """Begin a project, which is the active one from now on; ValueError if there are too many."""
    with repository.edit(script, kinds.PROJECTS, default=list) as kept:
        _make_room(kept, limit=PROJECT_LIMIT, what="projects")
        project = {
            "id": max([0, *(one["id"] for one in kept)]) + 1,
            "name": name,
            "description": description,
            "status": rules.ACTIVE,
            "audience": audience,
            "created": format_time(pace.now()),
        }
        _pause_all(kept)
        kept.append(project)
    return project


def swap_project(script: Any, project_id: int) -> dict[str, Any] | None:
    """Go on with another project, and pause the active one; None if there is none such."""
    with repository.edit(script, kinds.PROJECTS, default=list) as kept:
        project = next((one for one in kept if one["id"] == project_id), None)
        if project is not None:
            _pause_all(kept)
            project["status"] = rules.ACTIVE
    return project


def update_project(
    script: Any,
    project_id: int,
    *,
    description: str = "",
    status: str | None = None,
    audience: Audience = audiences.PUBLIC,
) -> dict[str, Any] | None:
    """Change a project and return it; None if there is none such."""
    if status == rules.ACTIVE and swap_project(script, project_id) is None:
        return None
    with repository.edit(script, kinds.PROJECTS, default=list) as kept:
        project = next((one for one in kept if one["id"] == project_id), None)
        if project is not None:
            project["audience"] = audiences.intersection([project["audience"], audience])
            project["description"] = description or project["description"]
            project["status"] = status or project["status"]
    return project


def active_project(script: Any) -> dict[str, Any] | None:
    """Return the project that is worked at."""
    return next((one for one in projects(script) if one["status"] == rules.ACTIVE), None)


def _pause_all(kept: list[dict[str, Any]]) -> None:
    for project in kept:
        if project["status"] == rules.ACTIVE:
            project["status"] = rules.PAUSED


def _make_room(kept: list[dict[str, Any]], *, limit: int, what: str) -> None:
    """Let go of the oldest that is over and that nothing lies in; ValueError if none is."""
    if len(kept) < limit:
        return
    parents = {one.get("parent_id") for one in kept}
    over = [one for one in kept if one["status"] in (rules.DONE, rules.ABANDONED)]
    over = [one for one in over if one["id"] not in parents]
    if not over:
        raise ValueError(f"There are {limit} {what} already; bring one of them to an end first.")
    kept.remove(over[0])
