"""Evennia's commands that ask no lock of what they change; of an NPC with a mind, here they do.

A Tag decides which lore and which prototype an NPC gets, and a prototype may change its locks. `@link`
makes an exit of it, and its home is where it goes when it is lost.
"""

from __future__ import annotations

from typing import Any, Iterable

from evennia.commands.default.building import (
    CmdLink,
    CmdSetHome,
    CmdSpawn,
    CmdTag,
    CmdUnLink,
)
from evennia.prototypes import menus
from evennia.prototypes.prototypes import search_objects_with_prototype

from evennia_ai.agent.speech import escaped
from evennia_ai.commands.base import called
from evennia_ai.memory.people.accounts import may_change
from evennia_ai.typeclasses import scripts

REFUSED = "You may not change {names}: an NPC with a mind is for those who control it."


class CmdTagOfMinds(CmdTag):
    __doc__ = CmdTag.__doc__

    def func(self) -> None:
        """Do what Evennia does, unless it would change the Tags of somebody else's NPC."""
        changes = self.args and (self.rhs or "del" in self.switches)
        if changes and "search" not in self.switches and _refuses(self.caller, self._found()):
            return
        super().func()

    def _found(self) -> list[Any]:
        return called(self.caller, self.lhs, here="del" not in self.switches)


class CmdLinkOfMinds(CmdLink):
    __doc__ = CmdLink.__doc__

    def func(self) -> Any:
        """Do what Evennia does, unless somebody else's NPC would lead somewhere, or no more."""
        # Where it leads is looked for in the whole game, and the way back leads from there.
        leads = "twoway" in self.switches and self.rhs
        if _changes_place(self, self.lhs, here=True) or (
            leads and _changes_place(self, self.rhs, here=False)
        ):
            return None
        return super().func()


class CmdUnLinkOfMinds(CmdUnLink):
    __doc__ = CmdUnLink.__doc__

    def func(self) -> Any:
        """Do what Evennia does, unless somebody else's NPC would lead nowhere any more."""
        self.rhs = ""
        return None if _changes_place(self, self.lhs, here=True) else super().func()


class CmdSetHomeOfMinds(CmdSetHome):
    __doc__ = CmdSetHome.__doc__

    def func(self) -> Any:
        """Do what Evennia does, unless it would change the home of somebody else's NPC."""
        return None if _changes_place(self, self.lhs, here=False) else super().func()


class CmdSpawnOfMinds(CmdSpawn):
    __doc__ = CmdSpawn.__doc__

    def func(self) -> Any:
        """Do what Evennia does; its menu does not update somebody else's NPC, either."""
        yield from super().func()
        menu = self.caller.ndb._evmenu
        if isinstance(menu, menus.OLCMenu):
            menu._menutree["node_apply_diff"] = _node_apply_diff

    def _update_existing_objects(self, caller: Any, prototype_key: str, quiet: bool = False) -> Any:
        if _refuses(caller, search_objects_with_prototype(prototype_key)):
            return None
        return super()._update_existing_objects(caller, prototype_key, quiet=quiet)


def _node_apply_diff(caller: Any, **kwargs: Any) -> Any:
    prototype = kwargs.get("prototype") or {}
    key = prototype.get("prototype_key")
    objects = kwargs.get("objects") or (search_objects_with_prototype(key) if key else ())
    refusal = _refusal(caller, objects)
    if refusal:
        return refusal, {"key": "_default", "goto": "node_index"}
    return menus.node_apply_diff(caller, **kwargs)


def _changes_place(command: Any, name: str | None, *, here: bool) -> bool:
    """Return whether a command would change where somebody else's NPC belongs, and say so."""
    if not command.args or command.rhs is None or not name:
        return False
    return _refuses(command.caller, called(command.caller, name, here=here))


def _refuses(caller: Any, objects: Iterable[Any]) -> bool:
    refusal = _refusal(caller, objects)
    if refusal:
        caller.msg(refusal)
    return bool(refusal)


def _refusal(caller: Any, objects: Iterable[Any]) -> str:
    minds = [one for one in objects if one is not None and scripts.find(one) is not None]
    foreign = [one.key for one in minds if not may_change(caller, one)]
    return REFUSED.format(names=escaped(", ".join(foreign))) if foreign else ""
