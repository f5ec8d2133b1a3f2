"""The owner of experience: an assistant, or a group that shares it."""

from __future__ import annotations

from typing import Any

from evennia_ai.experience.base import Experience, get_experience
from evennia_ai.memory.state import assistant, npc_settings


def group_of(npc: Any) -> str:
    """Return the group that shares experience with an assistant, as its builder named it, or ""."""
    return npc_settings.experience_scope(npc)


def experience_of(script: Any, npc: Any) -> Experience:
    """Return the experience of an assistant: its own, or that of its group."""
    group = group_of(npc)
    return get_experience(f"group:{group}" if group else assistant.key_of(script))
