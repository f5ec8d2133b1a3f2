"""Whose experience an assistant draws on: its own, or that of a group."""

from __future__ import annotations

from typing import Any

from evennia_ai.experience.base import Experience, get_experience


def experience_of(script: Any, npc: Any) -> Experience:
    """Return the experience of an assistant: its own, or of the group that its builder named.

    `npc.db.experience_scope` names the group.
    """
    group = str(npc.db.experience_scope or "").strip().lower()
    return get_experience(f"group:{group}" if group else script.db.assistant_key)
