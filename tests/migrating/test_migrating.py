"""A database of the first version is brought over whole: nothing lost, nothing doubled, nothing else moved.

`tests/data/first_version/README.md` says what is in it.
"""

import json
import re
import subprocess
import sys
import time
import unittest

from django.test import tag

from tests.migrating import first_version_game
from tests.migrating.first_version_game import (
    FirstVersionGame,
    as_of_today,
    differences,
    inventory,
    left_behind,
    run_inside,
    tables,
)
from tests.processes import ROOT

COMMAND = "ai_migrate"
KILLS, FRESH_KILLS = 6, 1
# Seconds within which a server that starts has migrated so small a game.
PATIENCE = 60
# Whom the start of a server itself changes: half a mind is taken back, and whoever has an identity
# which is not its own is given another.
CHANGED_BY_A_START = ("Gerd", "Flora's double", "Ivo's copy")


@tag("scenario")
class MigratingTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.game = cls.enterClassContext(FirstVersionGame())
        cls.own = first_version_game.games_own(cls.game.directory)
        cls.said = cls.game.run(COMMAND)

    def test_everything_says_what_it_said_before(self):
        self.assertEqual(differences(as_of_today(inventory()), self.game.read()), [])

    def test_nothing_is_left_where_it_was(self):
        self.assertEqual(left_behind(self.game.directory), [])

    def test_what_is_the_games_own_is_not_touched_at_all(self):
        self.assertGreater(len(self.own), 50)
        self.assertEqual(first_version_game.games_own(self.game.directory), self.own)

    def test_the_command_says_in_one_line_how_much_it_did(self):
        lines = [line for line in self.said.splitlines() if re.search(r"\d", line)]
        self.assertEqual(len(lines), 1, self.said)

    def test_run_again_it_changes_nothing_and_says_so(self):
        before = tables(self.game.directory)
        said = self.game.run(COMMAND)
        after = tables(self.game.directory)
        self.assertEqual([name for name in before if before[name] != after[name]], [])
        self.assertRegex(said, r"(?i)\bnothing\b")

    def test_minds_that_were_exported_before_can_be_put_into_others(self):
        with self.game.aside() as aside:
            said = run_inside(aside, "tests.migrating.importing")
        found = json.loads(said.splitlines()[-1])
        self.assertEqual(found["differences"], {"odila": [], "celeste": []})
        self.assertEqual(found["card"]["name"], "Tilda")
        self.assertEqual(found["card"]["lore"], 2)


@tag("scenario")
class MigratingAtStartTests(unittest.TestCase):
    def test_a_server_that_starts_migrates_by_itself(self):
        with FirstVersionGame(EVENNIA_AI={"NAP_WHEN_IDLE": False}) as game:
            run_inside(game.directory, "tests.migrating.halting")
            game.start()
            until = time.monotonic() + PATIENCE
            while left_behind(game.directory) and time.monotonic() < until:
                time.sleep(0.5)
            game.stop()
            self.assertEqual(left_behind(game.directory), [])
            self.assertEqual(game.tracebacks(), [])
            found, expected = game.read(), as_of_today(inventory())
        names = {who: body["key"] for who, body in expected["bodies"].items()}
        same = [who for who in names if names[who] not in CHANGED_BY_A_START]
        for kind in ("bodies", "minds"):
            for who in expected[kind].keys() & set(same):
                with self.subTest(f"{kind} {who}"):
                    # Sleepers wake by the real time of day.
                    one, other = ({**all_[kind][who], "night": {}} for all_ in (expected, found))
                    self.assertEqual(
                        differences({**one, "tick_rate": 0}, {**other, "tick_rate": 0}), []
                    )


@tag("scenario")
class KilledMigrationTests(unittest.TestCase):
    def test_killed_at_any_statement_it_loses_nothing_and_doubles_nothing(self):
        arguments = ["--kills", str(KILLS), "--fresh-kills", str(FRESH_KILLS)]
        done = subprocess.run(
            [sys.executable, "-m", "tests.benchmarks.crash_migration", *arguments],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout.splitlines()[-1])
        self.assertEqual((found["kills"], found["faults"]), (KILLS, 0), done.stderr)
