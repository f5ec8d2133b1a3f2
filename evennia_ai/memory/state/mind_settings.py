"""Settings of one mind, by our commands: the interval of ticks, sleep and summaries."""

from __future__ import annotations

from evennia.typeclasses.models import TypedObject

from evennia_ai.memory import kinds, repository
from evennia_ai.memory.kinds import Plain

TICK_RATE = "tick_rate"
SCHEDULE = "sleep_schedule"
THRESHOLDS = ("compact_sleep_threshold", "compact_emergency_threshold")
COMPACT = (
    "compact_enabled",
    "compact_preserve_window",
    *THRESHOLDS,
    "compact_model",
    "compact_prompt",
)
NAMES = (TICK_RATE, SCHEDULE, *COMPACT)


def load(script: TypedObject) -> Plain:
    """Return what was chosen, by the names of NAMES; what is missing the game's settings say."""
    return repository.load(script, kinds.CHOICES) or {}


def choose(script: TypedObject, **chosen: object) -> None:
    """Choose for this mind; None takes a choice back.

    Raises:
        ValueError: There is nothing of that name to choose.
    """
    unknown = chosen.keys() - set(NAMES)
    if unknown:
        raise ValueError(f"a mind has no {', '.join(sorted(unknown))}.")
    left = {key: value for key, value in {**load(script), **chosen}.items() if value is not None}
    repository.save(script, kinds.CHOICES, left)
