"""Writes `docs/settings.md` from the defaults and the comments of `evennia_ai/defaults.py`."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path
from textwrap import dedent
from typing import Any, NamedTuple

from django.core.management.base import BaseCommand, CommandError

from evennia_ai import defaults

INTRODUCTION = """\
# Settings

All settings of evennia_ai are keys of one dict in `server/conf/settings.py`, each best in a line of its
own; what is not there has the value shown here. `evennia check` names a wrong one, with the line that mends it.

```python
EVENNIA_AI["TURN_DEADLINE"] = 20.0
# `...` stands for our own list, so that one line adds to it.
EVENNIA_AI["TOOL_MODULES"] = [..., "world.ai_tools"]
```

This page is written from `evennia_ai/defaults.py` by `make docs`.
"""


class Entry(NamedTuple):
    """Settings that one comment speaks of: the heading above them, if any, words and source."""

    heading: str
    names: list[str]
    words: str
    source: str


def page() -> str:
    """Return the page of the settings, as Markdown."""
    parts = [INTRODUCTION]
    for entry in read_entries(inspect.getsource(defaults)):
        if entry.heading:
            parts.append(f"## {entry.heading}\n")
        title = ", ".join(f"`{name}`" for name in entry.names)
        parts.append(f"### {title}\n\n{entry.words}\n\n```python\n{entry.source}\n```\n")
    return "\n".join(parts)


def read_entries(source: str) -> list[Entry]:
    """Return the entries of the dict `DEFAULTS` in the source of a module, in its order.

    A key without a comment of its own belongs to the one above it.
    """
    lines = source.splitlines()
    entries: list[Entry] = []
    for key, value in _defaults(source):
        code = dedent("\n".join(lines[key.lineno - 1 : value.end_lineno]))
        heading, words = _comment_above(lines, key.lineno - 1)
        if words or not entries:
            entries.append(Entry(heading, [key.value], words, code))
        else:
            last = entries.pop()
            entries.append(
                last._replace(names=[*last.names, key.value], source=f"{last.source}\n{code}")
            )
    return entries


def _defaults(source: str) -> list[tuple[Any, Any]]:
    for node in ast.parse(source).body:
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "DEFAULTS":
            assert isinstance(node.value, ast.Dict)
            return list(zip(node.value.keys, node.value.values, strict=True))
    raise CommandError("evennia_ai/defaults.py has no DEFAULTS.")


def _comment_above(lines: list[str], index: int) -> tuple[str, str]:
    """Return the heading and the words of the comment that ends above a line."""
    block: list[str] = []
    while index and lines[index - 1].lstrip().startswith("#"):
        index -= 1
        block.insert(0, lines[index].strip().removeprefix("#").strip())
    heading = next((line[3:] for line in block if line.startswith("## ")), "")
    return heading, "\n".join(line for line in block if not line.startswith("## ")).strip()


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
