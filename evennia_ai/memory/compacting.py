"""How a mind sums up its conversations: the settings, and what a builder chose for it alone.

Chosen can be `compact_enabled`, `compact_preserve_window`, `compact_model` (an alias of the setting
LLM) and `compact_prompt` (in place of our own instructions).
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from evennia_ai import conf
from evennia_ai.core.records import format_time
from evennia_ai.memory import mind_settings, night


def settings(script: Any) -> dict[str, Any]:
    """Return {"enabled", "preserve_window", "model", "prompt", "last_compaction"} and the shares."""
    general = conf.get("COMPACT")
    return {
        **general,
        "enabled": bool(_chosen(script, "compact_enabled", general["enabled"])),
        "preserve_window": _chosen(script, "compact_preserve_window", general["preserve_window"]),
        "model": _chosen(script, "compact_model", None),
        "prompt": _chosen(script, "compact_prompt", ""),
        "last_compaction": night.kept(script).last_compaction,
    }


def note(script: Any, *, now: datetime) -> None:
    """Note when a conversation was last summed up."""
    night.note(script, last_compaction=format_time(now))


def _chosen(script: Any, key: str, otherwise: Any) -> Any:
    chosen = mind_settings.load(script).get(key)
    return otherwise if chosen is None else chosen
