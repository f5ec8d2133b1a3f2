"""Records of experience: a decision or trajectory as the file keeps it, and what people said of an episode."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from evennia_ai import scheduling
from evennia_ai.core.records import Audience, format_time
from evennia_ai.domain import audience as audiences
from evennia_ai.domain.choices import replay
from evennia_ai.domain.model_text.reply import storable

# Former opinions on one episode that are kept beside the last.
HISTORY_LIMIT = 10
WORST, BEST = 0, 10


class Record(NamedTuple):
    """A row; `found_by` is what is embedded, and nothing else is used to find it.

    `text` is the document of the sources. What was done and how it went say nothing of what it was
    like before, so that a decision is found by its situation alone.
    """

    id: str
    audience: Audience
    data: dict[str, Any]
    text: str
    found_by: str
    reward: float | None
    action: str = ""
    episode: str = ""
    personality: str = ""

    @classmethod
    def of_decision(cls, id: str, data: dict[str, Any], audience: Audience) -> Record:
        """Return the record of a decision.

        Raises:
            ValueError: the reward is no finite number, or the audience is none.
            TypeError: something is no plain data.
        """
        data = _plain(data)
        reward = _reward(data["reward"])
        text = replay.decision_text(
            data["conflict_title"],
            data["action_type"],
            data["target_domain"],
            reward or 0.0,
            data["reasoning"],
        )
        return cls(
            id,
            _audience(audience),
            {**data, "reward": reward},
            text,
            replay.found_by(
                data["conflict_title"], data.get("words") or "", data["personality_type"]
            ),
            reward,
            data["action_type"],
            data["episode_id"],
            data["personality_type"],
        )

    @classmethod
    def of_trajectory(cls, id: str, data: dict[str, Any], audience: Audience) -> Record:
        """Return the record of a trajectory; raises what `of_decision` raises."""
        data = _plain(data)
        reward = _reward(data["reward"])
        hits = data["summary"].get("milestones_hit") or []
        text = replay.trajectory_text(data["task_id"], data["route_taken"], reward or 0.0, hits)
        return cls(
            id,
            _audience(audience),
            {**data, "reward": reward},
            text,
            text,
            reward,
            data["route_taken"],
        )

    def json(self) -> str:
        """Return the data as the file keeps it."""
        return json.dumps(self.data)


def may_be_shown(audience: Any, hearers: Iterable[str] | None) -> bool:
    """Return whether all hearers may know it; None stands for anybody, who may know what is public."""
    return (
        audience == audiences.PUBLIC if hearers is None else audiences.may_know(audience, hearers)
    )


def _plain(data: dict[str, Any]) -> dict[str, Any]:
    # Half surrogate pairs come out of broken clients, and are refused later.
    return json.loads(storable(json.dumps(data, ensure_ascii=False)))


def _reward(reward: Any) -> float | None:
    if reward is None:
        return None
    if not math.isfinite(reward):
        raise ValueError(f"a reward is a number, not {reward}.")
    return float(reward)


def _audience(audience: Any) -> Audience:
    if audience == audiences.PUBLIC:
        return audiences.PUBLIC
    if isinstance(audience, str):
        raise ValueError(f'an audience is "public" or a list of identities, not {audience!r}.')
    return sorted(set(audience))


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
