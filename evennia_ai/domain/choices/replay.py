"""Decisions that are looked up again: the texts they are found by, and the text that shows them.

The sources fix these texts and figures to the letter, but for what a prompt shows: there what players
said is quoted, and nothing claims an authority that a rating does not have.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict

from evennia_ai.core.decisions import Decision, Example, Metrics
from evennia_ai.domain.choices import decision_rules
from evennia_ai.domain.model_text import reply
from evennia_ai.domain.model_text.quotation import quote, word

HEADER = "--- PAST EXPERIENCE ---"
# Rewards below it are no example of anything.
REWARD_FLOOR = 0.05
UNKNOWN_PERSONALITY = "unknown"
# Metrics of 0 to 100 of which a high value is bad, by the last part of their names.
INVERTED_METRICS = frozenset(
    {"stress_level", "debt_pressure", "workload", "commute_burden", "admin_overhead"}
)
METRIC_SCALE = 100.0
# How many of the most stressed metrics describe a situation.
STRESSED = 3

EMBEDDED_REASONING = 100
SHOWN_REASONING = 120
SHOWN_NOTES = 200
SHOWN_NAME = 60
SHOWN_SITUATION, SHOWN_WORDS = 100, 80
_IN_WORDS = {"noop": "stay silent"}


class Stats(TypedDict):
    """How many decisions there are, how they went on average, and how many there are of each type."""

    total_memories: int
    average_reward: float
    by_action_type: dict[str, int]


def decision_text(
    conflict_title: str, action_type: str, target_domain: str, reward: float, reasoning: str
) -> str:
    """Return the words that a decision is found by."""
    return (
        f"{conflict_title} Action: {action_type} Domain: {target_domain} "
        f"Reward: {reward:.2f} {reasoning[:EMBEDDED_REASONING]}"
    )


def trajectory_text(
    task_id: str, route_taken: str, total_reward: float, milestones_hit: Sequence[Any]
) -> str:
    """Return the words that a trajectory is found by."""
    return (
        f"Task: {task_id} Route: {route_taken} "
        f"Reward: {total_reward:.2f} Hits: {len(milestones_hit)}"
    )


def found_by(conflict_title: str, words: str, personality_type: str | None) -> str:
    """Return the text by which a situation is found: what it is, and what was said in it.

    Where somebody is of a known sort, such as a brawler, the words are what that was told by, and tell no more.
    """
    is_named = personality_type not in (None, UNKNOWN_PERSONALITY)
    return conflict_title if is_named or not words else f"{conflict_title}\n{words}"


def went_well(example: Example) -> bool:
    """Return whether a decision is an example, by its reward and what people said of it."""
    rating = example.feedback.overall_effectiveness if example.feedback else None
    worth = decision_rules.worth(example.decision.reward, rating)
    return worth is not None and worth >= REWARD_FLOOR


def situation_query(
    conflict_title: str, metrics: Mapping[str, Any], *, stress_direction: Iterable[str]
) -> str:
    """Return the words by which decisions in a like situation are found."""
    return f"{conflict_title} {stressed_text(metrics, stress_direction)}".strip()


def world_query(
    task_domain: str, world: Mapping[str, Any], *, stress_direction: Iterable[str]
) -> str:
    """Return the words by which trajectories of like tasks are found."""
    return f"TaskDomain: {task_domain} {stressed_text(world, stress_direction)}".strip()


def stressed_text(metrics: Mapping[str, Any], stress_direction: Iterable[str]) -> str:
    """Return the most stressed metrics as `key:value`."""
    keys = most_stressed(metrics, stress_direction)
    return " ".join(f"{key}:{_shown(metrics[key])}" for key in keys)


def most_stressed(metrics: Mapping[str, Any], stress_direction: Iterable[str]) -> list[str]:
    """Return the names of the three worst metrics, the worst first.

    Low is bad, but for those that `stress_direction` names, in full or by their last part. What is
    no number counts as 0.
    """
    inverted = set(stress_direction)

    def ease(key: str) -> float:
        value = _number(metrics[key])
        return METRIC_SCALE - value if _is_inverted(key, inverted) else value

    return sorted(metrics, key=ease)[:STRESSED]


def plain_metrics(metrics: Mapping[Any, Any]) -> Metrics:
    """Return the metrics that can be kept: finite numbers, truth values and words."""
    return {
        str(key): value
        for key, value in metrics.items()
        if isinstance(value, (str, bool, int))
        or (isinstance(value, float) and math.isfinite(value))
    }


def metrics_difference(then: Mapping[str, Any], current: Mapping[str, Any]) -> dict[str, float]:
    """Return by how much each number that is known of both situations is higher now."""
    both = [key for key in current if _is_number(current[key]) and _is_number(then.get(key))]
    return {key: round(current[key] - then[key], 4) for key in both}


def few_shot(examples: Iterable[Example]) -> str:
    """Return decisions as a prompt shows them, "" if there are none.

    What players said is quoted: it is data here as everywhere.
    """
    lines = [line for example in examples for line in _example_lines(example)]
    return "\n".join([HEADER, *lines]) if lines else ""


def stats(rewards: Mapping[str, Sequence[float | None]]) -> Stats:
    """Return how many decisions there are and how they went, given rewards by action type.

    A decision whose reward is not known yet (None) counts, but not in the average.
    """
    known = [reward for given in rewards.values() for reward in given if reward is not None]
    return {
        "total_memories": sum(map(len, rewards.values())),
        "average_reward": round(sum(known) / len(known), 3) if known else 0.0,
        "by_action_type": {action: len(given) for action, given in rewards.items()},
    }


def in_words(action: str) -> str:
    """Return what a model reads of an action: no name of a tool."""
    return _line(_IN_WORDS.get(action, action.replace("_", " ")), SHOWN_NAME)


def in_short(example: Example) -> dict[str, str]:
    """Return what a model reads of a decision: the `action`, the `words` that it met, and `why`."""
    one = example.decision
    return {
        "action": in_words(one.action_type),
        "words": _line(one.words, SHOWN_WORDS),
        "why": _line(one.reasoning, SHOWN_REASONING),
    }


def note_of(example: Example) -> str:
    """Return what people said of a decision, as much as is shown, "" for nothing."""
    return _line(example.feedback.unexpected_effects, SHOWN_NOTES) if example.feedback else ""


def _example_lines(example: Example) -> list[str]:
    one = example.decision
    action = re.sub(r"[\[\]]", "", _line(one.action_type, SHOWN_NAME)).upper()
    domain = _line(one.target_domain, SHOWN_NAME).upper()
    taken = f"- Action Taken: [{word(action)}] on {word(domain)}"
    personality = _line(one.personality_type, SHOWN_NAME)
    if personality and personality != UNKNOWN_PERSONALITY:
        taken += f" [{word(personality)}]"
    reasoning = _line(one.reasoning, SHOWN_REASONING)
    shown = quote(reasoning) if reasoning else ""
    lines = [taken, *_situation_lines(one), f"  Agent's Initial Reasoning: {shown}".rstrip()]
    if one.reward is not None:
        lines.append(f"  It went {'well' if went_well(example) else 'badly'}.")
    if said := example.feedback:
        rated = f"  Rated {said.overall_effectiveness:g}/10."
        for how, names in (("Better", said.domains_improved), ("Worse", said.domains_worsened)):
            if told := _line(", ".join(names), SHOWN_NAME):
                rated += f" {how}: {quote(told)}."
        notes = note_of(example)
        lines.append(f"{rated} Note: {quote(notes)}" if notes else rated)
    return lines


def _situation_lines(decision: Decision) -> list[str]:
    """Return in which situation it was, and what was said to the assistant."""
    title = _line(decision.conflict_title, SHOWN_SITUATION)
    words = _line(decision.words, SHOWN_WORDS)
    told = [f"  When: {quote(title)}"] if title else []
    return [*told, f"  They said: {quote(words)}"] if words else told


def _line(text: Any, max_length: int) -> str:
    return reply.printable(str(text), max_length=max_length).strip()


def _is_inverted(key: str, inverted: Iterable[str]) -> bool:
    return key in inverted or key.rpartition(".")[2] in inverted


def _is_number(value: Any) -> bool:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return is_number and math.isfinite(value)


def _number(value: Any) -> float:
    return float(value) if isinstance(value, bool) or _is_number(value) else 0.0


def _shown(value: Any) -> str:
    return f"{value:.0f}" if _is_number(value) else str(value)
