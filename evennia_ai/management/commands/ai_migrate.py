"""`evennia ai_migrate`: moves what version 0.1 kept, while the server is down."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from evennia_ai.management.commands.ai_seed import PID_FILE
from evennia_ai.memory.storage import first_version_migration as migration


class Command(BaseCommand):
    """Move what version 0.1 of evennia_ai kept to where it is kept now. It can be run again."""

    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:
        """Do it, and say how much that was."""
        if (Path(settings.GAME_DIR) / PID_FILE).exists():
            # A running server does it by itself, and holds the NPCs in memory.
            raise CommandError("The server runs, and moves it by itself; or stop it first.")
        self.stdout.write(migration.said(migration.finish()))
