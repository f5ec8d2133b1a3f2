"""Assistants in a game with Evennia's `contrib.tutorials.evadventure`, in fights of either kind.

In the settings:

    EVENNIA_AI["CAN_ACT"] = "evennia_ai.contrib.evadventure.can_act"

and a typeclass of the game:

    class Npc(FighterMixin, AssistantMixin, EvAdventureNPC): ...

and for blows that miss, in the same file, for the kinds of fights that the game has:

    noticed(combat_twitch.EvAdventureCombatTwitchHandler)
"""

from __future__ import annotations

from typing import Any

from evennia.scripts.models import ScriptDB

from evennia_ai.agent import speech
from evennia_ai.contrib import attacks
from evennia_ai.core.states import Able

# What the contrib calls the script of a fight: on each fighter, or on the room.
FIGHT = "combathandler"


class FighterMixin:
    """Lets the mind of a body notice who attacks it: put it in front of an NPC of the contrib."""

    def at_attacked(self, attacker: Any, **kwargs: Any) -> None:
        """Notice it as the fight begins."""
        super().at_attacked(attacker, **kwargs)  # type: ignore[misc]
        attacks.notice(self, attacker)

    def at_damage(self, damage: int, attacker: Any = None) -> None:
        """Notice a blow that hits."""
        super().at_damage(damage, attacker=attacker)  # type: ignore[misc]
        if attacker is not None:
            attacks.notice(self, attacker)


def noticed(fight: Any) -> Any:
    """Let NPCs notice each attack in a kind of fights (its script's class), also one that misses; return it."""
    attack = fight.action_classes["attack"]
    if not issubclass(attack, _Telling):
        told = type(attack.__name__, (_Telling, attack), {})
        fight.action_classes = {**fight.action_classes, "attack": told}
    return fight


class _Telling:
    """An attack that tells the one who is attacked."""

    def execute(self) -> None:
        attacks.notice(self.target, self.combatant)  # type: ignore[attr-defined]
        super().execute()  # type: ignore[misc]


def can_act(npc: Any) -> bool | Able:
    """Return whether an NPC may do anything now: it is not dead. In a fight it only cries out."""
    if not speech.can_act(npc):
        return False
    if getattr(npc, "hp", None) is None:
        return True
    if not _stands(npc):
        return False
    return Able.ONLY_SPEAK if _fights(npc) else True


def _stands(fighter: Any) -> bool:
    hp = attacks.hit_points(getattr(fighter, "hp", None))
    return hp is None or hp > 0


def _fights(npc: Any) -> bool:
    """Return whether an enemy who stands fights with an NPC.

    The script of an NPC outlives a fight from which its enemies have gone.
    """
    places = (npc.id, npc.location.id)
    for fight in ScriptDB.objects.filter(db_obj_id__in=places, db_key=FIGHT):
        if fight.obj == npc or npc in getattr(fight, "combatants", ()):
            _, enemies = fight.get_sides(npc)
            if any(map(_stands, enemies)):
                return True
    return False
