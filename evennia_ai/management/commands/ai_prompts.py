"""Writes `docs/prompts.md` from a scene that is played for it; see `testing/prompt_page.py`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from evennia_ai.management.commands.ai_test import throwaway_database
from evennia_ai.testing import prompt_page


class Command(BaseCommand):
    """Prints the page, writes it, or says whether the one on disk is up to date."""

    help = "Print what models are asked for each job, word for word (docs/prompts.md)."

    def add_arguments(self, parser: Any) -> None:
        """Take where to write, or what to compare with."""
        parser.add_argument("--write", metavar="FILE", type=Path, help="write the page there")
        parser.add_argument("--check", metavar="FILE", type=Path, help="fail if it differs")

    def handle(self, *args: Any, **options: Any) -> None:
        """Do what the options ask for."""
        write, check = options["write"], options["check"]
        with throwaway_database():
            page = prompt_page.page()
        if check and (not check.exists() or check.read_text("utf-8") != page):
            raise CommandError(f"{check} is not up to date; `make docs` writes it.")
        if write:
            write.write_text(page, "utf-8")
        if not write and not check:
            self.stdout.write(page, ending="")
