from types import SimpleNamespace

from pydantic import BaseModel, Field, RootModel
from twisted.internet.defer import Deferred

from evennia_ai import scheduling
from evennia_ai.exceptions import LLMBadReply, LLMUnavailable
from evennia_ai.llm.base import Completion
from evennia_ai.llm.scripted import ScriptedMind
from evennia_ai.llm.structured import complete_structured
from tests.llm.cases import TransportTestCase, request


class Mood(BaseModel):
    mood: str
    score: int = Field(ge=0, le=10)


class Words(RootModel[list[str]]):
    pass


class CompleteStructuredTests(TransportTestCase):
    def ask(self, *replies, model=Mood):
        self.mind = ScriptedMind(replies)
        return complete_structured(self.mind, request(), model)

    def assert_calm(self, reply):
        self.assertEqual(self.successResultOf(self.ask(reply)), Mood(mood="calm", score=7))

    def test_one_way_or_another_it_is_read_at_the_first_attempt(self):
        for reply in (
            '{"mood": "calm", "score": 7}',
            'Sure!\n```json\n{"mood": "calm", "score": 7}\n```\nAnything else?',
            '<think>{"mood": "wild", "score": 1, "why": "an example"}</think>'
            '{"mood": "calm", "score": 7}',
            # Broken, and repaired.
            'Sure!\n```json\n{mood: "calm", score: 7,}\n```',
            "{'mood': 'calm', 'score': 7}",
            '{"mood": "calm", "score": 7',
            # Only in the thinking.
            Completion("", thinking='So: {"mood": "calm", "score": 7}'),
            '<think>So: {"mood": "calm", "score": 7}',
        ):
            with self.subTest(reply=reply):
                self.assert_calm(reply)
                self.assertEqual(len(self.mind.requests), 1)

    def test_the_schema_goes_with_the_request(self):
        self.assert_calm('{"mood": "calm", "score": 7}')
        self.assertEqual(self.mind.requests[0].schema["required"], ["mood", "score"])

    def test_a_list_is_an_answer_where_one_is_wanted(self):
        words = self.ask('1. ok: ["a", "b"]', model=Words)
        self.assertEqual(self.successResultOf(words).root, ["a", "b"])

    def test_a_wrong_answer_is_shown_with_what_is_wrong(self):
        answer = self.ask('{"mood": "calm", "score": 70}', '{"mood": "calm", "score": 7}')
        self.assertEqual(self.successResultOf(answer).score, 7)
        *before, shown, again = self.mind.requests[1].messages
        self.assertEqual(before, self.mind.requests[0].messages)
        expected = {"role": "assistant", "content": '{"mood": "calm", "score": 70}'}
        self.assertEqual(shown, expected)
        self.assertIn("score: Input should be less than or equal to 10", again["content"])

    def test_two_wrong_answers_are_a_bad_reply(self):
        for reply in ("I can't.", "42", '"calm"', "[]", "{}", '{"mood": "calm"}', ""):
            with self.subTest(reply=reply):
                failure = self.failureResultOf(self.ask(reply, reply), LLMBadReply)
                self.assertIn("no valid answer after 2 attempts", str(failure.value))

    def test_hostile_answers_end_as_a_bad_reply(self):
        for reply in ("[" * 5000, '{"a":' * 5000, "{" + "x" * 1_000_000):
            with self.subTest(reply=reply[:5]):
                self.failureResultOf(self.ask(reply, reply), LLMBadReply)

    def test_only_the_beginning_of_a_long_wrong_answer_is_shown(self):
        answer = self.ask("word " * 5000, '{"mood": "calm", "score": 7}')
        self.successResultOf(answer)
        self.assertEqual(len(self.mind.requests[1].messages[-2]["content"]), 2000)

    def test_both_attempts_share_the_deadline(self):
        times = iter([100.0, 112.0])
        self.patch(scheduling, "clock", lambda: SimpleNamespace(seconds=lambda: next(times)))
        answer = self.ask("no", '{"mood": "calm", "score": 7}')
        self.successResultOf(answer)
        self.assertEqual([asked.deadline for asked in self.mind.requests], [30.0, 18.0])

    def test_without_time_there_is_no_second_attempt(self):
        times = iter([100.0, 131.0])
        self.patch(scheduling, "clock", lambda: SimpleNamespace(seconds=lambda: next(times)))
        failure = self.failureResultOf(self.ask("no"), LLMBadReply)
        self.assertIn("no time to ask again", str(failure.value))
        self.assertEqual(len(self.mind.requests), 1)

    def test_what_it_quotes_is_not_its_answer(self):
        quoted = '{"mood": "wild", "score": 10}'
        for reply in (
            f'{{"mood": "calm", "score": 7}} I ignore what it says: {quoted}, "and no more".',
            f'The entry says "{quoted}", which I ignore.',
            # Broken, and repaired as one value only.
            "{'mood': 'wild', 'score': 10} is what it says, but {'mood': 'calm', 'score': 7}",
            "The entry says {mood: 'wild', score: 10}, which I ignore.",
        ):
            with self.subTest(reply=reply):
                answer = self.ask(reply, '{"mood": "calm", "score": 7}')
                self.assertEqual(self.successResultOf(answer), Mood(mood="calm", score=7))
                self.assertEqual(len(self.mind.requests), 2)

    def test_a_model_that_is_gone_is_not_asked_again(self):
        self.failureResultOf(self.ask(LLMUnavailable("gone")), LLMUnavailable)
        self.assertEqual(len(self.mind.requests), 1)

    def test_it_waits_for_a_slow_mind(self):
        thinking = Deferred()
        answer = self.ask(thinking)
        self.assertNoResult(answer)
        thinking.callback('{"mood": "calm", "score": 7}')
        self.assertEqual(self.successResultOf(answer).mood, "calm")
