"""Reminders that are due: told to whom they are for, or kept until they come."""

from __future__ import annotations

from typing import Any

from evennia_ai.agent.hearing import perception, presence
from evennia_ai.core.records import Reminder
from evennia_ai.domain.memories import promises
from evennia_ai.domain.reasons import DUE
from evennia_ai.memory import identity, lookup, working_memory

# How much it presses, of 10.
PRIORITY = working_memory.PRESSING


def remind(npc: Any, reminder: Reminder) -> None:
    """Let an NPC know that something is due; whoever it is for hears it now, or as they come in."""
    person = lookup.object_by_id(reminder.actor_id) if reminder.actor_id else None
    if reminder.said_by and not _is_with(npc, person, reminder.said_by):
        _keep(npc, reminder)
        return
    perception.perceive(
        npc,
        "reminder",
        reminder.text,
        person,
        audience=reminder.audience,
        payer=reminder.payer,
        reason=DUE,
    )


def _is_with(npc: Any, person: Any, who: str) -> bool:
    """Return whether somebody is beside an NPC, hears it, and is taken for whom they were then."""
    if person is None or npc.location is None or person.location != npc.location:
        return False
    return presence.can_hear(person) and identity.perceived(npc, person) == who


def _keep(npc: Any, reminder: Reminder) -> None:
    """Keep it as what the NPC means to do for somebody, unless it means to do that anyway."""
    kept = working_memory.get_conversation_context(npc, reminder.said_by)
    meant = working_memory.still_pending(kept) if kept else []
    if not any(promises.is_same(reminder.text, one.action) for one in meant):
        working_memory.add_pending_action(
            npc, reminder.said_by, reminder.text, PRIORITY, audience=reminder.audience
        )
