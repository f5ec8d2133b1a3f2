"""Visits: nothing is kept of a moment in which somebody took part who is remembered for a visit only.

A guest, or who opted out, is heard and answered. What a mind makes of the prompt in which their words
stand has no other place to be told from, so nothing of it is kept.
"""

from __future__ import annotations

from collections.abc import Iterable

from evennia.typeclasses.models import TypedObject

from evennia_ai.memory import lookup
from evennia_ai.memory.people import accounts
from evennia_ai.memory.state import assistant


def may_keep(npc: TypedObject, script: TypedObject, actor_ids: Iterable[int]) -> bool:
    """Return whether what comes of the words of these objects, said before those here, may be kept."""
    heard = {one for one in assistant.guests(script).values() if _is_here(npc, one)}
    people = filter(None, map(lookup.object_by_id, heard.union(actor_ids)))
    return not any(map(accounts.is_passing, people))


def _is_here(npc: TypedObject, object_id: int) -> bool:
    guest = lookup.object_by_id(object_id)
    return guest is not None and guest.location == npc.location
