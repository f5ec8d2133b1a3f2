"""Assistants in a game with Evennia's `contrib.game_systems.turnbattle`.

In the settings:

    EVENNIA_AI["CAN_ACT"] = "evennia_ai.contrib.turnbattle.can_act"

and where the command set of the contrib is added:

    self.add(turnbattle.noticed(tb_basic.BattleCmdSet()))
"""

from __future__ import annotations

from functools import wraps
from typing import Any, Callable

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
    """Return a command set of the contrib, of which NPCs notice each attack, also one that misses.

    Its rules tell the one who is attacked: spells and items go by the same rules.
    """
    for command in commands.commands:
        if hasattr(command, "rules"):
            _let_tell(command.rules)
    return commands


def _let_tell(rules: Any) -> None:
    # A spell attacks without `resolve_attack`; whoever is given a defense is not asked for one.
    for name in ("resolve_attack", "get_defense"):
        # Each command set of a character comes by here.
        if not hasattr(getattr(rules, name), "tells"):
            setattr(rules, name, _telling(getattr(rules, name)))


def _telling(rule: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(rule)
    def tell(attacker: Any, defender: Any, *args: Any, **kwargs: Any) -> Any:
        attacks.notice(defender, attacker)
        return rule(attacker, defender, *args, **kwargs)

    tell.tells = True  # type: ignore[attr-defined]
    return tell
