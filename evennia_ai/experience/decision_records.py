"""One decision or trajectory as the file keeps it: plain data, who may know it, what it is found by."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any, NamedTuple

from evennia_ai.core.records import Audience
from evennia_ai.domain import audience as audiences
from evennia_ai.domain.choices import replay
from evennia_ai.domain.model_text.reply import storable


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
