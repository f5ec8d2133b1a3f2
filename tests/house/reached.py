"""Which classes of tests reach which lines of the code: one run of the suite records it.

`evennia test --settings test_settings --testrunner tests.house.reached.RecordingRunner tests`
"""

import subprocess
from collections import Counter
from functools import cache
from unittest import TestCase

import coverage

from tests.house.rules import ROOT
from tests.runner import SuiteRunner

RECORD = ROOT / "build" / "reached"


class Reaching(coverage.CoveragePlugin):
    """Tells coverage.py on whose behalf code runs."""

    def dynamic_context(self, frame):
        """Return the class of tests that a frame sets up or runs, if it does."""
        name, known = frame.f_code.co_name, frame.f_locals
        if name == "setUpClass":
            case = known.get("cls")
        elif name == "__call__" and isinstance(known.get("self"), TestCase):
            case = type(known["self"])
        else:
            return None
        return f"{case.__module__}.{case.__qualname__}"


class RecordingRunner(SuiteRunner):
    """Runs tests and keeps what they reach."""

    def run_suite(self, suite, **kwargs):
        """Run the tests."""
        RECORD.parent.mkdir(exist_ok=True)
        recorded = coverage.Coverage(
            data_file=str(RECORD),
            config_file=False,
            include=[str(ROOT / "evennia_ai" / "*")],
            plugins=[lambda registry: registry.add_dynamic_context(Reaching())],
        )
        recorded.start()
        try:
            return super().run_suite(suite, **kwargs)
        finally:
            recorded.stop()
            recorded.save()


def record():
    """Run the suite once to know what reaches what, unless that is known."""
    if not RECORD.exists():
        runner = f"--testrunner={RecordingRunner.__module__}.{RecordingRunner.__name__}"
        command = ["evennia", "test", "--settings", "test_settings", "--exclude-tag=scenario"]
        subprocess.run([*command, runner, "tests"], cwd=ROOT, stdin=subprocess.DEVNULL)


def reaching(path, line):
    """Return the classes of tests that reach a line, those that are most about its file first.

    What runs as a module is loaded is reached by all that reach anything of the module.
    """
    lines, totals = _record()
    found = lines[str(path)]
    within = Counter(name for names in found.values() for name in names)
    names = found.get(line) or within
    return sorted(names, key=lambda name: (-within[name] / totals[name], name))


@cache
def _record():
    """Return {file: {line: classes that reach it}} and how many lines each class reaches."""
    data, lines, totals = coverage.CoverageData(str(RECORD)), {}, Counter()
    data.read()
    for file in data.measured_files():
        reached = data.contexts_by_lineno(file)
        lines[file] = {line: set(filter(_is_there, names)) for line, names in reached.items()}
        for names in lines[file].values():
            totals.update(names)
    return lines, totals


@cache
def _is_there(name):
    """Return whether a class that was recorded is one of tests still, and no base of them."""
    module, _, kind = name.rpartition(".")
    path = ROOT.joinpath(*module.split(".")).with_suffix(".py")
    if not path.name.startswith("test_") or not path.exists():
        return False
    return f"class {kind}(" in path.read_text("utf-8")
