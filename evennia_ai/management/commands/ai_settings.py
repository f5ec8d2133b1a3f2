"""Writes `docs/settings.md` from the defaults and the comments of `evennia_ai/defaults.py`."""

from __future__ import annotations

import inspect
from pathlib import Path
from textwrap import dedent
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from evennia_ai import defaults

INTRODUCTION = """\
# Settings

All settings of evennia_ai are keys of one dict in `server/conf/settings.py`, each best in a line of its
own; those that are not there have the values shown here. `evennia check` names a wrong one, with the line that mends it.
Limits, waiting times and sizes that are not here are constants beside the code that uses them.

```python
EVENNIA_AI["TURN_DEADLINE"] = 20.0
# `...` stands for our own list, so that one line adds to it.
EVENNIA_AI["TOOL_MODULES"] = [..., "world.ai_tools"]
```

This page is written from `evennia_ai/defaults.py` by `make docs`.
"""


def page() -> str:
    """Return the page of the settings, as Markdown: a heading and a block of code for each group."""
    source = inspect.getsource(defaults)
    _, *groups = source.partition("DEFAULTS: dict[str, Any] = {\n")[2][:-2].split("    # ## ")
    parts = [INTRODUCTION]
    for group in groups:
        heading, _, code = group.partition("\n")
        parts.append(f"## {heading}\n\n```python\n{dedent(code)}```\n")
    return "\n".join(parts)


class Command(BaseCommand):
    """Prints the page, writes it, or says whether the one on disk is up to date."""

    help = "Print the documentation of the EVENNIA_AI settings (docs/settings.md)."

    def add_arguments(self, parser: Any) -> None:
        """Take where to write, or what to compare with."""
        parser.add_argument("--write", metavar="FILE", type=Path, help="write the page there")
        parser.add_argument("--check", metavar="FILE", type=Path, help="fail if it differs")

    def handle(self, *args: Any, **options: Any) -> None:
        """Do what the options ask for."""
        write, check = options["write"], options["check"]
        if check and (not check.exists() or check.read_text("utf-8") != page()):
            raise CommandError(f"{check} is not up to date; `make docs` writes it.")
        if write:
            write.write_text(page(), "utf-8")
        if not write and not check:
            self.stdout.write(page(), ending="")
