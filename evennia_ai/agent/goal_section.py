"""The section of goals: what it wants to achieve, and how goals like that went before.

What was planned in confidence comes up in confidence only. Otherwise all that it says or learns beside
somebody who knows of the plan would be for nobody else.

A mind that reads no prompt finds the same in `context["goals"]` and `context["trajectories"]`.
"""

from __future__ import annotations

from twisted.internet.defer import inlineCallbacks

from evennia_ai import prompts_life
from evennia_ai.agent.prompting.thread import Note
from evennia_ai.agent.turn import Turn
from evennia_ai.core.records import Goal
from evennia_ai.domain import audience as audiences
from evennia_ai.domain.choices import goal_rules as rules
from evennia_ai.memory.state import kept_goals as stored
from evennia_ai.tools import goal_tools as tools

# Goals, and earlier ones, that one prompt gets at most: 15 tokens each, and 40 and 75 at worst.
LIMIT = 3
TRAJECTORIES = 2


@inlineCallbacks
def goals(turn: Turn):
    """What it works at most, with how far it is; then how goals like the first went before."""
    circle = audiences.intersection([turn.audience, *(one.audience for one in turn.events)])
    # What somebody sends it stands among what it is about.
    own = [goal for goal in stored.goals(turn.script) if not goal.said_by]
    # Both those who hear the answer, and those whom the turn is for, may know it: so it narrows nothing that comes of it.
    kept = audiences.select_open_to(audiences.select_tellable(own, turn.hearers), circle)
    shown = rules.newest_open(kept, limit=LIMIT)
    turn.context["goals"], turn.context["trajectories"] = [], []
    if not shown:
        return None
    for one in shown:
        turn.include(one)
    turn.context["goals"] = known = [
        {"id": goal.id, "title": goal.title, "progress": _progress(goal, kept)} for goal in shown
    ]
    # A circle of all is told what all may know, however few are listening.
    ears = None if circle == audiences.PUBLIC else {*circle, *turn.hearers, turn.identity}
    before = yield tools.like(turn, shown[0].title, TRAJECTORIES, hearers=ears)
    turn.context["trajectories"] = [
        {key: one[key] for key in ("task_id", "route_taken", "reward", "summary")} for one in before
    ]
    lines = prompts_life.goals(
        goals=[(one["id"], one["title"], one["progress"]) for one in known],
        before=[tools.as_line(one, is_quoted=False) for one in before],
    )
    known_to = [one.audience for one in shown] + [
        audiences.intersection([shown[0].audience, one["audience"]]) for one in before
    ]
    return [Note(line, audience=who) for line, who in zip(lines, known_to, strict=True)]


def _progress(goal: Goal, kept: list[Goal]) -> float:
    """Return how far a goal is, by what those may know of its parts who may know of it."""
    parts = rules.rolled_up(audiences.select_open_to(kept, goal.audience))
    return next(one.progress for one in parts if one.id == goal.id)
