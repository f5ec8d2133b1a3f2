"""Settings of compaction, and what a builder chose for one mind alone.

Chosen can be `compact_enabled`, `compact_preserve_window`, `compact_sleep_threshold`,
`compact_emergency_threshold`, `compact_model` (an alias of the setting LLM) and `compact_prompt` (in place
of our own instructions).
"""

from __future__ import annotations

from datetime import datetime
from typing import TypedDict

from evennia.typeclasses.models import TypedObject

from evennia_ai import conf
from evennia_ai.core.records import format_time
from evennia_ai.memory import kinds
from evennia_ai.memory.state import mind_settings, sleep_state


class Compacting(TypedDict):
    """How a mind sums up: the setting COMPACT, what was chosen for it, and when it last did."""

    enabled: bool
    share: float
    sleep_threshold: float
    emergency_threshold: float
    preserve_window: int
    model: str | None
    prompt: str
    last_compaction: str | None


def settings(script: TypedObject) -> Compacting:
    """Return how a mind sums up its conversations."""
    general: Compacting = conf.get("COMPACT")
    chosen = mind_settings.load(script)
    asleep, awake = mind_settings.THRESHOLDS
    window, model = chosen.get("compact_preserve_window"), chosen.get("compact_model")
    return {
        **general,
        "sleep_threshold": _threshold(chosen, asleep, general["sleep_threshold"]),
        "emergency_threshold": _threshold(chosen, awake, general["emergency_threshold"]),
        "enabled": bool(chosen.get("compact_enabled", general["enabled"])),
        "preserve_window": window if isinstance(window, int) else general["preserve_window"],
        "model": model if isinstance(model, str) else None,
        "prompt": str(chosen.get("compact_prompt") or ""),
        "last_compaction": sleep_state.kept(script).last_compaction,
    }


def _threshold(chosen: kinds.Plain, name: str, otherwise: float) -> float:
    """Return how full a conversation may be, as it was chosen or as the game has it."""
    own = chosen.get(name)
    return float(own) if isinstance(own, (int, float)) else otherwise


def note(script: TypedObject, *, now: datetime) -> None:
    """Note when a conversation was last summed up."""
    sleep_state.note(script, last_compaction=format_time(now))
