"""The experience of an assistant as staff see it: what it tries when, how that goes, and over time.

It is plain data for the command and the page.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import date
from typing import NamedTuple

from evennia_ai.core.decisions import Decision, Feedback
from evennia_ai.core.records import Audience, parse_time
from evennia_ai.domain.choices import decision_rules, replay


class Done(NamedTuple):
    """One decision: when, in which situation, what and why, how it went (-1 to 1, None if that is not known yet).

    `note` is what people said of it beside their rating.
    """

    at: str
    title: str
    words: str
    action: str
    reason: str
    worth: float | None
    rating: float | None
    note: str
    audience: Audience
    source_id: str


class Habit(NamedTuple):
    """What is done in one sort of situation: how often, and how it went on average (None if that is not known)."""

    situation: str
    action: str
    count: int
    worth: float | None


class Told(NamedTuple):
    """All of it: decisions, the newest first; habits; (day, share that went well, how many) by day."""

    done: list[Done]
    habits: list[Habit]
    days: list[tuple[date, float, int]]
    average: float | None


def of_all(decisions: Iterable[Decision], feedback: Iterable[Feedback]) -> Told:
    """Return what was kept of one scope, the oldest first, as it is told."""
    said = {one.episode_id: one for one in feedback}
    done = [_done(one, said.get(one.episode_id)) for one in decisions]
    done.reverse()
    worths = [one.worth for one in done if one.worth is not None]
    return Told(done, _habits(done), _days(done), _mean(worths))


def _done(decision: Decision, feedback: Feedback | None) -> Done:
    rating = feedback.overall_effectiveness if feedback else None
    return Done(
        at=decision.timestamp,
        title=decision.conflict_title,
        words=decision.words,
        action=decision.action_type,
        reason=decision.reasoning,
        worth=decision_rules.worth(decision.reward, rating),
        rating=rating,
        note=_note(feedback) if feedback else "",
        audience=decision.audience,
        source_id=decision.said_by,
    )


def _note(feedback: Feedback) -> str:
    better = ", ".join(feedback.domains_improved)
    worse = ", ".join(feedback.domains_worsened)
    hours = feedback.resolution_time_hours
    said = (
        f"better: {better}" if better else "",
        f"worse: {worse}" if worse else "",
        f"took hours: {hours:g}" if hours else "",
        feedback.unexpected_effects,
    )
    return "; ".join(filter(None, said))


def _habits(done: Iterable[Done]) -> list[Habit]:
    """Return what is done when: what happens most first, and of each what is done most."""
    kept: dict[str, dict[str, list[float | None]]] = defaultdict(lambda: defaultdict(list))
    for one in done:
        kept[one.title.partition(",")[0]][one.action].append(one.worth)
    most = sorted(kept, key=lambda name: (-sum(map(len, kept[name].values())), name))
    return [
        Habit(name, action, len(worths), _mean([one for one in worths if one is not None]))
        for name in most
        for action, worths in sorted(kept[name].items(), key=lambda one: (-len(one[1]), one[0]))
    ]


def _days(done: Iterable[Done]) -> list[tuple[date, float, int]]:
    """Return by day which share of what it did went well, of that of which it is known."""
    kept: dict[date, list[float]] = defaultdict(list)
    for one in done:
        if one.worth is not None and one.at:
            kept[parse_time(one.at).date()].append(one.worth)
    return [
        (day, sum(one >= replay.REWARD_FLOOR for one in worths) / len(worths), len(worths))
        for day, worths in sorted(kept.items())
    ]


def _mean(worths: list[float]) -> float | None:
    return round(sum(worths) / len(worths), 2) if worths else None
