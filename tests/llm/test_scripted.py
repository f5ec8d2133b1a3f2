from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from evennia_ai.exceptions import LLMUnavailable
from evennia_ai.llm.base import Completion, ToolCall
from evennia_ai.llm.scripted import ScriptedMind
from tests.llm.cases import request


class ScriptedMindTests(SynchronousTestCase):
    def test_replies_come_in_order_and_requests_are_kept(self):
        mind = ScriptedMind(["One.", Completion("Two.", prompt_tokens=3)])
        first = self.successResultOf(mind.complete(request()))
        self.assertEqual((first.text, first.model, first.is_model), ("One.", "scripted", True))
        second = self.successResultOf(mind.complete(request(max_tokens=7)))
        self.assertEqual((second.text, second.prompt_tokens), ("Two.", 3))
        self.assertEqual([asked.max_tokens for asked in mind.requests], [300, 7])

    def test_tool_calls_are_replies(self):
        call = ToolCall("1", "look")
        mind = ScriptedMind([call, [call, call]])
        self.assertEqual(self.successResultOf(mind.complete(request())).tool_calls, (call,))
        both = self.successResultOf(mind.complete(request()))
        self.assertEqual(both.tool_calls, (call, call))

    def test_an_exception_is_a_failure(self):
        mind = ScriptedMind([LLMUnavailable("gone"), LLMUnavailable])
        self.failureResultOf(mind.complete(request()), LLMUnavailable)
        self.failureResultOf(mind.complete(request()), LLMUnavailable)

    def test_a_deferred_is_waited_for(self):
        for told in ("Well…", Completion("Well…")):
            thinking = Deferred()
            answer = ScriptedMind([thinking]).complete(request())
            self.assertNoResult(answer)
            thinking.callback(told)
            self.assertEqual(self.successResultOf(answer).text, "Well…")

    def test_a_deferred_may_fail_or_be_cancelled(self):
        thinking = Deferred()
        answer = ScriptedMind([thinking]).complete(request())
        thinking.errback(LLMUnavailable("gone"))
        self.failureResultOf(answer, LLMUnavailable)
        cancelled = []
        answer = ScriptedMind([Deferred(cancelled.append)]).complete(request())
        answer.cancel()
        self.assertEqual(len(cancelled), 1)
        self.failureResultOf(answer)

    def test_a_function_sees_the_request(self):
        mind = ScriptedMind([lambda asked: asked.messages[-1]["content"].upper()])
        self.assertEqual(self.successResultOf(mind.complete(request())).text, "TOM SAYS HI.")

    def test_one_request_too_many_is_loud(self):
        mind = ScriptedMind(["One."], name="oracle")
        self.successResultOf(mind.complete(request()))
        with self.assertRaisesRegex(AssertionError, r"oracle: request 2 \(reply\) but only 1"):
            mind.complete(request())

    def test_repeated_replies_begin_again(self):
        mind = ScriptedMind(replies=["One.", "Two."], repeat=True)
        said = [self.successResultOf(mind.complete(request())).text for _ in range(5)]
        self.assertEqual(said, ["One.", "Two.", "One.", "Two.", "One."])
        with self.assertRaises(AssertionError):
            ScriptedMind([], repeat=True).complete(request())

    def test_nonsense_in_the_script_is_an_error(self):
        with self.assertRaisesRegex(TypeError, "cannot be 42"):
            ScriptedMind([42]).complete(request())
