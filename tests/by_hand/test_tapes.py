"""What was answered by hand once is played again: the same is said, and no work of the mind is lost."""

import json
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from unittest import TestCase, mock

from django.test import tag

from evennia_ai import scheduling
from evennia_ai.semantic import memory_thread
from evennia_ai.testing import AITestCase
from tests.by_hand import play as by_hand_play
from tests.by_hand import requests
from tests.by_hand import tape as by_hand_tape
from tests.house.rules import ROOT
from tests.test_model_server import message, post

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
# A short day is enough for a night with all of its work.
NIGHT = {
    "evennia_ai.memory.people.entity_profiles.RIPE": 1,
    "evennia_ai.memory.state.reflection_state.THRESHOLD": 10,
    "evennia_ai.sleep.reflection.EVIDENCE": 3,
    "evennia_ai.sleep.summaries.SHARE": 0.02,
    "evennia_ai.sleep.summaries.WINDOW": 2,
}


def tools(*names):
    return {"content": "", "tool_calls": [{"name": name, "arguments": {}} for name in names]}


def said(words):
    return {"content": words, "tool_calls": []}


INN = by_hand_tape.Tape(
    "inn.yaml",
    SCENE,
    [
        {"did": "Ann says: Mara, look around.", "line": 4},
        {"asked": 1, "job": "reply", "after": [], "answer": tools("look")},
        {"asked": 2, "job": "reply", "after": ["look"], "answer": said("A quiet room.")},
        {"said": [["say", "A quiet room."]], "used": ["look"]},
        {"did": "Bob says: Mara, who brews the ale?", "line": 5},
        {"asked": 3, "job": "reply", "after": [], "answer": said("Old Tam.")},
        {"said": [["say", "Old Tam."]], "used": []},
    ],
)


class TapeTestCase(AITestCase):
    def tearDown(self):
        # A scene has a clock of its own.
        scheduling.set_clock(self.clock)
        memory_thread.set_worker(memory_thread.InlineWorker())
        super().tearDown()

    def replay(self, tape):
        return by_hand_play.replay(tape)


@tag("scenario")
class TapesTests(TapeTestCase):
    def test_every_tape_plays_as_it_was_recorded(self):
        self.assertTrue(TAPES)
        for constant, value in NIGHT.items():
            self.enterContext(mock.patch(constant, value))
        for path in TAPES:
            with self.subTest(path.name):
                self.assertEqual(self.replay(by_hand_tape.read(path)), [])


class NightTests(TestCase):
    """At night nobody says who comes first."""

    def body(self, words, question="What do these come to?"):
        known = requests.JOBS
        title = next(title for title, job in known.items() if job == "consolidate")
        schema = {"title": title, "type": "object"}
        return {
            "messages": [
                {"role": "system", "content": question},
                {"role": "user", "content": f'Observations of "{words}":\n1: "Says: {words}."'},
            ],
            "response_format": {"json_schema": {"schema": schema}},
        }

    def test_people_in_another_order_get_answers_of_their_own(self):
        names = ("Ann", "Bob", "Cid")
        lines = [
            by_hand_tape.asked_line(number, self.body(name), {"content": name, "tool_calls": []})
            for number, name in enumerate(names, 1)
        ]
        tape = by_hand_tape.Tape("night", "", lines)
        with by_hand_tape.ReplayServer(tape) as server:
            for name in ("Bob", "Ann", "Dan"):
                found = message(post(server, self.body(name, question="What is this?")))
                self.assertEqual(found["content"], name if name != "Dan" else "Cid")
            self.assertEqual((server.problems, server.left_over()), ([], []))


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

    def changed(self, number, **changes):
        """Return the tape with another line for a request."""
        lines = [{**line, **changes} if line.get("asked") == number else line for line in INN.lines]
        return replace(INN, lines=lines)

    def test_a_tape_holds_what_was_done_asked_answered_and_said(self):
        tape = self.record(tools("look"), said("A quiet room."), said("Old Tam."))
        self.assertEqual((tape.name, tape.scene, self.problems), ("inn.yaml", SCENE, []))
        short = [{key: one for key, one in line.items() if key != "digest"} for line in tape.lines]
        self.assertEqual(short, INN.lines)
        by_hand_tape.write(self.folder / "inn.jsonl", tape)
        self.assertEqual(by_hand_tape.read(self.folder / "inn.jsonl"), tape)
        self.assertEqual(self.replay(INN), [])

    def test_other_words_of_a_prompt_do_not_matter(self):
        scene = SCENE.replace("keeps the inn", "has kept the inn for years")
        self.assertEqual(self.replay(replace(INN, scene=scene)), [])

    def test_a_request_too_many_is_told(self):
        lines = [line for line in INN.lines if line.get("asked") != 3]
        self.assertIn(
            "the tape inn.yaml has no request 3 of the job reply.",
            self.replay(replace(INN, lines=lines)),
        )

    def test_a_request_too_few_is_told(self):
        more = {**INN.asked[-1], "asked": 4}
        self.assertEqual(
            self.replay(replace(INN, lines=[*INN.lines, more])),
            ["the tape inn.yaml has 1 more of the job reply."],
        )

    def test_a_request_of_another_kind_is_told(self):
        told = self.replay(self.changed(2, after=[]))
        self.assertEqual(
            told[0],
            "inn.yaml: request 2 of the job reply comes after look, and on the tape after no tool.",
        )

    def test_a_tool_that_is_not_offered_any_more_is_told(self):
        told = self.replay(self.changed(1, answer=tools("juggle")))
        self.assertEqual(
            told[0],
            "inn.yaml: request 1 of the job reply does not offer juggle, which the tape uses.",
        )

    def test_other_words_that_are_said_are_told(self):
        told = self.replay(self.changed(3, answer={"content": "Tam.", "tool_calls": []}))
        self.assertEqual(len(told), 1)
        self.assertIn("and now {'said': [['say', 'Tam.']], 'used': []}.", told[0])

    def test_what_should_hold_is_looked_at_again(self):
        told = self.replay(
            replace(INN, scene=SCENE.replace("must_mention: tam", "must_mention: owl"))
        )
        self.assertEqual(
            told, ["inn.yaml, line 5: must_mention: owl should be said, and it said 'Old Tam.'."]
        )

    def test_a_tape_is_recorded_anew_and_asked_is_what_does_not_fit(self):
        # As if a look had been part of the prompt by then.
        lines = [line for line in INN.lines if line.get("asked") != 2]
        by_hand_tape.write(self.folder / "inn.jsonl", replace(INN, lines=lines))
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

    def test_a_round_of_tools_stays_whatever_is_said_meanwhile(self):
        scene = SCENE.replace(
            '  - Bob: "Mara, who brews the ale?"\n    must_mention: tam\n',
            '  - Ann: "Mara, who brews the ale?"\n    meanwhile: true\n',
        )
        tape = self.record(tools("look"), {"content": "Old Tam."}, scene=scene)
        self.assertEqual([line["after"] for line in tape.asked], [[], ["look"]])
        self.assertEqual(by_hand_tape.lost_rounds(tape.lines), [])

    def test_a_round_of_tools_that_was_thrown_away_is_told(self):
        two = {
            "content": "",
            "tool_calls": [*tools("look")["tool_calls"], *tools("give")["tool_calls"]],
        }
        lines = [
            # What it does in a quiet hour uses up none of the tools of talk.
            {"asked": 0, "job": "reflect", "after": [], "answer": tools("add_goal")},
            {"said": [], "used": ["add_goal"]},
            {"asked": 1, "job": "reply", "after": [], "answer": tools("look")},
            {"asked": 2, "job": "reply", "after": [], "answer": two},
            {"asked": 3, "job": "extract", "after": [], "answer": tools("noop")},
            # What ends a turn may leave the next tool unused.
            {"said": [], "used": ["look"]},
            {"asked": 4, "job": "reply", "after": [], "answer": tools("give")},
            {"said": [], "used": []},
        ]
        self.assertEqual(by_hand_tape.lost_rounds(INN.lines), [])
        self.assertEqual(
            by_hand_tape.lost_rounds(lines),
            [
                "the tools of request 2 were not used: look, give.",
                "the tools of request 4 were not used: give.",
            ],
        )
