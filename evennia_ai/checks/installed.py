"""Check of the installation: the database and its tables, commands in the command sets of the game."""

from __future__ import annotations

import pkgutil
import sys
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.db import Error as DatabaseError
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.urls import NoReverseMatch, reverse
from django.utils.module_loading import import_string

from evennia_ai import conf, migrations
from evennia_ai.checks.problem import Problem, info, warning

SETS = {
    "CMDSET_CHARACTER": ("AssistantCmdSet", "CharacterCmdSet"),
    "CMDSET_ACCOUNT": ("AssistantAccountCmdSet", "AccountCmdSet"),
}
GUARD = "evennia_ai.commands.cmdsets.AssistantGuardCmdSet"
SEARCH_GUARD = "evennia_ai.prototype_guard"
OURS = "evennia_ai.commands."
EVENNIAS = "evennia.commands."
MIGRATE = "evennia migrate"
OVERWRITE = 'DATABASES["default"]["OPTIONS"] = {"init_command": "pragma secure_delete=on"}'
PAGES = 'urlpatterns = [path("ai/", include("evennia_ai.web.urls")), *urlpatterns]'


def missing_tables() -> list[str]:
    """Return the migrations of ours that the database lacks."""
    wanted = {module.name for module in pkgutil.iter_modules(migrations.__path__)}
    # Not all that were ever applied, by Django's way: this is asked beside players, too.
    done = MigrationRecorder(connection).migration_qs.filter(app="evennia_ai")
    return sorted(wanted.difference(done.values_list("name", flat=True)))


def check_tables() -> Iterator[Problem]:
    """Yield whether the database lacks tables; whoever migrates is about to mend it."""
    try:
        # A database in which nothing was done yet is said by Evennia.
        is_made = MigrationRecorder(connection).has_table() and "migrate" not in sys.argv
        lacking = missing_tables() if is_made else []
    except DatabaseError:
        lacking = []
    if lacking:
        sentence = f"The database lacks tables of ours ({', '.join(lacking)})."
        yield warning("W101", sentence, MIGRATE)


def check_overwriting() -> Iterator[Problem]:
    """Yield a warning if deleted words stay readable in the bytes of the game's SQLite file."""
    if connection.vendor != "sqlite":
        return
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT * FROM pragma_secure_delete")
            [mode] = cursor.fetchone()
    except DatabaseError:
        # Evennia reports a file that cannot be opened.
        return
    # Mode 2 ("fast") overwrites only part of what is deleted.
    if mode != 1:
        yield warning(
            "W116",
            "SQLite does not overwrite what is deleted from the game's database, so forgotten words can still "
            "be read in its file.",
            OVERWRITE,
        )


def check_commands() -> Iterator[Problem]:
    """Yield which of our commands players and staff of this game cannot use, and why."""
    for name in SETS:
        yield from _check_set(name)


def check_prototypes() -> Iterator[Problem]:
    """Yield which functions of prototypes search the database without our guard."""
    from evennia.prototypes.prototypes import FUNC_PARSER
    from evennia.utils.funcparser import SEARCHING_CALLABLES

    stock = SEARCHING_CALLABLES.values()
    unguarded = [f"${name}" for name, call in FUNC_PARSER.callables.items() if call in stock]
    if unguarded:
        yield info(
            "I117",
            "Any builder can guess what NPCs remember, a word at a time, by "
            f"{', '.join(unguarded)} in a prototype.",
            f'PROT_FUNC_MODULES = PROT_FUNC_MODULES + ["{SEARCH_GUARD}"]',
        )


def check_pages() -> Iterator[Problem]:
    """Yield whether the game has none of our pages."""
    try:
        reverse("evennia_ai:town")
    except NoReverseMatch:
        yield warning(
            "W112",
            "The game's website has no pages for minds: web/urls.py lacks a line below its urlpatterns.",
            PAGES,
        )


def _check_set(name: str) -> Iterator[Problem]:
    path = getattr(settings, name, "")
    ours, theirs = SETS[name]
    commands = _commands_of(path)
    if commands is None:
        return
    found = [command for command in commands if _is_ours(command)]
    if not found:
        yield warning(
            "W110",
            f"{path} has none of our commands: `self.add({ours})` is missing at the end of the "
            f"at_cmdset_creation of {theirs}.",
            f"from evennia_ai.commands.cmdsets import {ours}",
        )
    elif name == "CMDSET_CHARACTER":
        yield from _check_hidden(commands, found)
        yield from _check_guards(commands)


def _check_guards(commands: list[Any]) -> Iterator[Problem]:
    """Yield which commands ask no lock of an NPC with a mind."""
    types = {type(command) for command in commands}
    guards = _commands_of(GUARD) or ()
    unguarded = sorted(command.key for command in guards if type(command) not in types)
    if unguarded:
        yield info(
            "I116",
            f"Any builder can change any NPC with a mind by {', '.join(unguarded)}, since our guards "
            "are not the last line in the at_cmdset_creation of CharacterCmdSet.",
            f"self.add({GUARD.rpartition('.')[2]})",
        )


def _check_hidden(commands: list[Any], found: list[Any]) -> Iterator[Problem]:
    """Yield each command of the game that stands where one of ours should; Evennia's own together: their order is wrong."""
    there = {name for command in found for name in (command.key, *command.aliases)}
    stock = []
    for ours, key in conf.get("COMMAND_KEYS").items():
        over = next(
            (
                one
                for one in commands
                if key and key not in there and key in (one.key, *one.aliases)
            ),
            None,
        )
        if over is None:
            continue
        if type(over).__module__.startswith(EVENNIAS):
            stock.append(key)
            continue
        where = f"{type(over).__module__}.{type(over).__name__}"
        yield warning(
            "W111",
            f"The game's own command {key!r} ({where}) takes the place of ours.",
            f'EVENNIA_AI.setdefault("COMMAND_KEYS", {{}})["{ours}"] = "ai{key.lstrip("@")}"',
        )
    if stock:
        yield warning(
            "W111",
            f"Evennia's own {', '.join(stock)} take the place of ours: a set that is added later brings them back. "
            "In the at_cmdset_creation of CharacterCmdSet ours has to be the last line.",
            "self.add(AssistantCmdSet)",
        )


def _commands_of(path: str) -> list[Any] | None:
    """Return the commands of a set, None if it cannot be made here; Evennia says why when it starts."""
    try:
        return list(import_string(path)().commands)
    except (ImportError, AttributeError, NameError, SyntaxError, TypeError):
        return None


def _is_ours(command: Any) -> bool:
    return any(base.__module__.startswith(OURS) for base in type(command).__mro__)
