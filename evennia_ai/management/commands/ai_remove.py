"""`evennia ai_remove`: takes everything of ours out of a game, before the package is uninstalled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from evennia_ai.lifecycle import removal
from evennia_ai.management.commands.ai_seed import PID_FILE

LAST = (
    "Now take our lines out of server/conf/settings.py, commands/default_cmdsets.py and web/urls.py, and "
    "`pip uninstall evennia-ai`. Do not start or migrate the game before that."
)


class Command(BaseCommand):
    """Take every mind, Tag, ticker, table and file of evennia_ai out of the game: --confirm does it."""

    help = __doc__

    def add_arguments(self, parser: Any) -> None:
        """Take whether to do it."""
        parser.add_argument("--confirm", action="store_true", help="do it; it cannot be undone")

    def handle(self, *args: Any, **options: Any) -> None:
        """Say what there is, and take it away if that was confirmed."""
        if (Path(settings.GAME_DIR) / PID_FILE).exists():
            raise CommandError("The server runs, and would write it anew; `evennia stop` first.")
        found, files = removal.found(), removal.files()
        for name, count in found.items():
            self.stdout.write(f"{count:>8}  {name}")
        for path in files:
            self.stdout.write(f"          {path}")
        for alias in removal.elsewhere():
            self.stdout.write(
                f"The database of long-term memory ({alias!r}) is left alone: delete it there."
            )
        for path in removal.users():
            self.stdout.write(f"{path} is made of ours: take AssistantMixin out of its parents.")
        if options["confirm"]:
            removal.remove_all()
            self.stdout.write(
                f"All of that is gone. {LAST}" if found else f"Nothing was left. {LAST}"
            )
        elif found:
            self.stdout.write(
                "Nothing was done. Copy what you want to keep, then: evennia ai_remove --confirm"
            )
        else:
            self.stdout.write("Nothing is left.")
