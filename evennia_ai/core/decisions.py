"""Records of experience: what was decided, how a whole task went, and what people said of an episode.

Their fields have the names of the sources, under which they are stored and exported.
"""

from __future__ import annotations

import math
from typing import ClassVar, NamedTuple

import msgspec

from evennia_ai.core.records import Audience, Made

# Figures, truth values and words that describe a situation.
Metrics = dict[str, bool | int | float | str]


class Situation(msgspec.Struct, frozen=True, kw_only=True):
    """What a turn is about, by which decisions are kept and found.

    `background` is what of it would be there whatever happened.
    """

    conflict_title: str
    words: str
    background: str
    metrics: Metrics


class _Rewarded(Made, frozen=True, kw_only=True, omit_defaults=False):
    """What was done, and how it went; None is not known yet. `collection` is where the sources keep it.

    Raises:
        ValueError: The reward is no finite number.
    """

    id: str
    reward: float | None
    timestamp: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.reward is not None and not math.isfinite(self.reward):
            raise ValueError(f"a reward is a number, not {self.reward}.")


class Decision(_Rewarded, frozen=True, kw_only=True, rename={"said_by": "source_id"}):
    """What was done in a situation.

    `said_by` is the identity of whoever was dealt with, `words` what was said to the assistant, `hope` how well it was
    expected to go, `stress_direction` names the metrics of which a high value is bad.
    """

    collection: ClassVar[str] = "decisions"

    said_by: str = ""
    conflict_title: str
    words: str = ""
    action_type: str
    hope: float | None = None
    target_domain: str
    reasoning: str = ""
    metrics_snapshot: Metrics = {}
    stress_direction: list[str] = []
    trajectory: object = None
    route_outcome: str = ""
    episode_id: str = ""
    personality_type: str = "unknown"


class Trajectory(_Rewarded, frozen=True, kw_only=True):
    """How a whole task went; the summary holds `milestones_hit`, `steps` and whatever else it was kept with."""

    collection: ClassVar[str] = "trajectories"

    task_id: str
    route_taken: str
    summary: dict[str, object]


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody said of an episode, 0 to 10; without an audience of its own it is for those of the episode."""

    episode_id: str
    submitted_at: str = ""
    overall_effectiveness: int | float
    domains_improved: list[str] = []
    domains_worsened: list[str] = []
    unexpected_effects: str = ""
    resolution_time_hours: float = 0.0
    audience: Audience | None = None


class Feedback(Verdict, frozen=True, kw_only=True):
    """The last verdict on an episode, and those before it, the oldest first."""

    history: list[Verdict] = []


class Example(msgspec.Struct, frozen=True, kw_only=True):
    """A decision that was found: how like its situation is, what people said of it, and who may know both."""

    decision: Decision
    audience: Audience
    likeness: float = 0.0
    feedback: Feedback | None = None


class Lessons(NamedTuple):
    """What all outcomes in like situations teach: decisions that went well, and such that went wrong."""

    precedents: list[Example]
    setbacks: list[Example]
