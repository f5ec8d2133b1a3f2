"""Assistants in a game with Evennia's `contrib.game_systems.turnbattle`.

In the settings:

    EVENNIA_AI["CAN_ACT"] = "evennia_ai.contrib.turnbattle.can_act"

and where the command set of the contrib is added:

    self.add(turnbattle.noticed(tb_basic.BattleCmdSet()))
"""

from __future__ import annotations

from typing import Any

from evennia.contrib.game_systems.turnbattle.tb_basic import COMBAT_RULES

from evennia_ai.agent import speech
from evennia_ai.contrib import attacks
from evennia_ai.core.states import Able


def can_act(npc: Any) -> bool | Able:
    """Return whether an NPC may do anything now: it is not defeated. In a fight it only cries out."""
    hp = attacks.hit_points(npc.db.hp)
    is_defeated = hp is not None and hp <= 0
    if is_defeated or not speech.can_act(npc):
        return False
    return Able.ONLY_SPEAK if COMBAT_RULES.is_in_combat(npc) else True


def noticed(commands: Any) -> Any:
    """Return a command set of the contrib, of which NPCs notice each attack, also one that misses."""
    for command in commands.commands:
        if hasattr(command, "rules"):
            command.rules = _Noticed(command.rules)
    return commands


class _Noticed:
    """Rules of the contrib that tell the one who is attacked."""

    def __init__(self, rules: Any) -> None:
        self._rules = rules

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rules, name)

    def resolve_attack(self, attacker: Any, defender: Any, *args: Any, **kwargs: Any) -> Any:
        attacks.notice(defender, attacker)
        return self._rules.resolve_attack(attacker, defender, *args, **kwargs)
