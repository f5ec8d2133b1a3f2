"""The index of modules: `python -m tests.house.modules` prints `docs/modules.md` from the docstring of each module."""

import ast
from collections import defaultdict

from tests.house.rules import ROOT

PAGE = ROOT / "docs" / "modules.md"
HEAD = """# Modules

Every module of `evennia_ai` and what its docstring says first, by package. Search this page for a word of
what you want to change. Which package may import which, and what is changed in several places at once, stands in
[architecture](architecture.md). `make docs` writes this page.
"""
# Tables of the database as they were made, one file a change, and folders that hold nothing but folders.
LEFT_OUT = {"migrations", "management"}


def page():
    """Return the text of the page."""
    folders = defaultdict(list)
    for path in sorted((ROOT / "evennia_ai").rglob("*.py")):
        folders[path.parent.relative_to(ROOT / "evennia_ai").as_posix()].append(path)
    parts = (_part(name, paths) for name, paths in sorted(folders.items()) if name not in LEFT_OUT)
    return "\n".join([HEAD, *parts])


def _part(folder, paths):
    labels = {path.name: _label(path) for path in paths}
    about = labels.pop("__init__.py", "")
    title = "evennia_ai" if folder == "." else folder
    rows = (f"- `{name}`: {label}" for name, label in labels.items())
    return "\n".join([f"## {title}/", "", *([about, ""] if about else []), *rows, ""])


def _label(path):
    docstring = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    return " ".join(docstring.partition("\n\n")[0].split())


if __name__ == "__main__":
    print(page(), end="")
