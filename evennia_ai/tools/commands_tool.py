"""Commands of the game as a tool: which one a line would run, and whether it may.

A builder lists commands by key, but a line is matched by aliases, prefixes and nicks. So the line
is resolved the way Evennia would do it, and the command that it would find is judged.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from evennia.commands import cmdhandler
from evennia.utils.utils import variable_from_module
from twisted.internet.defer import inlineCallbacks

from evennia_ai import conf
from evennia_ai.domain import audience
from evennia_ai.exceptions import ToolError
from evennia_ai.memory.state import npc_settings
from evennia_ai.tools.base import quoted

# Never run, whoever lists them: they run code, or act as somebody else.
FORBIDDEN = frozenset({"py", "batchcode", "batchcommands", "force"})

# What would make one line into several, in Evennia or in games that split lines.
_SEPARATORS = (";", "\n", "\r")


def permitted(character: Any) -> set[str]:
    """Return the keys of the commands that settings and builder both allow this NPC."""
    for_all = map(_bare, conf.get("ALLOWED_COMMANDS"))
    for_this_one = map(_bare, npc_settings.allowed_commands(character))
    return set(for_all).intersection(for_this_one) - FORBIDDEN - {""}


def check_openness(turn: Any) -> None:
    """Refuse all commands where not everybody may know what the turn draws on.

    Any command may speak: to the room, on a channel, under a name that a game made up.
    """
    if turn.private or turn.audience != audience.PUBLIC:
        raise ToolError("You cannot use commands now: others could hear what is not for them.")


@inlineCallbacks
def find_command(character: Any, line: str) -> Any:
    """Return the command that the line would run; fails with ToolError unless it is permitted."""
    keys = permitted(character)
    if not keys:
        raise ToolError("You have no commands.")
    # With an account, the commands and permissions of a person would come along.
    if character.account:
        raise ToolError("You cannot use commands while a person holds your strings.")
    if any(separator in line for separator in _SEPARATORS):
        raise ToolError("Only one command at a time, on one line, without semicolons.")
    # `execute_cmd` replaces nicks first, so what they stand for is what must be judged.
    meant = character.nicks.nickreplace(
        line, categories=("inputline", "channel"), include_account=True
    ).strip()
    matches = yield _matches(character, meant)
    if len(matches) != 1 or not _may_run(matches[0], keys):
        names = ", ".join(sorted(keys))
        raise ToolError(f"You cannot do {quoted(line)}; what you can do begins with: {names}.")
    return matches[0]


@inlineCallbacks
def _matches(character: Any, line: str) -> Any:
    """Return the commands that Evennia would match, among those whose locks the NPC passes."""
    if not line or any(separator in line for separator in _SEPARATORS):
        return []
    caller, providers = character, list(character.get_cmdset_providers().values())
    cmdset = yield cmdhandler.get_and_merge_cmdsets(caller, providers, "object", line)
    if not cmdset:
        return []
    parse = variable_from_module(*settings.COMMAND_PARSER.rsplit(".", 1))
    return [match[2] for match in parse(line, cmdset, caller)]


def _may_run(command: Any, keys: set[str]) -> bool:
    # `account_caller` is how a command of Evennia says that it acts for the account.
    return _bare(command.key) in keys and not getattr(command, "account_caller", False)


def _bare(key: str) -> str:
    """Return a command's key as a builder may write it: any case, with or without its prefix."""
    return str(key).strip().lower().lstrip(settings.CMD_IGNORE_PREFIXES or "")
