"""Measures the house: `python -m tests.house.table [CHECKOUT …]`, a column for each checkout, by default this one.

The path of a line is played in each checkout (`tests.house.path`, 0 where that is missing); all else is read.

What normal play never reaches is not counted but guessed: public functions that nothing in the package calls
or imports, and no dotted path names; those of `testing/` are for games.
"""

import ast
import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

from tests.house.rules import ROOT


def measure(root):
    """Return {what is counted: figure} of a checkout."""
    code = _parsed(root / "evennia_ai")
    nodes = [node for tree, _ in code.values() for node in ast.walk(tree)]
    texts = [text for _, text in code.values()]
    tests = [path.read_text("utf-8") for path in (root / "tests").rglob("*.py")]
    names = Counter(path.stem for path in code if path.stem != "__init__")
    folders = Counter(path.parent for path in code if path.name != "__init__.py")
    functions = [one for one in nodes if isinstance(one, ast.FunctionDef)]
    return {
        "files": len(code),
        "lines": sum(text.count("\n") for text in texts),
        "lines of tests": sum(text.count("\n") for text in tests),
        "largest folder": max(folders.values()),
        "basenames that occur more than once": sum(count > 1 for count in names.values()),
        "dict[str, Any]": sum(text.count("dict[str, Any]") for text in texts),
        "module state: names of `global`": sum(
            len(one.names) for one in nodes if isinstance(one, ast.Global)
        ),
        "module state: containers that start empty": sum(
            map(_begins_empty, (one for tree, _ in code.values() for one in tree.body))
        ),
        # All of these are dropped in one place.
        "module state: of the whole server": sum(text.count("volatile.keep(") for text in texts),
        "module state: of each active assistant": sum(
            text.count("volatile.of_assistants(") for text in texts
        ),
        "results of functions that are kept": sum(text.count("volatile.once") for text in texts),
        "functions": len(functions),
        "lines of the longest function": max(one.end_lineno - one.lineno + 1 for one in functions),
        "public functions that nothing uses": len(list(_unused(code))),
    }


def _parsed(folder):
    found = ((path, path.read_text("utf-8")) for path in sorted(folder.rglob("*.py")))
    return {path: (ast.parse(text), text) for path, text in found}


def _begins_empty(node):
    """Return whether a statement of a module makes a container that is filled later."""
    if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
        return False
    value = ast.unparse(node.value)
    return bool(
        re.fullmatch(r"\{\}|\[\]|set\(\)|dict\(\)|\w*dict\([^()]*\)|\w*[dD]eque\([^()]*\)", value)
    )


def path_of_a_line(root):
    """Return what a checkout measures of the path of a line."""
    if not (root / "tests/house/path.py").exists():
        return {}
    command = [sys.executable, "-m", "tests.house.path"]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    ran = subprocess.run(
        command,
        cwd=root,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
    )
    return json.loads(ran.stdout.splitlines()[-1])


def _unused(code):
    used = {use for tree, _ in code.values() for use in _uses(tree)}
    for path, (tree, _) in code.items():
        for one in tree.body:
            # Evennia calls what begins with `at_`.
            is_public = isinstance(one, ast.FunctionDef) and not one.name.startswith(("_", "at_"))
            if not is_public or one.decorator_list or "testing" in path.parts:
                continue
            module = path.parent.name if path.stem == "__init__" else path.stem
            own = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
            if one.name not in own and not {(module, one.name), ("", one.name)} & used:
                yield f"{path}: {one.name}"


def _uses(tree):
    """Yield (module, name) of what is imported or reached through a module, ("", name) of dotted paths in text."""
    alias = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            alias.update({one.asname or one.name: one.name for one in node.names})
            yield from (((node.module or "").rpartition(".")[2], one.name) for one in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from (("", name) for name in re.findall(r"\w\.(\w+)\b", node.value))
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, (ast.Name, ast.Attribute)):
            module = ast.unparse(node.value).rpartition(".")[2]
            yield alias.get(module, module), node.attr


def main(folders):
    """Print the table, a row for each figure."""
    roots = [Path(folder).resolve() for folder in folders]
    columns = [{**measure(root), **path_of_a_line(root)} for root in roots]
    rows = dict.fromkeys(what for column in columns for what in column)
    width = max(map(len, rows))
    for what in rows:
        print(f"{what:<{width}}", *(f"{column.get(what, 0):>8,}" for column in columns))


if __name__ == "__main__":
    main(sys.argv[1:] or [ROOT])
