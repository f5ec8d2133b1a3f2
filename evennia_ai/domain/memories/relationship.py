"""Relationship states, and how favorability moves between them.

The states go by how close people let each other come (after Dunbar). Hostility stands outside of
them: it is an optional `disposition` from -1 to 1.
"""

from __future__ import annotations

import math
from datetime import datetime

from msgspec import structs

from evennia_ai.core.records import Change, Day, Relationship, format_time

# Whoever is regarded so is answered first; of whom there is nothing to say.
ALLY, STRANGER = "ally", "stranger"
# Lower bounds, highest first.
THRESHOLDS = {ALLY: 0.75, "friend": 0.50, "acquaintance": 0.25, STRANGER: 0.0}

# Events of a relationship that are kept.
HISTORY_LIMIT = 50

# What somebody is to an assistant; the words go into the prompt. How it speaks with them, its persona says.
MANNERS = {
    "stranger": "They are a stranger to you, whom you have no reason to trust far.",
    "acquaintance": "You know them a little, and trust them in small things.",
    "friend": "They are a friend: you trust them, and help them gladly.",
    "ally": "They are an ally: they come first, and you trust nobody more.",
}

# At this disposition and below it, dislike shows, whatever the state says.
HOSTILE_FROM = -0.5
HOSTILE_MANNER = "You dislike them, and do them no favours."

# Sums of steps like 0.1 must reach a bound like 0.75 and not 0.7499999999999999.
_DIGITS = 6


def new() -> Relationship:
    """Return how somebody is regarded who was never dealt with."""
    return Relationship(
        state="stranger", favorability=0.0, interaction_count=0, last_delta=0.0, history=[]
    )


def state_for(favorability: float) -> str:
    """Return the state that a favorability (0..1) implies; each bound belongs to the higher one."""
    return next(state for state, bound in THRESHOLDS.items() if favorability >= bound)


def manner_for(state: str, *, disposition: float | None = None) -> str:
    """Return what somebody in this state is to it, in words; a ValueError if there is none such."""
    if state not in MANNERS:
        raise ValueError(f"There is no state {state!r}; there is {', '.join(MANNERS)}.")
    if disposition is not None and disposition <= HOSTILE_FROM:
        return HOSTILE_MANNER
    return MANNERS[state]


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
    relationship: Relationship, delta: float, *, now: datetime, reason: str | None = None
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
    event = Change(delta=applied, reason=reason, timestamp=format_time(now))
    return structs.replace(
        counted,
        state=state_for(favorability),
        favorability=favorability,
        last_delta=applied,
        history=[*relationship.history, event][-HISTORY_LIMIT:],
    )


def _clamped(value: float, low: float, high: float) -> float:
    return min(high, max(low, value))
