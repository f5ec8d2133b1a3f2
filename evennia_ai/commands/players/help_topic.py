"""The help topic `npcs` for players, in the language of the game where we have it.

It is a file entry of Evennia's help, the first of all: an entry of that name in a module of the game
or written by `sethelp` takes its place.
"""

from __future__ import annotations

import re
from pathlib import Path

from django.conf import settings
from evennia.help.filehelp import FILE_HELP_ENTRIES

from evennia_ai import conf
from evennia_ai.experience import base as experience

OTHERWISE = "en"
# What is typed, and below it what that does.
ITEM = re.compile(r"^  \S.*\n(?:   .*\n)+", re.M)


def install() -> None:
    """Put the topic in front of the modules of the game, once: each load reads them all."""
    if __name__ not in FILE_HELP_ENTRIES.help_file_modules:
        FILE_HELP_ENTRIES.help_file_modules.insert(0, __name__)
        FILE_HELP_ENTRIES.load()


def text() -> str:
    """Return what players read, with the names that our commands have in this game."""
    language = str(settings.LANGUAGE_CODE).partition("-")[0]
    paths = [Path(__file__).with_name(f"help_npcs.{one}.txt") for one in (language, OTHERWISE)]
    written = next(path for path in paths if path.exists()).read_text("utf-8")
    keys = dict(conf.get("COMMAND_KEYS"))
    if not experience.is_enabled():
        keys["rate"] = ""
    return _with_commands(written, keys)


def _with_commands(written: str, keys: dict[str, str]) -> str:
    """Return a text with the names of commands, and without those that the game has left out."""
    gone = [f"{{{name}}}" for name, key in keys.items() if not key]
    kept = ITEM.sub(lambda item: "" if any(name in item[0] for name in gone) else item[0], written)
    return kept.format_map(keys)


HELP_ENTRY_DICTS = [{"key": "npcs", "aliases": ["npc"], "category": "General", "text": text()}]
