"""What goes between a server and its workers is plain JSON, and comes back as it was."""

import json
import unittest

from evennia_ai.exceptions import BudgetExceeded, LLMBadReply, LLMContextOverflow, LLMUnavailable
from evennia_ai.llm.base import Caller, Completion, Request, ToolCall
from evennia_ai.workers import payload

ASKED = Request(
    "score",
    [{"role": "user", "content": 'Ann said "I owe Bob\x00 a cr\ud83dn".'}],
    tools=({"name": "noop", "description": "", "parameters": {}},),
    schema={"type": "object"},
    context={"entries": [1]},
    max_tokens=40,
    deadline=7.0,
    caller=Caller(4, "mara", 9, "turn"),
)


def work(asked=ASKED, *, alias="default", is_model=True):
    return payload.work_of(asked, alias=alias, is_model=is_model)


class WorkTests(unittest.TestCase):
    def test_a_request_comes_back_without_what_a_model_does_not_read(self):
        found = payload.request_of(work())
        self.assertEqual(found.messages, ASKED.messages)
        self.assertEqual(found.tools, ASKED.tools)
        self.assertEqual(found.caller, ASKED.caller)
        self.assertEqual((found.job, found.max_tokens, found.deadline), ("score", 40, 7.0))
        self.assertEqual(found.context, {})

    def test_what_answers_by_rules_is_given_the_plain_data(self):
        self.assertEqual(payload.request_of(work(is_model=False)).context, {"entries": [1]})

    def test_it_is_text_that_every_database_takes(self):
        self.assertTrue(work().asked.isascii())
        self.assertNotIn("\x00", work().asked)

    def test_the_same_question_has_the_same_key_and_no_other_has_it(self):
        from dataclasses import replace

        self.assertEqual(work().key, work(replace(ASKED, deadline=3.0)).key)
        others = (
            work(replace(ASKED, messages=[])),
            work(replace(ASKED, caller=Caller(5, "tam"))),
            work(replace(ASKED, max_tokens=41)),
            work(alias="cheaper"),
        )
        for other in others:
            self.assertNotEqual(work().key, other.key)
        self.assertEqual(len(work().key), 64)


class AnswerTests(unittest.TestCase):
    def test_an_answer_comes_back_whole(self):
        said = Completion(
            "Yes.",
            (ToolCall("1", "noop", {"why": "ü"}),),
            "hm",
            "m",
            prompt_tokens=3,
        )
        text = payload.answer_of(said)
        self.assertTrue(payload.is_answer(text))
        self.assertEqual(payload.read_answer(text), said)

    def test_an_error_of_ours_comes_back_as_it_was(self):
        late = LLMUnavailable("busy")
        late.retry_after = 3.0
        overflow = LLMContextOverflow("too long")
        overflow.window = 4096
        for error, fields in (
            (late, {"retry_after": 3.0, "transient": True}),
            (overflow, {"window": 4096, "transient": False}),
            (LLMBadReply.about("no JSON", "what Ann said"), {"words": "what Ann said"}),
            (BudgetExceeded("spent"), {}),
        ):
            text = payload.failure_of(error)
            self.assertFalse(payload.is_answer(text))
            with self.subTest(error), self.assertRaisesRegex(type(error), str(error)[:7]) as caught:
                payload.read_answer(text)
            for name, value in fields.items():
                self.assertEqual(getattr(caught.exception, name), value)

    def test_of_an_error_that_is_not_ours_no_words_are_told(self):
        """They may hold what players said."""
        text = payload.failure_of(KeyError("what Ann said"))
        self.assertNotIn("Ann", text)
        with self.assertRaisesRegex(LLMUnavailable, "a worker failed: KeyError"):
            payload.read_answer(text)

    def test_an_error_of_a_later_version_is_one_of_ours(self):
        with self.assertRaisesRegex(LLMUnavailable, "new"):
            payload.read_answer(json.dumps({"error": "LLMOfTomorrow", "text": "new"}))
