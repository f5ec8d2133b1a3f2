"""How a mind sums up its conversations: the settings, and what a builder chose for it alone.

On the script, under plain Attribute names: `compact_enabled`, `compact_preserve_window`,
`compact_model` (an alias of the setting LLM), `compact_prompt` (in place of our own instructions)
and `last_compaction`.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from evennia_ai import conf
from evennia_ai.domain.records import format_time
from evennia_ai.storage import attributes

LAST = "last_compaction"


def settings(script: Any) -> dict[str, Any]:
    """Return {"enabled", "preserve_window", "model", "prompt", "last_compaction"} and the shares."""
    general = conf.get("COMPACT")
    return {
        **general,
        "enabled": bool(_chosen(script, "compact_enabled", general["enabled"])),
        "preserve_window": _chosen(script, "compact_preserve_window", general["preserve_window"]),
        "model": _chosen(script, "compact_model", None),
        "prompt": _chosen(script, "compact_prompt", ""),
        "last_compaction": _chosen(script, LAST, None),
    }


def note(script: Any, *, now: datetime) -> None:
    """Note when a conversation was last summed up."""
    attributes.save(script, LAST, format_time(now), category=None)


def _chosen(script: Any, key: str, otherwise: Any) -> Any:
    chosen = attributes.load(script, key, category=None)
    return otherwise if chosen is None else chosen
