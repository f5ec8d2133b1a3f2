"""The vote of past experience: the action to repeat, and the ones to avoid.

It reads the text that a prompt gets (`replay.few_shot`) and nothing else, so that a mind without a
model learns from just what a model would be shown. It knows no action by name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

# What an action counts that went well and that nobody rated, and one that went badly counts against it.
UNRATED = 1.0
# What a rating of 10 counts, and one of 0 counts against it. People's word outweighs our own figure.
FULL_RATING = 2.0
# The rating that speaks neither for nor against.
NEUTRAL_RATING = 5.0

_ACTION = re.compile(r"- Action Taken: \[([^\]]*)\]")
_BADLY = "  It went badly."
_RATING = re.compile(r"\s+Rated (\d+(?:\.\d+)?)/10\b")


def choose(
    options: Sequence[str],
    few_shot: str,
    *,
    default: str,
    chance: Callable[[], float] | None = None,
) -> str:
    """Return the option that experience speaks for, or `default` where it is silent.

    If it speaks against the default and for nothing else, one of the others is tried: the first, or
    by `chance` (0 to below 1) any of those that are equally good.
    """
    votes = weigh(few_shot)
    worth = {option: votes.get(_name(option), 0.0) for option in options}
    best = max(worth.values(), default=0.0)
    fallback = worth.get(default, 0.0)
    if not worth or fallback >= best:
        return default
    equal = [option for option in options if worth[option] == best]
    return equal[int(chance() * len(equal)) if chance else 0]


def weigh(few_shot: str) -> dict[str, float]:
    """Return how much the examples speak for each action that they name; the first count most."""
    votes: dict[str, float] = {}
    for place, (action, value) in enumerate(_examples(few_shot), start=1):
        votes[action] = votes.get(action, 0.0) + value / place
    return votes


def _examples(few_shot: str) -> list[tuple[str, float]]:
    examples: list[tuple[str, float]] = []
    for line in few_shot.split("\n"):
        if taken := _ACTION.match(line):
            examples.append((_name(taken[1]), UNRATED))
        elif examples and line == _BADLY:
            examples[-1] = (examples[-1][0], -UNRATED)
        elif examples and (rated := _RATING.match(line)):
            rating = min(10.0, float(rated[1]))
            value = FULL_RATING * (rating - NEUTRAL_RATING) / NEUTRAL_RATING
            examples[-1] = (examples[-1][0], value)
    return examples


def _name(action: str) -> str:
    """Return an action as it is compared: "Call help", "CALL_HELP" and "call-help" are one."""
    return "_".join(re.findall(r"[^\W_]+", action.casefold()))
