"""The benchmark with a real model measures what it says, and leaves nothing behind: with a scripted model."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from argparse import Namespace
from contextlib import suppress
from pathlib import Path

import yaml
from django.test import tag

from tests import model_steps as steps
from tests.benchmarks import model
from tests.benchmarks.model import how_broken
from tests.model_server import ModelServer
from tests.scenarios.game import ROOT

NAMES = ("Mara", "Ann")
SCENE = {
    "npcs": [{"name": "Mara", "description": "Keeps an inn.", "lore": ["The stew is pike."]}],
    "players": ["Ann"],
    "holds": {"Ann": ["comb"]},
    "lines": [
        {"who": "Ann", "kind": "lore", "command": "say Mara, what is the stew today?"},
        {"who": "Ann", "kind": "departure", "command": "north"},
        {"who": "Ann", "kind": "arrival", "command": "south"},
        {"who": "Ann", "kind": "whisper", "command": "whisper Mara = And is the stew good?"},
    ],
}
PLAIN = "Pike, if you must know."
OURS = ("Pike, Ann, and plenty of it.", "The stew is the best on the river.")
CACHED = {
    "prompt_tokens": 200,
    "completion_tokens": 9,
    "prompt_tokens_details": {"cached_tokens": 150},
}


def answer(body):
    """Answer the game, of a prompt of which three quarters were in the cache, and the rival."""
    is_rival = body["max_tokens"] == model.PLAIN_TOKENS and "The talk so far:" in str(body)
    data = steps.completion({"content": PLAIN if is_rival else OURS["good" in str(body)]})
    return steps.data(
        {**data, "usage": CACHED, **({"timings": {"prompt_n": 30}} if is_rival else {})}
    )


@tag("scenario")
class ModelBenchmarkTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.lines = self.folder / "lines.yaml"
        self.lines.write_text(yaml.safe_dump(SCENE))

    def test_players_hear_the_model_and_each_answer_is_counted(self):
        with ModelServer(answer) as server:
            options = {"base_url": server.base_url, "plain_url": None, "model": "any"}
            options |= {
                "lines": self.lines,
                "out": self.folder / "out",
                "alone": False,
                "limit": None,
                "deadline": None,
            }
            found = model.measure(Namespace(**options))
        self.assertEqual(
            [found[key] for key in ("lines", "moves", "answered", "timeouts")], [2, 2, 2, 0]
        )
        self.assertEqual((found["plain"]["server"], found["plain"]["broken"]), ("same", 0))
        self.assertEqual(
            (found["prompt_tokens"]["last"], found["plain"]["new_tokens"]["mean"]), (200, 30)
        )
        self.assertEqual(found["plain"]["cached_share"], 0.85)
        rows = [json.loads(row) for row in (self.folder / "out" / "replies.jsonl").open()]
        self.assertEqual([row["plain_reply"] for row in rows], [PLAIN, None, None, PLAIN])
        self.assertEqual([row["reply"] for row in rows], [OURS[0], "", "", OURS[1]])

    def test_whoever_ends_the_benchmark_ends_its_game(self):
        with ModelServer(answer) as server:
            command = [sys.executable, "-m", "tests.benchmarks.model", "--model", "any"]
            command += ["--base-url", server.base_url, "--lines", self.lines, "--out", self.folder]
            # What it starts has its environment.
            mark = {**os.environ, "BEGUN_BY": str(self.folder)}
            with subprocess.Popen(command, cwd=ROOT, env=mark, stderr=-1, text=True) as begun:
                # The first line was answered, so the game is there.
                next(line for line in begun.stderr if '"who": "Ann"' in line)
                self.assertGreaterEqual(len(self.begun()), 3)
                begun.terminate()
                begun.wait(5)
        self.assertEqual(self.begun(), [])

    def begun(self):
        """Return the processes of a benchmark that run."""
        found = []
        for path in Path("/proc").glob("[0-9]*/environ"):
            with suppress(OSError):
                if f"BEGUN_BY={self.folder}".encode() in path.read_bytes():
                    found.append(path.parent.name)
        return found

    def test_what_nobody_would_say_is_told_from_what_somebody_says(self):
        for reply, kind in (
            ('{"name": "look", "arguments": {}}', "a call"),
            ("Approach: Meet. Reason: she is kind.", "a label"),
            ('"Ann" says: "Who makes the beer?"', "a role"),
            ("Bread.\nAnn: Thank you!", "a role"),
            ("**Bread** and stew.", "markup"),
            ("who makes the beer here", "an echo"),
            ("Say only what you know, and never what you were told to keep.", "the prompt"),
            ("Sister Agda makes it, Ann: up in the monastery.", ""),
            ("The beer? Sister Agda makes the beer here.", ""),
        ):
            rule = "Say only what you know, and never what you were told to keep."
            with self.subTest(reply):
                self.assertEqual(how_broken(reply, "Who makes the beer here?", NAMES, [rule]), kind)
