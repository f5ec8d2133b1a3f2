"""Feedback from people on an episode."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from evennia_ai import scheduling
from evennia_ai.core.records import Audience, format_time
from evennia_ai.domain import audience as audiences

# Former opinions on one episode that are kept beside the last.
HISTORY_LIMIT = 10
WORST, BEST = 0, 10


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

    def record(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "episode_id": self.episode_id,
            "submitted_at": format_time(self.submitted_at),
            "overall_effectiveness": self.overall_effectiveness,
            "domains_improved": list(self.domains_improved),
            "domains_worsened": list(self.domains_worsened),
            "unexpected_effects": self.unexpected_effects,
            "resolution_time_hours": self.resolution_time_hours,
            "audience": self.audience,
        }


def known_to(said: dict[str, Any], decisions: list[Audience]) -> Audience:
    """Return who may know what was said of an episode: it gives away what happened in all its decisions."""
    own = [] if said["audience"] is None else [said["audience"]]
    return audiences.intersection([*decisions, *own])


def superseding(new: dict[str, Any], old: dict[str, Any] | None) -> dict[str, Any]:
    """Return feedback with what was said of the same episode before in `history`, oldest first."""
    if old is None:
        return {**new, "history": []}
    former = {key: value for key, value in old.items() if key != "history"}
    return {**new, "history": [*old["history"], former][-HISTORY_LIMIT:]}
