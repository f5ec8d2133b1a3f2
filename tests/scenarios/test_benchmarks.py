"""Each benchmark, played small: it comes to its end with the figures that it is for, and ends at a word."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import ANY

from django.test import tag

from tests.benchmarks import __main__ as everything
from tests.benchmarks import ending
from tests.processes import ROOT

FOLDER = ROOT / "tests" / "benchmarks"
# So many at once, and seconds after which one of them hangs.
AT_ONCE, PATIENCE = 2, 600
TALK = {
    "memories": [
        {"id": 1, "text": "Ann: Who brews the ale?", "speaker": "Ann", "session": 1},
        {"id": 2, "text": "Bo: Old Tam, by the mill.", "speaker": "Bo", "session": 1},
        {"id": 3, "text": "Ann: The wolf ate a sheep.", "speaker": "Ann", "session": 2},
    ],
    "questions": [{"text": "What did the wolf eat?", "evidence": [3], "category": "single fact"}],
}
# How each is played, and what its line of figures has; ANY is a figure of this machine, or of so small a play.
PLAYED = {
    "workers": (
        "--minds 2 --entries 5 --workers 1 --at-once 2 --latency 0.1 --skip-first",
        {"minds": 2, "nights": ANY},
    ),
    "hostile": ("", {"npcs": 5, "reader_ms": ANY, "say_ms": ANY, "tell_ms": ANY, "forget_ms": ANY}),
    "stall": (
        "--rounds 1 --npcs 4",
        {"n": 4, "unanswered": 0, "worst_gap_ms": ANY, "turns_per_s": ANY},
    ),
    "idle": (
        "--routine --minds 10 --seconds 2",
        {"assistants": 10, "model_calls": 0, "cpu_share": ANY, "day_cpu_share": ANY},
    ),
    "crash": (
        "--kills 6 --fresh-kills 1",
        {"kills": 6, "lost": 0, "doubled": 0, "completed": True},
    ),
    "crash_life": ("--kills 12", {"kills": 12, "lost": 0, "doubled": 0}),
    "crash_facts": (
        "--kills 6",
        {"kills": 6, "waiting": 0, "without_fact": 0, "facts_twice": 0, "copies_twice": 0},
    ),
    "secrets": ("--prompts 40", {"prompts": ANY, "leaks": 0, "audience_recall": 1.0}),
    "recall": ("{talk}", {"memories": 3, "questions": 1, "recall@10": 1.0, "mrr": 1.0}),
    "life": ("{talk}", {"lines": 3, "questions": 1, "kept_evidence": 1.0, "in_prompt_recall": 1.0}),
    "year": ("--days 2 --questions 8", {"told": 44, "lost": 0, "known": {"1": 1.0, "3": 1.0}}),
    "village": (
        "--npcs 4 --days 1 --meetings 10",
        {"unwatched_calls": 0, "conditional_leaks": 0, "confidential_leaks": 0, "things_lost": 0},
    ),
    "talk": ("borin --set dev", {"dev": ANY}),
    "replay": ("--n 2", {"n": 2, "relative_gain": ANY, "held_out": ANY, "same_world": ANY}),
}
# Those that are ended at a word, and the seconds after which.
ENDED = {"idle": 5.0, "crash": 3.0, "year": 2.0}


@tag("scenario")
class BenchmarkTests(unittest.TestCase):
    def test_none_is_forgotten(self):
        runnable = {
            path.stem
            for path in FOLDER.glob("*.py")
            if 'if __name__ == "__main__"' in path.read_text("utf-8")
            and not path.stem.startswith(("inside_", "make_", "__"))
        }
        # That of a real model is played by `test_model_benchmark`.
        runnable.remove("model")
        self.assertEqual(set(PLAYED), runnable)
        self.assertEqual({name for name, *_ in everything.BENCHMARKS}, runnable)

    def test_each_comes_to_its_end_with_the_figures_that_it_is_for(self):
        with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(AT_ONCE) as beside:
            talk = Path(folder, "talk.json")
            talk.write_text(json.dumps(TALK), encoding="utf-8")
            playing = {
                name: beside.submit(self.play, name, arguments.format(talk=talk).split())
                for name, (arguments, _) in PLAYED.items()
            }
            for name, (_, expected) in PLAYED.items():
                with self.subTest(name):
                    done = playing[name].result()
                    self.assertEqual(done.returncode, 0, done.stderr[-3000:])
                    figures = json.loads(done.stdout.splitlines()[-1])
                    self.assertEqual(figures["benchmark"], name)
                    self.assertEqual({one: figures.get(one, "?") for one in expected}, expected)
                    if name == "workers":
                        [night] = figures["nights"]
                        self.assertEqual(
                            (night["done"], night["lost"], night["doubled"]), (2, 0, 0)
                        )
                    if name == "talk":
                        self.assertGreater(figures["dev"]["right"], figures["dev"]["wrong"])
                        self.assertLess(figures["dev"]["wrong"], 0.15)

    def test_one_that_is_terminated_leaves_nothing_behind(self):
        for name, seconds in ENDED.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                playing = subprocess.Popen(
                    [sys.executable, "-m", f"tests.benchmarks.{name}"],
                    cwd=ROOT,
                    env={**os.environ, "TMPDIR": folder},
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )
                time.sleep(seconds)
                self.assertIsNone(playing.poll())
                self.assertGreater(len(ending.processes_of(folder)), 1)
                playing.send_signal(signal.SIGTERM)
                self.assertEqual(playing.wait(5.0), 128 + signal.SIGTERM)
                self.assertEqual(ending.processes_of(folder), [])
                self.assertEqual(os.listdir(folder), [])

    def play(self, name, arguments):
        """Play one in a process of its own; return it when it is over."""
        return subprocess.run(
            [sys.executable, "-m", f"tests.benchmarks.{name}", *arguments],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
