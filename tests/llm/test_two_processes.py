"""Two processes that share one row of the budget stop at its cap together.

Run as a program, this file is one of the two.
"""

import json
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from django.test import tag

from tests import database_file

ROOT = Path(__file__).resolve().parents[2]
# A call asks for 100 tokens; three in ten of the 2 x 1000 calls fit.
CALLS, CALL_TOKENS, CAP = 1000, 100, 60_000


@tag("scenario")
class TwoProcessesTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.database = str(Path(folder.name) / "budget.db3")

    def start(self, task):
        command = [sys.executable, "-m", "tests.llm.test_two_processes", task, self.database]
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def finish(self, process):
        output, errors = process.communicate("go\n", timeout=300)
        self.assertEqual(process.returncode, 0, errors)
        return json.loads(output)

    def test_together_they_reach_the_cap_and_never_pass_it(self):
        self.finish(self.start("make_tables"))
        spenders = [self.start("spend"), self.start("spend")]
        for spender in spenders:
            self.assertEqual(spender.stdout.readline(), "ready\n")
        # Both at once: each is past its imports and waits for this line.
        for spender in spenders:
            spender.stdin.write("go\n")
            spender.stdin.flush()
        first, second = [self.finish(spender) for spender in spenders]
        self.assertEqual((first["answered"] + second["answered"]) * CALL_TOKENS, CAP)
        self.assertEqual(first["refused"] + second["refused"], 2 * CALLS - CAP // CALL_TOKENS)
        # Neither stood by while the other spent everything: else nothing was shown.
        self.assertGreater(min(first["answered"], second["answered"]), 0)
        connection = sqlite3.connect(self.database)
        self.addCleanup(connection.close)
        rows = connection.execute("SELECT scope, tokens, warned FROM evennia_ai_budget").fetchall()
        self.assertEqual(rows, [("server", CAP, 100)])
        # What staff read: one line at 80 %, one at 100 %, whichever process wrote it.
        told = first["told"] + second["told"]
        self.assertEqual(["80 %" in line for line in sorted(told, key=len)], [True, False])


def set_up_django(database):
    """Configure the least of Django that the budget needs, on a database file."""
    import django
    from django.conf import settings
    from evennia import settings_default

    evennia_settings = {
        name: value for name, value in vars(settings_default).items() if name.isupper()
    }
    options = {
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL;PRAGMA synchronous=NORMAL;",
    }
    own_settings = {
        "INSTALLED_APPS": ["django.contrib.contenttypes", "evennia.server", "evennia_ai"],
        "DATABASES": {
            "default": {
                "ENGINE": "django.db.backends.sqlite3",
                "NAME": database,
                "OPTIONS": options,
            }
        },
        "EVENNIA_AI": {"BUDGET": {"server": {"tokens": CAP}}},
    }
    settings.configure(**{**evennia_settings, **own_settings})
    django.setup()


def make_tables():
    """Make the tables."""
    database_file.make_tables()
    return {}


def spend():
    """Call a model as often as one can, and count."""
    from twisted.logger import capturedLogs

    from evennia_ai.exceptions import BudgetExceeded
    from evennia_ai.llm.base import Request
    from evennia_ai.llm.scripted import ScriptedMind
    from evennia_ai.llm.wrappers.budget import Budget
    from evennia_ai.llm.wrappers.ladder import Ladder
    from tests.llm.logs import lines

    # A mind that does not tell its usage: what was reserved is what was spent.
    budget = Ladder(Budget(ScriptedMind(["Aye."], repeat=True)))
    counts = {"answered": 0, "refused": 0}

    def count_refusal(failure):
        failure.trap(BudgetExceeded)
        counts["refused"] += 1

    def count_answer(completion):
        counts["answered"] += 1

    print("ready", flush=True)
    sys.stdin.readline()
    with capturedLogs() as captured:
        for _ in range(CALLS):
            asking = budget.complete(Request("reply", [], max_tokens=CALL_TOKENS))
            asking.addCallbacks(count_answer, count_refusal)
            asking.addErrback(lambda failure: failure.raiseException())
    return {**counts, "told": lines(captured)}


if __name__ == "__main__":
    set_up_django(sys.argv[2])
    print(json.dumps({"make_tables": make_tables, "spend": spend}[sys.argv[1]]()))
