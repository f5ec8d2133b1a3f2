"""Attacks, for the adapters of Evennia's fights: an NPC notices who attacks it."""

from __future__ import annotations

from numbers import Real
from typing import Any

from evennia_ai import scheduling
from evennia_ai.agent.hearing import perception

# Blows of the same attacker that come sooner after each other are one attack.
SECONDS = 60.0


def hit_points(given: Any) -> float | None:
    """Return hit points as a number, None if they are none: anybody who may write Attributes wrote them."""
    return float(given) if isinstance(given, Real) else None


def notice(npc: Any, attacker: Any) -> None:
    """Let the mind of an NPC perceive "attacked", once while the same attacker goes on."""
    now = scheduling.clock().seconds()
    blows = {who: when for who, when in (npc.ndb.ai_blows or {}).items() if now - when < SECONDS}
    npc.ndb.ai_blows = {**blows, attacker.id: now}
    if attacker.id not in blows and attacker != npc:
        perception.perceive(npc, "attacked", "attacks you", attacker)
