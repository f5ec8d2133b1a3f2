"""Writes a seed (persona and lore in YAML) while the server is down, or shows what it would change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from evennia.utils.ansi import strip_ansi

from evennia_ai.commands.aimemory import memory_format
from evennia_ai.commands.base import all_minds
from evennia_ai.memory.seeds import seeding

# Evennia's launcher writes it while a server runs.
PID_FILE = "server/server.pid"


class Command(BaseCommand):
    """`@aimemory/seed` for a shell: a deployment, or a check that a file is right."""

    help = "Write the persona and lore of a YAML file in the folder of seeds to its assistants."

    def add_arguments(self, parser: Any) -> None:
        """Take the file, and whether to write."""
        parser.add_argument("file", help="its name in world/minds")
        parser.add_argument("--dry-run", action="store_true", help="only show what would change")
        parser.add_argument(
            "--join",
            action="store_true",
            help="let those who were tagged since in on what others know from this file",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Show the differences, and write them unless it is a dry run."""
        is_dry = options["dry_run"]
        if not is_dry and (Path(settings.GAME_DIR) / PID_FILE).exists():
            # A running server holds the NPCs in memory, and would not see it.
            raise CommandError("The server runs: use @aimemory/seed in the game, or stop it first.")
        try:
            file, planned = seeding.read(options["file"], [mind.obj for mind in all_minds()])
        except ValueError as error:
            raise CommandError(f"{error} Nothing was done.") from None
        shown = [(f"{one.npc.key}(#{one.npc.id})", one.plan.changes) for one in planned]
        self.stdout.write(
            strip_ansi(memory_format.differences(shown)) or f"{file}: nothing to change."
        )
        joining = [one for one in planned if one.joins and not options["join"]]
        if joining and not is_dry:
            new = ", ".join(
                f"{one.npc.key}(#{one.npc.id}) is tagged {one.joins}" for one in joining
            )
            raise CommandError(
                f"{new} and was not in {file} before. --join lets in who is tagged since; nothing "
                "was done."
            )
        if planned and not is_dry:
            seeding.apply(file, planned)
            self.stdout.write(f"{file} is written.")
