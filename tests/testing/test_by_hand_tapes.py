"""What was answered by hand once is played again: the same is said, and no work of the mind is lost."""

import json
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

from evennia_ai import pace
from evennia_ai.semantic import worker
from evennia_ai.testing import AITestCase, by_hand_play, by_hand_tape
from tests.house_rules import ROOT

# Seconds after which an answer that a test forgot fails it.
PATIENCE = 20.0
TAPES = sorted((ROOT / "tests/data/by_hand").glob("*.jsonl"))
SCENE = """\
seed: {name: Mara, persona: {description: Mara keeps the inn.}, lore: [Tam brews the ale.]}
people: {Ann: {}, Bob: {}}
dialogue:
  - Ann: "Mara, look around."
  - Bob: "Mara, who brews the ale?"
    must_mention: tam
"""


def tools(*names):
    return {"content": "", "tool_calls": [{"name": name, "arguments": {}} for name in names]}


class TapeTestCase(AITestCase):
    def tearDown(self):
        # A scene has a clock of its own.
        pace.set_clock(self.clock)
        worker.set_worker(worker.InlineWorker())
        super().tearDown()

    def replay(self, tape):
        return by_hand_play.replay(tape)


class TapesTests(TapeTestCase):
    def test_every_tape_plays_as_it_was_recorded(self):
        self.assertTrue(TAPES)
        for path in TAPES:
            with self.subTest(path.name):
                self.assertEqual(self.replay(by_hand_tape.read(path)), [])


class RecordTests(TapeTestCase):
    """A scene is recorded with answers that lie there already."""

    def setUp(self):
        super().setUp()
        self.folder = Path(tempfile.mkdtemp(prefix="evennia-ai-by-hand-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.told = []

    def record(self, *answers, scene=SCENE):
        for number, answer in enumerate(answers, 1):
            path = self.folder / f"{number:04}.answer.json"
            path.write_text(json.dumps(answer), encoding="utf-8")
        path = self.folder / "inn.yaml"
        path.write_text(scene, encoding="utf-8")
        report, tape = by_hand_play.record(
            path, self.folder, timeout=PATIENCE, tell=lambda text: None
        )
        self.problems = [one for result in report.results for one in result.problems]
        return tape

    def inn(self):
        return self.record(tools("look"), {"content": "A quiet room."}, {"content": "Old Tam."})

    def changed(self, tape, number, **changes):
        """Return the tape with another answer, or another line, to a request."""
        lines = [
            {**line, **changes} if line.get("asked") == number else line for line in tape.lines
        ]
        return replace(tape, lines=lines)

    def test_a_tape_holds_what_was_done_asked_answered_and_said(self):
        tape = self.inn()
        self.assertEqual((tape.name, tape.scene, self.problems), ("inn.yaml", SCENE, []))
        short = [{key: one for key, one in line.items() if key != "digest"} for line in tape.lines]
        self.assertEqual(
            short,
            [
                {"did": "Ann says: Mara, look around.", "line": 4},
                {"asked": 1, "job": "reply", "after": [], "answer": tools("look")},
                {
                    "asked": 2,
                    "job": "reply",
                    "after": ["look"],
                    "answer": {"content": "A quiet room.", "tool_calls": []},
                },
                {"said": [["say", "A quiet room."]], "used": ["look"]},
                {"did": "Bob says: Mara, who brews the ale?", "line": 5},
                {
                    "asked": 3,
                    "job": "reply",
                    "after": [],
                    "answer": {"content": "Old Tam.", "tool_calls": []},
                },
                {"said": [["say", "Old Tam."]], "used": []},
            ],
        )
        by_hand_tape.write(self.folder / "inn.jsonl", tape)
        self.assertEqual(by_hand_tape.read(self.folder / "inn.jsonl"), tape)
        self.assertEqual(self.replay(tape), [])

    def test_other_words_of_a_prompt_do_not_matter(self):
        tape = self.inn()
        scene = SCENE.replace("keeps the inn", "has kept the inn for years")
        self.assertEqual(self.replay(replace(tape, scene=scene)), [])

    def test_a_request_too_many_is_told(self):
        tape = self.inn()
        lines = [line for line in tape.lines if line.get("asked") != 3]
        self.assertIn(
            "the tape inn.yaml has no request 3 of the job reply.",
            self.replay(replace(tape, lines=lines)),
        )

    def test_a_request_too_few_is_told(self):
        tape = self.inn()
        more = {**tape.asked[-1], "asked": 4}
        self.assertEqual(
            self.replay(replace(tape, lines=[*tape.lines, more])),
            ["the tape inn.yaml has 1 more of the job reply."],
        )

    def test_a_request_of_another_kind_is_told(self):
        told = self.replay(self.changed(self.inn(), 2, after=[]))
        self.assertEqual(
            told[0],
            "inn.yaml: request 2 of the job reply comes after look, and on the tape after no tool.",
        )

    def test_a_tool_that_is_not_offered_any_more_is_told(self):
        told = self.replay(self.changed(self.inn(), 1, answer=tools("juggle")))
        self.assertEqual(
            told[0],
            "inn.yaml: request 1 of the job reply does not offer juggle, which the tape uses.",
        )

    def test_other_words_that_are_said_are_told(self):
        tape = self.inn()
        told = self.replay(self.changed(tape, 3, answer={"content": "Tam.", "tool_calls": []}))
        self.assertEqual(len(told), 1)
        self.assertIn("and now {'said': [['say', 'Tam.']], 'used': []}.", told[0])

    def test_what_should_hold_is_looked_at_again(self):
        tape = self.inn()
        told = self.replay(
            replace(tape, scene=SCENE.replace("must_mention: tam", "must_mention: owl"))
        )
        self.assertEqual(
            told, ["inn.yaml, line 5: must_mention: owl should be said, and it said 'Old Tam.'."]
        )

    def test_a_tape_is_recorded_anew_and_asked_is_what_does_not_fit(self):
        tape = self.inn()
        shutil.rmtree(self.folder)
        self.folder.mkdir()
        # As if a look had been part of the prompt by then.
        lines = [line for line in tape.lines if line.get("asked") != 2]
        by_hand_tape.write(self.folder / "inn.jsonl", replace(tape, lines=lines))
        answer = self.folder / "0002.answer.json"
        answer.write_text(json.dumps({"content": "A loud room."}), encoding="utf-8")
        report, anew = by_hand_play.record(
            self.folder / "inn.jsonl", self.folder, timeout=PATIENCE, tell=self.told.append
        )
        self.assertTrue(report.passed)
        self.assertEqual(
            [line["said"] for line in anew.said], [[["say", "A loud room."]], [["say", "Old Tam."]]]
        )
        self.assertEqual(anew.scene, SCENE)
        self.assertEqual(
            [line.split(" (")[0] for line in self.told[1:]],
            [
                "0001 was answered before.",
                "0002 asks: reply",
                "0002 is answered.",
                "0003 was answered before.",
            ],
        )

    def test_a_round_of_tools_that_was_thrown_away_is_told(self):
        scene = SCENE.replace(
            '  - Bob: "Mara, who brews the ale?"\n    must_mention: tam\n',
            '  - Ann: "Mara, who brews the ale?"\n    meanwhile: true\n',
        )
        tape = self.record(tools("look"), {"content": "Old Tam."}, scene=scene)
        self.assertEqual([line["after"] for line in tape.asked], [[], []])
        self.assertEqual(
            by_hand_tape.lost_rounds(tape.lines), ["the tools of request 1 were not used: look."]
        )
