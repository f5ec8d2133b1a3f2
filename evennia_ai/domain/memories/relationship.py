"""Relationship states, and how favorability moves between them.

The states go by how close people let each other come (after Dunbar). Hostility stands outside of
them: it is an optional `disposition` from -1 to 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from msgspec import structs

from evennia_ai.core.records import Change, Day, Relationship, Source, format_time


class State(NamedTuple):
    """What somebody is to an assistant, from which favorability on, and the words for it."""

    bound: float
    # In the prompt. How it speaks with them, its persona says.
    manner: str
    # On what players see of themselves, behind the name of the NPC.
    shown: str
    # They are told what only friends are told.
    is_close: bool = False
    # They are answered first, and may lead it about.
    comes_first: bool = False


# Highest first. What the mind without a model says of it: the phrases `regard_...` of a language.
STATES = {
    "ally": State(
        0.75,
        "They are an ally: they come first, and you trust nobody more.",
        "trusts you more than most.",
        is_close=True,
        comes_first=True,
    ),
    "friend": State(
        0.50,
        "They are a friend: you trust them, and help them gladly.",
        "counts you as a friend.",
        is_close=True,
    ),
    "acquaintance": State(
        0.25, "You know them a little, and trust them in small things.", "knows you a little."
    ),
    "stranger": State(
        0.0,
        "They are a stranger to you, whom you have no reason to trust far.",
        "hardly knows you.",
    ),
}
STRANGER = "stranger"

# Events of a relationship that are kept.
HISTORY_LIMIT = 50

# At this disposition and below it, dislike shows, whatever the state says.
HOSTILE_FROM = -0.5
HOSTILE_MANNER = "You dislike them, and do them no favours."

# Sums of steps like 0.1 must reach a bound like 0.75 and not 0.7499999999999999.
_DIGITS = 6


def new() -> Relationship:
    """Return how somebody is regarded who was never dealt with."""
    return Relationship(
        state=STRANGER, favorability=0.0, interaction_count=0, last_delta=0.0, history=[]
    )


def state_for(favorability: float) -> str:
    """Return the state that a favorability (0..1) implies; each bound belongs to the higher one."""
    return next(name for name, state in STATES.items() if favorability >= state.bound)


def of(state: str) -> State:
    """Return a state by its name; one that is not known counts as that of a stranger."""
    return STATES.get(state, STATES[STRANGER])


def manner_for(state: str, *, disposition: float | None = None) -> str:
    """Return what somebody in this state is to it, in words; a ValueError if there is none such."""
    if state not in STATES:
        raise ValueError(f"There is no state {state!r}; there is {', '.join(reversed(STATES))}.")
    if disposition is not None and disposition <= HOSTILE_FROM:
        return HOSTILE_MANNER
    return STATES[state].manner


def new_day(now: datetime) -> Day:
    """Return the day of `now`, in which nothing has changed yet."""
    return Day(date=format_time(now)[:10], delta=0.0)


def allowed_delta(delta: float, *, today: float, per_call: float, per_day: float) -> float:
    """Return as much of `delta` as may count: no single act and no single day makes a friend.

    `today` is the change of the day so far; its sum stays within ±`per_day`, so that what was gained
    can be lost again on the same day.

    Raises:
        ValueError: The delta is not a finite number.
    """
    if not math.isfinite(delta):
        raise ValueError(f"A delta must be a number, not {delta}.")
    once = _clamped(delta, -per_call, per_call)
    # A limit that was lowered since must not turn praise into blame.
    lowest, highest = min(0.0, -per_day - today), max(0.0, per_day - today)
    return round(_clamped(once, lowest, highest), _DIGITS)


def apply_delta(
    relationship: Relationship,
    delta: float,
    *,
    now: datetime,
    reason: str | None = None,
    sources: Iterable[Source] = (),
) -> Relationship:
    """Return the relationship after one interaction.

    `delta` is clamped so that favorability stays in 0..1; what was applied is what is recorded. What
    changed nothing is counted, and is no step of the history.
    """
    before = relationship.favorability
    favorability = round(_clamped(before + delta, 0.0, 1.0), _DIGITS)
    applied = round(favorability - before, _DIGITS)
    counted = structs.replace(relationship, interaction_count=relationship.interaction_count + 1)
    if not applied:
        return counted
    event = Change(delta=applied, reason=reason, timestamp=format_time(now), sources=list(sources))
    return structs.replace(
        counted,
        state=state_for(favorability),
        favorability=favorability,
        last_delta=applied,
        history=[*relationship.history, event][-HISTORY_LIMIT:],
    )


def _clamped(value: float, low: float, high: float) -> float:
    return min(high, max(low, value))
