"""What a model or its server said stands in no text of an error: logs and books keep those."""

import json

from pydantic import BaseModel, ConfigDict
from twisted.internet.defer import fail
from twisted.trial.unittest import SynchronousTestCase

from evennia_ai.exceptions import LLMBadReply, LLMUnavailable
from evennia_ai.llm import base, ledger, openai_errors, openai_reply
from evennia_ai.llm.base import Completion, ToolCall
from evennia_ai.llm.openai import OpenAIBackend
from evennia_ai.llm.scripted import ScriptedMind
from evennia_ai.llm.structured import complete_structured
from evennia_ai.llm.wrappers import retry
from evennia_ai.models import LedgerEntry
from evennia_ai.testing import minds
from tests import model_steps
from tests.agent.cases import MindTestCase
from tests.llm import bad_steps
from tests.llm.cases import TransportTestCase, request
from tests.model_server import ModelServer
from tests.model_steps import Step

TOKEN = "zq7crowberry"
SECRET = f"the wine is {TOKEN}"
STATUSES = (400, 401, 402, 403, 404, 408, 413, 422, 429, 500, 503)


class Mood(BaseModel):
    model_config = ConfigDict(extra="forbid")

    mood: str


def message(**fields):
    return {"choices": [{"message": fields}]}


class ReplyTests(SynchronousTestCase):
    def test_what_is_no_answer_is_not_repeated(self):
        for data in (
            SECRET,
            [SECRET],
            {"error": SECRET},
            {"error": {"message": SECRET, "type": SECRET, "code": "bad_thing"}},
            {"choices": [{"error": {"message": f"prompt is too long: {SECRET}"}}]},
            message(content=None, refusal=f"I do not repeat that {SECRET}."),
        ):
            with self.subTest(str(data)):
                error = self.assertRaises(LLMUnavailable, openai_reply.normalise, data, model="m")
                self.assertNotIn(TOKEN, str(error))
                self.assertIn(TOKEN, error.words)

    def test_arguments_that_cannot_be_read_are_not_repeated(self):
        for given in (f"{SECRET}", f'["{SECRET}"]', [SECRET], f'{{"words": {SECRET}'):
            with self.subTest(str(given)):
                call = {"function": {"name": "say", "arguments": given}}
                answer = openai_reply.normalise(message(tool_calls=[call]), model="m")
                self.assertNotIn(TOKEN, str(answer.tool_calls[0].error))

    def test_what_a_server_says_is_not_repeated(self):
        for status in STATUSES:
            for text in (SECRET, f"prompt is too long: {SECRET}", f"insufficient_quota {SECRET}"):
                with self.subTest(status=status, text=text):
                    error = openai_errors.explain(status, text, name="gpt", headers={})
                    self.assertNotIn(TOKEN, str(error))
                    self.assertIn(f"({len(text)} characters)", str(error))
                    self.assertIn(TOKEN, error.words)

    def test_a_kind_that_it_names_is_told_if_it_is_a_known_one(self):
        for body, told in (
            ({"type": "invalid_request_error", "param": "tools"}, ", invalid_request_error, tools"),
            ({"code": 502}, ", 502"),
            ({"code": TOKEN, "type": None}, ", unknown"),
            ({"code": SECRET, "type": "server_error"}, ", server_error, unknown"),
            ({"code": [5], "type": 20_26, "param": ""}, ", unknown"),
            (SECRET, ""),
            (None, ""),
        ):
            with self.subTest(str(body)):
                self.assertEqual(openai_errors.kind_of(body), told)


class TransportTests(TransportTestCase):
    def test_no_fault_of_a_server_repeats_what_it_said(self):
        page = Step(body=f"<p>{SECRET}</p>".encode(), headers=(("content-type", "text/html"),))
        steps = [model_steps.status(code, SECRET) for code in STATUSES]
        for step in (*steps, page, bad_steps.error_in_200(SECRET)):
            with self.subTest(str(step)), ModelServer([step]) as server:
                backend = OpenAIBackend(model="m", base_url=server.base_url)
                failure = self.failureResultOf(backend.complete(request()), LLMUnavailable)
                shown = [str(failure.value), failure.getTraceback(), failure.getBriefTraceback()]
                self.assertNotIn(TOKEN, " ".join(shown))
                self.assertIn(TOKEN, failure.value.words)

    def test_an_answer_of_another_form_is_repeated_to_the_model_alone(self):
        wrong = json.dumps({"mood": "calm", TOKEN: SECRET})
        mind = ScriptedMind([wrong, wrong])
        error = self.failureResultOf(complete_structured(mind, request(), Mood), LLMBadReply).value
        self.assertNotIn(TOKEN, str(error))
        self.assertIn(f"{TOKEN}: Extra inputs", mind.requests[1].messages[-1]["content"])


class BooksTests(MindTestCase):
    """Mara's model only ever fails; what it says then has the words that Char whispered."""

    def use(self, *, outcome, **settings):
        self.patch(retry, "ATTEMPTS", 0)
        self.configure(**settings)

        class Broken:
            name, is_model = "broken", True

            def complete(self, request):
                return fail(outcome)

        base.install("default", ledger.Ledger(Broken()))

    def rows(self):
        ledger.flush()
        return [(row.error, row.answer) for row in LedgerEntry.objects.all()]

    def test_neither_the_books_nor_the_log_have_them(self):
        self.use(outcome=LLMBadReply.about("the model declines", SECRET))
        self.do(self.char1, f"whisper Mara = {SECRET}", wait=3)
        self.assertEqual(self.rows()[0], ("the model declines (24 characters)", ""))
        self.assertEqual([line for line in self.log if TOKEN in line], [])
        self.assertTrue([line for line in self.log if "the model declines" in line])

    def test_where_words_are_kept_they_are_those_of_the_answer(self):
        self.use(outcome=LLMBadReply.about("the model declines", SECRET), LEDGER_PROMPTS=True)
        self.do(self.char1, f"whisper Mara = {SECRET}", wait=3)
        self.assertEqual(self.rows()[0], ("the model declines (24 characters)", SECRET))

    def test_a_tool_that_a_model_made_up_is_not_named(self):
        invented = Completion("", tool_calls=(ToolCall("1", TOKEN, {}),))
        minds.script_llm(invented, repeat=True)
        self.do(self.char1, f"whisper Mara = {SECRET}", wait=3)
        self.assertEqual([line for line in self.log if TOKEN in line], [])
        self.assertTrue([line for line in self.log if "asked for what is not there" in line])
