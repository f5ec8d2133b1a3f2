"""NPCs that die of kill -9 amid a walk, a giving, a promise and a passing on lose nothing and do nothing twice."""

import json
import subprocess
import sys
import unittest

from django.test import tag

from tests.processes import ROOT

# The benchmark kills a hundred times.
KILLS = 12


@tag("scenario")
class KillTests(unittest.TestCase):
    def test_what_was_begun_comes_to_its_end_once_whenever_they_die(self):
        done = subprocess.run(
            [sys.executable, "-m", "tests.benchmarks.crash_life", "--kills", str(KILLS)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        figures = json.loads(done.stdout)
        self.assertEqual((figures["lost"], figures["doubled"]), (0, 0), done.stderr[-2000:])
        self.assertEqual(figures["kills"], KILLS)
        self.assertGreater(sum(figures["under_way"].values()), 0)
