"""Would the tests notice? `python -m tests.house.mutants --seed 7 --count 40` breaks the code, a place at a time.

Each mutation is drawn by the seed and made in a copy of the checkout. First the tests run that reach
its line, as build/reached says, which a run of the suite records if it is not there; those that are most
about its file come first, and the first failure is enough. For those that they miss, all of `make test`
runs at the end. It prints for each which test failed and, last, how many were found.
"""

import argparse
import ast
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

from tests.house import reached
from tests.house.rules import ROOT

# What is not the product's own behaviour.
LEFT_OUT = ("migrations", "testing")
# Operators that want to be told of what, and those that change nothing: "is None", "== None".
OPERATORS = [
    name
    for name in operator_names()
    if "Variable" not in name
    and not name.endswith(("Is_Eq", "Eq_Is", "IsNot_NotEq", "NotEq_IsNot"))
]
PARTS = (
    "evennia_ai",
    "tests",
    "world",
    "server",
    "docs",
    "setup.cfg",
    "pyproject.toml",
    "README.md",
    "CHANGELOG.md",
    "SECURITY.md",
)
# Seconds of CPU after which tests hang.
PATIENCE = 900
# How a run ends in which tests passed.
CLOSING = r"^[1-9]\d* passed, 0 failed,"
NO_END = "the run did not get to its end"


class Mutation(NamedTuple):
    """One place in one file, and what becomes of it."""

    path: Path
    line: int
    operator: str
    code: str

    @property
    def name(self):
        return f"{self.path.relative_to(ROOT)}:{self.line} {self.operator.removeprefix('core/')}"


def draw(seed, count):
    """Return so many mutations, each of another file; a longer file is drawn sooner."""
    chance = random.Random(seed)
    found = (path for path in sorted((ROOT / "evennia_ai").rglob("*.py")))
    files = [path for path in found if not set(LEFT_OUT) & set(path.parts)]
    sizes = [path.read_text("utf-8").count("\n") for path in files]
    drawn = _without_end(chance, files, sizes)
    made = (mutation for path in drawn if (mutation := _mutation(path, chance)))
    return list(islice(made, count))


def _without_end(chance, files, sizes):
    seen = set()
    while len(seen) < len(files):
        [path] = chance.choices(files, sizes)
        if path not in seen:
            seen.add(path)
            yield path


def _mutation(path, chance):
    """Return a mutation of one place in a file, or None if it has none."""
    code = path.read_text("utf-8")
    places = _places(code)
    for where in chance.sample(sorted(places), len(places)):
        name, occurrence = chance.choice(places[where])
        mutated = mutate_code(code, get_operator(name)(), occurrence)
        if mutated and _is_python(mutated):
            return Mutation(path, where[0], name, mutated)
    return None


def _is_python(code):
    """Return whether code can be read: the star of "def f(*, name)" is no operator."""
    try:
        ast.parse(code)
    except SyntaxError:
        return False
    return True


def _places(code):
    """Return {(line, column): [(operator, how often it could be used before)]} of what runs."""
    typed, nodes, places = list(_types(code)), list(ast_nodes(get_ast(code))), {}
    for name in OPERATORS:
        operator, before = get_operator(name)(), 0
        for node in nodes:
            for (line, column), _ in operator.mutation_positions(node):
                if not any(first <= (line, column) < last for first, last in typed):
                    places.setdefault((line, column), []).append((name, before))
                before += 1
    return places


def _types(code):
    """Return where annotations stand, which nobody runs."""
    for node in ast.walk(ast.parse(code)):
        for kind in ("annotation", "returns"):
            if isinstance(one := getattr(node, kind, None), ast.AST):
                yield (one.lineno, one.col_offset), (one.end_lineno, one.end_col_offset)


def missed(mutations, tests_of, folders):
    """Print which of some tests notices each mutation; return those that none does."""

    def attempt(mutation):
        began, folder = time.monotonic(), folders.get()
        found = _noticed(mutation, tests_of(mutation), folder)
        folders.put(folder)
        print(
            f"{time.monotonic() - began:>5.0f} s  {mutation.name}: {found or 'missed'}", flush=True
        )
        return found

    with ThreadPoolExecutor(folders.qsize()) as pool:
        found = list(pool.map(attempt, mutations))
    return [mutation for mutation, test in zip(mutations, found, strict=True) if not test]


def _noticed(mutation, tests, folder):
    """Return which test notices a mutation that is made in a copy of the checkout, or ""."""
    place = folder / mutation.path.relative_to(ROOT)
    whole = place.read_text("utf-8")
    place.write_text(mutation.code, "utf-8")
    try:
        found = _failed(tests, folder) if tests else ""
    finally:
        place.write_text(whole, "utf-8")
    # A test that fails without it as well has not noticed it: a busy machine was too slow.
    is_of_chance = found not in ("", NO_END) and bool(_failed([found], folder))
    return "" if is_of_chance else found


def _failed(tests, folder):
    """Return the first of these tests that fails, or ""."""
    command = "evennia test --settings test_settings --failfast --exclude-tag=scenario"
    # A loop that does not end is noticed, too.
    limited = ["sh", "-c", f'ulimit -t {PATIENCE}; exec {command} "$@"', "sh", *tests]
    done = subprocess.run(
        limited,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    # Where Evennia cannot start, it says so and ends as if all was well.
    if not done.returncode and re.search(CLOSING, done.stdout, re.MULTILINE):
        return ""
    named = re.search(r"^(?:FAIL|ERROR): .*?\((.+?)\)", done.stdout, re.MULTILINE)
    return named[1] if named else NO_END


def main():
    """Draw, try and count."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--jobs", type=int, default=2)
    wanted = parser.parse_args()
    reached.record()
    drawn, folders = draw(wanted.seed, wanted.count), SimpleQueue()
    with tempfile.TemporaryDirectory() as name:
        for number in range(wanted.jobs):
            folders.put(_copy(Path(name) / str(number)))
        left = missed(drawn, lambda one: reached.reaching(one.path, one.line), folders)
        print(f"{len(left)} are missed by the tests that reach them: now by all")
        survived = missed(left, lambda one: ["tests"], folders)
    print(f"{len(drawn) - len(survived)} of {len(drawn)} found, seed {wanted.seed}")
    return len(survived) > len(drawn) // 10


def _copy(folder):
    """Return a copy of the checkout, without what it has written."""
    for part in PARTS:
        leave = shutil.ignore_patterns("__pycache__", "*.db3*", "logs", ".static", ".media")
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, folder / part, ignore=leave)
        else:
            shutil.copy(ROOT / part, folder / part)
    (folder / "server" / "logs").mkdir(parents=True, exist_ok=True)
    return folder


if __name__ == "__main__":
    sys.exit(main())
