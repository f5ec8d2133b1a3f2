"""A scene that is recorded from a shell."""

import contextlib
import io
import json

from evennia_ai import scheduling
from evennia_ai.semantic import memory_thread
from tests.by_hand import __main__ as by_hand
from tests.testing.dialogue_cases import HEAD, DialogueTestCase

SCENE = f"{HEAD}dialogue:\n  - Ann: Mara, who brews the ale here?\n    must_mention: tam\n"


class PlayTests(DialogueTestCase):
    def setUp(self):
        super().setUp()
        self.patch(by_hand, "throwaway_database", contextlib.nullcontext)
        self.write("scene.yaml", SCENE)

    def tearDown(self):
        # A scene has a clock of its own.
        scheduling.set_clock(self.clock)
        memory_thread.set_worker(memory_thread.InlineWorker())
        super().tearDown()

    def play(self, answer):
        self.write("0001.answer.txt", answer)
        with contextlib.redirect_stdout(io.StringIO()) as out:
            problems = by_hand.main(self.game / "scene.yaml", self.game)
        self.lines = out.getvalue().splitlines()
        return problems

    def test_a_scene_is_played_and_leaves_a_tape(self):
        self.assertEqual(self.play("Old Tam does."), [])
        self.assertIn("ok - line 4: Ann says: Mara, who brews the ale here?", self.lines)
        self.assertIn("    say: Old Tam does.", self.lines)
        self.assertEqual(self.lines[-1], f"The tape is {self.game}/scene.jsonl.")
        first, *rest = (self.game / "scene.jsonl").read_text("utf-8").splitlines()
        self.assertEqual(json.loads(first), {"name": "scene.yaml", "scene": SCENE})
        self.assertEqual(json.loads(rest[-1]), {"said": [["say", "Old Tam does."]], "used": []})

    def test_what_does_not_go_as_it_should_fails_and_the_tape_is_kept(self):
        self.assertEqual(self.play("An owl does."), ["The scene did not go as it should."])
        self.assertIn("not ok - line 4: Ann says: Mara, who brews the ale here?", self.lines)
        self.assertTrue((self.game / "scene.jsonl").exists())
