"""A model by hand from a shell: a scene that is recorded, and a server for a running game."""

import io
import json
import os
import subprocess
import sys
import urllib.request
from contextlib import nullcontext

from django.core.management import CommandError, call_command
from django.test import tag

from evennia_ai import scheduling
from evennia_ai.semantic import memory_thread
from tests.by_hand import __main__ as by_hand
from tests.house.rules import ROOT
from tests.testing.dialogue_cases import HEAD, DialogueTestCase

SCENE = f"{HEAD}dialogue:\n  - Ann: Mara, who brews the ale here?\n    must_mention: tam\n"


class PlayTests(DialogueTestCase):
    def setUp(self):
        super().setUp()
        self.patch(by_hand, "throwaway_database", nullcontext)
        self.out = io.StringIO()
        self.write("scene.yaml", SCENE)

    def tearDown(self):
        # A scene has a clock of its own.
        scheduling.set_clock(self.clock)
        memory_thread.set_worker(memory_thread.InlineWorker())
        super().tearDown()

    def play(self, answer):
        self.write("0001.answer.txt", answer)
        try:
            call_command(
                by_hand.Command(), play=self.game / "scene.yaml", folder=self.game, stdout=self.out
            )
        finally:
            self.lines = self.out.getvalue().splitlines()

    def test_a_scene_is_played_and_leaves_a_tape(self):
        self.play("Old Tam does.")
        self.assertIn("ok - line 4: Ann says: Mara, who brews the ale here?", self.lines)
        self.assertIn("    say: Old Tam does.", self.lines)
        self.assertEqual(self.lines[-1], f"The tape is {self.game}/scene.jsonl.")
        first, *rest = (self.game / "scene.jsonl").read_text("utf-8").splitlines()
        self.assertEqual(json.loads(first), {"name": "scene.yaml", "scene": SCENE})
        self.assertEqual(json.loads(rest[-1]), {"said": [["say", "Old Tam does."]], "used": []})

    def test_what_does_not_go_as_it_should_fails_and_the_tape_is_kept(self):
        with self.assertRaises(CommandError) as caught:
            self.play("An owl does.")
        self.assertEqual(str(caught.exception), "The scene did not go as it should.")
        self.assertIn("not ok - line 4: Ann says: Mara, who brews the ale here?", self.lines)
        self.assertTrue((self.game / "scene.jsonl").exists())

    def test_what_is_wrong_with_a_file_is_one_sentence(self):
        for option, text, sentence in (
            (
                "play",
                f"nps: x\n{SCENE}",
                "scene.yaml, line 1: there is no key 'nps'; did you mean npc?",
            ),
            ("replay", "{}", f"{self.game}/scene.yaml is no tape: 'name'."),
        ):
            self.write("scene.yaml", text)
            with self.subTest(option), self.assertRaises(CommandError) as caught:
                call_command(
                    by_hand.Command(), **{option: self.game / "scene.yaml"}, folder=self.game
                )
            self.assertEqual(str(caught.exception).splitlines()[0], sentence)


@tag("scenario")
class ServeTests(DialogueTestCase):
    def test_a_shell_serves_a_running_game_and_says_how(self):
        serving = subprocess.Popen(
            [
                *(sys.executable, "-m", "tests.by_hand"),
                *("--port", "0", "--folder", str(self.game / "by_hand")),
            ],
            cwd=ROOT,
            env={
                **os.environ,
                "PYTHONUNBUFFERED": "1",
                "PATH": f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}",
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(serving.wait)
        self.addCleanup(serving.stdout.close)
        self.addCleanup(serving.kill)
        lines = []
        while not lines or not lines[-1].startswith("ready "):
            lines.append(serving.stdout.readline())
            self.assertNotEqual(lines[-1], "", lines)
        base_url = lines[-1].split()[1]
        written = "".join(lines)
        settings = {"EVENNIA_AI": {}}
        exec(written[written.index("EVENNIA_AI[") : written.index("ready ")], settings)
        options = settings["EVENNIA_AI"]["LLM"]["default"]["OPTIONS"]
        self.assertEqual(options["base_url"], base_url)
        with urllib.request.urlopen(f"{base_url}/models") as answer:
            self.assertEqual(answer.status, 200)
