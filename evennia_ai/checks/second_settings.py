"""Check for a second `EVENNIA_AI = ...` in a settings file, which would replace the first in silence."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings

from evennia_ai.checks.problem import Problem, warning

NAME = "EVENNIA_AI"


def check_twice() -> Iterator[Problem]:
    """Yield each assignment of the settings file of this game that a later one loses."""
    module = sys.modules.get(getattr(settings, "SETTINGS_MODULE", None) or "")
    file = getattr(module, "__file__", None)
    if file is None:
        return
    try:
        tree = ast.parse(Path(file).read_text("utf-8"))
    except (OSError, SyntaxError, ValueError):
        return
    yield from find_lost(tree, Path(file).name)


def find_lost(tree: ast.Module, file: str) -> Iterator[Problem]:
    """Yield the assignments of a parsed file that are lost, with the keys that go with them."""
    before: ast.Assign | None = None
    for node in tree.body:
        if not isinstance(node, ast.Assign) or not _names(node):
            continue
        # One that is made of what stood there before loses nothing.
        uses = any(isinstance(one, ast.Name) and one.id == NAME for one in ast.walk(node.value))
        if before is not None and not uses and (lost := _keys(before)):
            yield warning(
                "W112",
                f"{file} sets {NAME} in line {before.lineno} and again in line {node.lineno}, so that "
                f"the first is lost: {', '.join(lost)}.",
                f'{NAME}["{_first(node)}"] = …  # in line {node.lineno}, for each key',
            )
        before = node


def _names(node: ast.Assign) -> bool:
    return any(isinstance(target, ast.Name) and target.id == NAME for target in node.targets)


def _keys(node: ast.Assign) -> list[str]:
    if not isinstance(node.value, ast.Dict):
        return []
    return [str(key.value) for key in node.value.keys if isinstance(key, ast.Constant)]


def _first(node: ast.Assign) -> str:
    return next(iter(_keys(node)), "LLM")
