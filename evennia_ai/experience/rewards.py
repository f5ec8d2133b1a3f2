"""Reward functions, as REWARDS names them, each from -1 to 1.

A game adds its own in the same form. `turn` is what is kept of a turn until then: "turn" (its id),
"actor" (an identity), "action", "title", "favorability" and "goal_progress" as they were when it had
ended. `outcome` is how it is now: "favorability" (0..1), "goal_progress" (0..100), "kind" and "words"
of what whoever was answered did next ("" if nothing), "tone" of that (-1..1), "seconds" since.
"""

from __future__ import annotations

from typing import Any

# A change of favorability that is a full success: what one kind word or blow may change at most.
FULL_CHANGE = 0.1
# How much of a reward is what somebody thinks of the assistant, and how they sound.
REGARD_SHARE, TONE_SHARE = 0.5, 1.0
# Progress of a goal, in percent, that is a full success.
FULL_PROGRESS = 50.0


def favorability(turn: dict[str, Any], outcome: dict[str, Any]) -> float:
    """Return how much better or worse they get on with each other since."""
    change = outcome["favorability"] - turn["favorability"]
    return REGARD_SHARE * _bounded(change / FULL_CHANGE)


def tone(turn: dict[str, Any], outcome: dict[str, Any]) -> float:
    """Return how whoever was answered took it, by what they said next."""
    return TONE_SHARE * outcome["tone"]


def goal_progress(turn: dict[str, Any], outcome: dict[str, Any]) -> float:
    """Return how far the assistant has come with its goals since."""
    return _bounded((outcome["goal_progress"] - turn["goal_progress"]) / FULL_PROGRESS)


def _bounded(share: float) -> float:
    return round(min(1.0, max(-1.0, share)), 4)
