"""Reward functions, as REWARDS names them, each from -1 to 1.

A game adds its own in the same form. One that raises an error counts nothing.
"""

from __future__ import annotations

from typing import TypedDict

from evennia_ai.domain.memories import retrieval

# A change of favorability that is a full success: what one kind word or blow may change at most.
FULL_CHANGE = 0.1
# How much of a reward is what somebody thinks of the assistant, and how they sound.
REGARD_SHARE, TONE_SHARE = 0.5, 1.0
# What it costs to be asked the same again, and the share of the words of both that is the same then.
ASKED_AGAIN, SAME_WORDS = -0.5, 0.6
# Progress of a goal, in percent, that is a full success.
FULL_PROGRESS = 50.0


class Turn(TypedDict):
    """What is kept of a turn until then: its id, an identity, what it did, and how things were when it had ended."""

    turn: str
    actor: str
    action: str
    title: str
    favorability: float
    goal_progress: float


class Outcome(TypedDict):
    """How things are now, and what whoever was answered did next ("" if nothing).

    `favorability` is from 0 to 1, `goal_progress` to 100, `tone` (of the `words` that they said next) from -1; `before` is what they had
    said before they were answered, `seconds` how long ago that is.
    """

    favorability: float
    goal_progress: float
    kind: str
    words: str
    before: str
    tone: float
    seconds: float


def favorability(turn: Turn, outcome: Outcome) -> float:
    """Return how much better or worse they get on with each other since: -0.5 to 0.5."""
    change = outcome["favorability"] - turn["favorability"]
    return REGARD_SHARE * _bounded(change / FULL_CHANGE)


def tone(turn: Turn, outcome: Outcome) -> float:
    """Return how whoever was answered took it, by what they said next: -1 to 1; thanks are 0.6, an insult -1."""
    return TONE_SHARE * outcome["tone"]


def asked_again(turn: Turn, outcome: Outcome) -> float:
    """Return -0.5 if whoever was answered had to say the same once more, else 0."""
    before, words = set(retrieval.terms(outcome["before"])), set(retrieval.terms(outcome["words"]))
    is_same = len(before & words) >= max(1, SAME_WORDS * len(before | words))
    return ASKED_AGAIN if is_same else 0.0


def goal_progress(turn: Turn, outcome: Outcome) -> float:
    """Return how far the assistant has come with its goals since: -1 to 1."""
    return _bounded((outcome["goal_progress"] - turn["goal_progress"]) / FULL_PROGRESS)


def _bounded(share: float) -> float:
    return round(min(1.0, max(-1.0, share)), 4)
