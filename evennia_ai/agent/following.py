"""Walking after somebody, through the same doors and past the same locks as anybody."""

from __future__ import annotations

from typing import Any

from evennia_ai import movement
from evennia_ai.agent.hearing import presence
from evennia_ai.memory import lookup, routine


def go_after(npc: Any, leader_id: int) -> bool:
    """Go where the leader went, if an open exit leads there; return whether it did."""
    leader = lookup.object_by_id(leader_id)
    if leader is None or leader.location is None or npc.location is None:
        return False
    if presence.is_puppeted(npc) or not routine.can_act(npc):
        return False
    for way in npc.location.exits:
        if way.destination == leader.location and movement.may_pass(npc, way):
            movement.go_through(npc, way)
            # Who leaves is missed only by those who saw that they were there, and the leader may go
            # on before the next tick.
            presence.look_around(npc)
            return True
    return False
