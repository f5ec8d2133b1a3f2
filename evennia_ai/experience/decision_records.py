"""Verdicts on episodes, and the form in which records of experience are stored."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

import msgspec

from evennia_ai import scheduling
from evennia_ai.core.decisions import Decision, Feedback, Trajectory, Verdict
from evennia_ai.core.records import Audience, format_time
from evennia_ai.domain import audience as audiences
from evennia_ai.domain.choices import replay
from evennia_ai.domain.model_text.reply import storable

Kept = Decision | Trajectory
K = TypeVar("K", bound=Kept)
R = TypeVar("R", bound=msgspec.Struct)

# What is found by likeness.
KINDS: tuple[type[Kept], ...] = (Decision, Trajectory)
# Fields that have columns of their own, or say nothing here.
BESIDE = ("id", "audience", "said_by", "about")
# Former opinions on one episode that are kept beside the last.
HISTORY_LIMIT = 10
WORST, BEST = 0, 10


def found_by(record: Kept) -> str:
    """Return what is embedded of a record: nothing else is used to find it.

    What was done and how it went say nothing of what it was like before, so that a decision is found by its
    situation alone.
    """
    if isinstance(record, Trajectory):
        return document(record)
    return replay.found_by(record.conflict_title, record.words, record.personality_type)


def document(record: Kept) -> str:
    """Return the document of the sources."""
    reward = record.reward or 0.0
    if isinstance(record, Decision):
        situation = (record.conflict_title, record.action_type, record.target_domain)
        return replay.decision_text(*situation, reward, record.reasoning)
    hits = record.summary.get("milestones_hit")
    milestones = hits if isinstance(hits, list) else []
    return replay.trajectory_text(record.task_id, record.route_taken, reward, milestones)


def columns(record: Kept) -> list[str]:
    """Return what was done, the episode and the personality, which have columns of their own beside the data."""
    if isinstance(record, Decision):
        return [record.action_type, record.episode_id, record.personality_type]
    return [record.route_taken, "", ""]


def shaped(kind: type[R], given: Mapping[str, object]) -> R:
    """Return plain data as a record.

    Raises:
        ValueError: It is no such record, a reward is no finite number, or an audience is none.
        TypeError: Something is no plain data.
    """
    # Half surrogate pairs come out of broken clients, and are refused later.
    kept = json.loads(storable(json.dumps(given, ensure_ascii=False)))
    if isinstance(kept.get("audience"), list):
        kept["audience"] = sorted(set(kept["audience"]))
    try:
        return msgspec.convert(kept, kind)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from error


def read(kind: type[R], data: str, **beside: object) -> R | None:
    """Return what the file has as a record; of what nobody can read the log says so, and it is None."""
    try:
        return msgspec.convert({"sources": [], **json.loads(data), **beside}, kind)
    except (msgspec.ValidationError, ValueError, TypeError) as error:
        warn(f"experience has a {kind.__name__} that cannot be read: {error}")
        return None


def warn(words: str) -> None:
    """Write one line into the log of the server."""
    # Imported late: a benchmark uses these classes without a game around them.
    from evennia.utils import logger

    logger.log_warn(f"evennia_ai: {words}")


def plain(record: Kept) -> dict[str, object]:
    """Return the data of a record as the file has it, as JSON."""
    fields = msgspec.to_builtins(record)
    return {name: value for name, value in fields.items() if name not in BESIDE}


def may_be_shown(audience: Audience, hearers: Iterable[str] | None) -> bool:
    """Return whether all hearers may know it; None stands for anybody, who may know what is public."""
    return (
        audience == audiences.PUBLIC if hearers is None else audiences.may_know(audience, hearers)
    )


@dataclass
class OutcomeFeedback:
    """A verdict on an episode.

    `audience` is who may know it; None means: whoever may know the decisions of the episode, and
    nobody beyond them can be named either.

    Raises:
        ValueError: there is no episode, or the effectiveness is not between 0 and 10.
    """

    episode_id: str
    submitted_at: datetime = field(default_factory=scheduling.now)
    overall_effectiveness: int = 5
    domains_improved: list[str] = field(default_factory=list)
    domains_worsened: list[str] = field(default_factory=list)
    unexpected_effects: str = ""
    resolution_time_hours: float = 0.0
    audience: Audience | None = None

    def __post_init__(self) -> None:
        if not self.episode_id:
            raise ValueError("feedback needs the id of an episode.")
        if not WORST <= self.overall_effectiveness <= BEST:
            raise ValueError(
                f"effectiveness is from {WORST} to {BEST}, not {self.overall_effectiveness}."
            )

    def after(self, former: Feedback | None) -> Feedback:
        """Return it as it is kept, with what was said of the same episode before in `history`."""
        said = {**vars(self), "submitted_at": format_time(self.submitted_at)}
        if former is None:
            return shaped(Feedback, said)
        before = msgspec.to_builtins([*former.history, former])
        return shaped(Feedback, {**said, "history": before[-HISTORY_LIMIT:]})


def known_to(said: Verdict, decisions: Iterable[Audience]) -> Audience:
    """Return who may know what was said of an episode: it gives away what happened in all its decisions."""
    own = [] if said.audience is None else [said.audience]
    return audiences.intersection([*decisions, *own])
