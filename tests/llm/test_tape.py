"""What a model answered is recorded, and played back without it."""

import json
import shutil
import tempfile
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from evennia_ai.exceptions import LLMRefused, LLMUnavailable
from evennia_ai.llm.base import Completion, ToolCall
from evennia_ai.llm.scripted import ScriptedMind
from evennia_ai.llm.wrappers import tape as tape_module
from evennia_ai.llm.wrappers.tape import Tape
from tests.llm.cases import SAY, request

ANSWER = Completion(
    "Aye.",
    tool_calls=(ToolCall("c1", "say", {"words": "Åh"}, None),),
    thinking="Hm.",
    model="tiny-2",
    prompt_tokens=812,
    completion_tokens=31,
)


def user(words):
    return {"role": "user", "content": words}


class TapeTestCase(SynchronousTestCase):
    def setUp(self):
        super().setUp()
        self.folder = Path(tempfile.mkdtemp(prefix="evennia-ai-tape-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.path = self.folder / "tapes" / "mara.jsonl"

    def record(self, *exchanges):
        """Record answers to words."""
        mind = ScriptedMind([answer for _, answer in exchanges])
        tape = Tape(mind, file=self.path, is_recording=True)
        for words, _ in exchanges:
            self.successResultOf(tape.complete(request(user(words))))

    def play(self, words, *, tape=None, **fields):
        tape = tape or Tape(file=self.path, is_recording=False)
        return tape.complete(request(user(words), **fields))

    def refusal(self, *args, **kwargs):
        return str(self.failureResultOf(self.play(*args, **kwargs), LLMRefused).value)


class TapeTests(TapeTestCase):
    def test_it_is_named_after_what_it_holds(self):
        mind = ScriptedMind([], name="tiny")
        tape = Tape(mind, alias="score")
        self.assertEqual((tape.name, tape.is_model, tape.inner), ("tiny", True, mind))
        alone = Tape(file=self.path)
        self.assertEqual((alone.name, alone.is_model, alone.inner), ("tape", True, None))

    def test_the_whole_answer_comes_back_and_no_model_is_asked(self):
        self.record(("Tom says hi.", ANSWER))
        self.assertEqual(self.successResultOf(self.play("Tom says hi.")), ANSWER)

    def test_while_it_records_the_model_answers(self):
        mind = ScriptedMind([ANSWER])
        tape = Tape(mind, file=self.path, is_recording=True)
        self.assertEqual(self.successResultOf(tape.complete(request(user("Hi.")))), ANSWER)
        self.assertEqual(len(mind.requests), 1)

    def test_a_failure_is_not_recorded(self):
        tape = Tape(
            ScriptedMind([LLMUnavailable("away"), "Aye."]), file=self.path, is_recording=True
        )
        self.failureResultOf(tape.complete(request(user("Hi."))), LLMUnavailable)
        self.assertFalse(self.path.exists())
        self.successResultOf(tape.complete(request(user("Hi."))))
        self.assertEqual(len(self.path.read_text().splitlines()), 1)

    def test_the_same_question_gets_its_answers_in_order_and_then_the_last(self):
        self.record(("Hi.", "One."), ("Ho.", "Other."), ("Hi.", "Two."))
        tape = Tape(file=self.path, is_recording=False)
        said = [self.successResultOf(self.play("Hi.", tape=tape)).text for _ in range(3)]
        self.assertEqual(said, ["One.", "Two.", "Two."])

    def test_it_is_rewound_when_nobody_uses_it_any_more(self):
        self.record(("Hi.", "One."), ("Hi.", "Two."))
        self.assertEqual(self.successResultOf(self.play("Hi.")).text, "One.")
        self.assertEqual(self.successResultOf(self.play("Hi.")).text, "One.")

    def test_two_aliases_share_a_tape(self):
        self.record(("Hi.", "One."), ("Hi.", "Two."))
        one = Tape(file=self.path, alias="default", is_recording=False)
        two = Tape(file=self.path, alias="score", is_recording=False)
        self.assertEqual(self.successResultOf(self.play("Hi.", tape=one)).text, "One.")
        self.assertEqual(self.successResultOf(self.play("Hi.", tape=two)).text, "Two.")

    def test_times_and_ids_may_differ(self):
        self.record(("It is evening, 19:30. #3 came 2 minutes ago.", "Aye."))
        said = self.play("It is night, 23:59. #7 came 3 hours ago.")
        self.assertEqual(self.successResultOf(said).text, "Aye.")

    def test_a_miss_says_what_changed_and_that_asking_again_does_not_help(self):
        self.record(("Tom says hi.", "Aye."))
        self.assertEqual(
            self.refusal("Tom says ho."),
            "the tape mara.jsonl does not fit any more: message 1 (user) says 'Tom says ho.', and "
            "on the tape 'Tom says hi.'. Record it anew.",
        )
        self.assertFalse(LLMRefused.transient)

    def test_another_tool_is_a_miss(self):
        self.record(("Tom says hi.", "Aye."))
        self.assertIn("the tools differ: say (new)", self.refusal("Tom says hi.", tools=(SAY,)))

    def test_without_a_file_it_says_so(self):
        self.assertEqual(
            self.refusal("Hi."), f"the tape {self.path} cannot be read: No such file or directory."
        )

    def test_a_damaged_line_is_named(self):
        self.record(("Hi.", "One."), ("Ho.", "Two."))
        lines = self.path.read_text().splitlines()
        for damage in ("{", '{"key": 1}', "[]", lines[1].replace('"text"', '"txt"')):
            with self.subTest(damage):
                self.path.write_text(f"{lines[0]}\n{damage}\n")
                self.assertEqual(
                    self.refusal("Hi."),
                    "the tape mara.jsonl is damaged in line 2. Record it anew.",
                )

    def test_a_line_shows_what_was_asked_and_holds_no_schema_of_a_tool(self):
        mind = ScriptedMind([ANSWER])
        tape = Tape(mind, file=self.path, is_recording=True)
        self.successResultOf(tape.complete(request(user("Hi."), tools=(SAY,))))
        [line] = map(json.loads, self.path.read_text().splitlines())
        self.assertEqual(sorted(line), ["answer", "key", "request"])
        self.assertEqual(line["request"]["messages"], [{"role": "user", "content": "Hi."}])
        self.assertEqual(list(line["request"]["tools"]), ["say"])
        self.assertNotIn("Say something aloud.", str(line))


class RecordingTests(TapeTestCase):
    def test_without_a_file_it_records_where_a_recording_is_under_way(self):
        self.patch(tape_module, "recorded_on", self.path)
        recorder = Tape(ScriptedMind(["Aye."]))
        self.successResultOf(recorder.complete(request(user("Hi."))))
        self.assertEqual(self.successResultOf(self.play("Hi.")).text, "Aye.")

    def test_without_a_file_it_only_passes_on(self):
        mind = ScriptedMind(["Aye."])
        self.assertEqual(self.successResultOf(Tape(mind).complete(request())).text, "Aye.")
