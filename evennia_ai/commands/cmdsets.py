"""Our commands: `self.add(AssistantCmdSet)` in the game's CharacterCmdSet, and the other in AccountCmdSet."""

from __future__ import annotations

from typing import Any, Iterable

from django.conf import settings
from evennia.commands.cmdset import CmdSet
from evennia.utils.utils import class_from_module

from evennia_ai import conf
from evennia_ai.commands.aiadmin.aiadmin_command import CmdAIAdmin
from evennia_ai.commands.aimemory.aimemory_command import CmdAIMemory
from evennia_ai.commands.assistants.assistant_command import CmdAssistant
from evennia_ai.commands.examine import CmdExamineAssistant
from evennia_ai.commands.players import help_topic
from evennia_ai.commands.players.player import CmdTell
from evennia_ai.commands.players.rate_command import CmdRate
from evennia_ai.commands.players.remember import CmdRemember
from evennia_ai.commands.players.reporting import CmdReport
from evennia_ai.commands.stock import (
    CmdLinkOfMinds,
    CmdSetHomeOfMinds,
    CmdSpawnOfMinds,
    CmdTagOfMinds,
    CmdUnLinkOfMinds,
)

COMMANDS = {
    "assistant": CmdAssistant,
    "aimemory": CmdAIMemory,
    "aiadmin": CmdAIAdmin,
    "tell": CmdTell,
    "rate": CmdRate,
    "remember": CmdRemember,
    "report": CmdReport,
    "examine": CmdExamineAssistant,
}


class AssistantCmdSet(CmdSet):
    """Commands for staff and players, under the keys of COMMAND_KEYS; an empty key leaves one out."""

    key = "evennia_ai_cmdset"

    def at_cmdset_creation(self) -> None:
        """Read the keys now: settings may have changed since the module was imported.

        Who has the set reads in `help npcs` what to do with it.
        """
        help_topic.install()
        keys = conf.get("COMMAND_KEYS")
        ours = [command(key=keys[name]) for name, command in COMMANDS.items() if keys[name]]
        # A set is slow to make, and this one is made for each character that is.
        theirs = list(_account_commands())
        for command in ours:
            for other in _hidden_by(command, theirs):
                self.add(other)
            self.add(command)


class AssistantGuardCmdSet(CmdSet):
    """For the game's CharacterCmdSet: Evennia's commands that ask no lock of an NPC with a mind.

    Without it builders who may not edit such an NPC can change its Tags, home and exits, and
    update it by a prototype.
    """

    key = "evennia_ai_guard_cmdset"

    def at_cmdset_creation(self) -> None:
        """Replace Evennia's commands of the same keys."""
        for command in (
            CmdTagOfMinds,
            CmdSpawnOfMinds,
            CmdLinkOfMinds,
            CmdUnLinkOfMinds,
            CmdSetHomeOfMinds,
        ):
            self.add(command)


class AssistantAccountCmdSet(CmdSet):
    """For the game's AccountCmdSet: what an account can use without playing anybody.

    Evennia's `@examine` there would show what an assistant remembers.
    """

    key = "evennia_ai_account_cmdset"

    def at_cmdset_creation(self) -> None:
        """Read the key now, as above."""
        key = conf.get("COMMAND_KEYS")["examine"]
        if key:
            self.add(CmdExamineAssistant(key=key))


def _hidden_by(ours: Any, theirs: list[Any]) -> list[Any]:
    """Return those of the account's commands that share only an alias with ours, without that alias.

    Evennia's `page` is also called `tell`. Of two commands that share any name only the one of the
    character's set is kept, so that `page` would be gone from the game.
    """
    hidden = []
    for command in theirs:
        if command == ours and command.key not in (ours.key, *ours.aliases):
            left = [name for name in command.aliases if name not in (ours.key, *ours.aliases)]
            command.set_aliases(left)
            hidden.append(command)
    return hidden


def _account_commands() -> Iterable[Any]:
    try:
        return class_from_module(settings.CMDSET_ACCOUNT)()
    except ImportError:
        # Evennia uses a set of its own then, and says so in the log.
        return ()
