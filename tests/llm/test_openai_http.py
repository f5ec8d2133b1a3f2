"""The adapter against a real server on loopback that misbehaves in every way that servers do."""

import time
from unittest import mock

from twisted.internet import defer
from twisted.trial import unittest as trial

from evennia_ai.exceptions import (
    LLMAuthError,
    LLMBadReply,
    LLMRefused,
    LLMTimeout,
    LLMUnavailable,
)
from evennia_ai.llm import loop_thread
from evennia_ai.llm.openai import OpenAIBackend
from tests import model_steps as steps
from tests.llm import bad_steps
from tests.llm.cases import PATIENCE, SAY, InLoop, TransportTestCase, request
from tests.model_server import ModelServer

# Seconds; long enough for a busy machine to send the request off first, short enough to wait for.
DEADLINE = 3.0


def setUpModule():
    # The import takes longer than the deadlines here.
    import openai

    assert openai.AsyncOpenAI(api_key="none").chat


class FaultTests(TransportTestCase):
    def ask(self, step, asked=None):
        with ModelServer([step]) as server:
            backend = OpenAIBackend(model="m", base_url=server.base_url)
            answer = backend.complete(asked or request(deadline=PATIENCE))
            self.received = list(server.requests)
            return answer

    def test_every_fault_is_one_of_our_errors(self):
        for step, expected, told, is_billed in (
            (steps.status(401), LLMAuthError, "API key", False),
            (steps.status(403), LLMAuthError, "API key", False),
            (steps.status(404), LLMRefused, "no such model", False),
            (steps.status(400), LLMRefused, "400 (23 characters)", False),
            (steps.status(429), LLMUnavailable, "429", False),
            (steps.status(500), LLMUnavailable, "500", False),
            (steps.status(503), LLMUnavailable, "503", False),
            (bad_steps.drop(), LLMUnavailable, "cannot be reached", True),
            (bad_steps.html(), LLMBadReply, "does base_url end in /v1?", True),
            (bad_steps.empty(), LLMBadReply, "not JSON", True),
            (bad_steps.error_in_200(), LLMUnavailable, "an error came as an answer", False),
            (bad_steps.no_choices(), LLMBadReply, "no choices", True),
            (bad_steps.huge(), LLMBadReply, "larger than 1000000 bytes", True),
        ):
            with self.subTest(step=told):
                error = self.failureResultOf(self.ask(step), expected).value
                self.assertIs(type(error), expected)
                self.assertIn(told, str(error))
                self.assertEqual(error.is_billed, is_billed)
                # To try again is for the wrapper around us.
                self.assertEqual(len(self.received), 1)

    def test_a_server_that_refuses_a_temperature_is_asked_without(self):
        refusal = steps.status(400, "Unsupported value: 'temperature' must be 1.")
        with ModelServer([refusal, "Aye."]) as server:
            backend = OpenAIBackend(model="m", base_url=server.base_url)
            asked = request(deadline=PATIENCE, temperature=0.2)
            self.assertEqual(self.successResultOf(backend.complete(asked)).text, "Aye.")
            bodies = [received.body.get("temperature") for received in server.requests]
        self.assertEqual(bodies, [0.2, None])

    def test_what_does_not_answer_in_time_is_given_up(self):
        for step in (bad_steps.hang(), bad_steps.drip(interval=0.02)):
            with self.subTest(step=step):
                answer = self.ask(step, request(deadline=DEADLINE))
                error = self.failureResultOf(answer, LLMTimeout).value
                self.assertIn("did not answer within 3 seconds", str(error))
                self.assertEqual((error.is_billed, len(self.received)), (True, 1))

    def test_every_oddity_is_an_answer(self):
        for step, text in (
            (steps.text("Good evening."), "Good evening."),
            (steps.text("Good evening.").after(0.05), "Good evening."),
            (steps.message(content="Good evening.", usage=False), "Good evening."),
            (steps.message(content="Good evening.", reasoning="A guest."), "Good evening."),
            (steps.message(content="<think>A guest.</think>Good evening."), "Good evening."),
            (steps.message(content=[{"type": "text", "text": "Hi."}]), "Hi."),
        ):
            with self.subTest(step=step):
                self.assertEqual(self.successResultOf(self.ask(step)).text, text)

    def test_an_answer_that_trickles_in_before_the_deadline_counts(self):
        answer = self.ask(bad_steps.drip("Hi.", interval=0.0001), request(deadline=PATIENCE))
        self.assertEqual(self.successResultOf(answer).text, "Hi.")

    def test_every_tool_call_is_read(self):
        asked = request(tools=(SAY,), deadline=PATIENCE)
        for arguments, expected, error in (
            ({"words": "Hi."}, {"words": "Hi."}, None),
            (steps.raw({"words": "Hi."}), {"words": "Hi."}, None),
            ("{words: 'Hi.'", {"words": "Hi."}, None),
            ("Hi.", {}, "The arguments are not a JSON object (3 characters)."),
        ):
            with self.subTest(arguments=arguments):
                reply = self.successResultOf(self.ask(steps.tools(("shout", arguments)), asked))
                [call] = reply.tool_calls
                # No tool is called that; to say so is for the loop.
                self.assertEqual(call.name, "shout")
                self.assertEqual((call.arguments, call.error), (expected, error))

    def test_the_server_says_when_to_ask_again(self):
        for headers, seconds in (
            ({"retry_after": "2"}, 2.0),
            ({"retry_after_ms": "30"}, 0.03),
            ({}, None),
        ):
            failure = self.failureResultOf(self.ask(steps.status(429, **headers)), LLMUnavailable)
            self.assertEqual(failure.value.retry_after, seconds)

    def test_a_server_that_is_not_there(self):
        with ModelServer() as server:
            nowhere = server.base_url
        backend = OpenAIBackend(model="m", base_url=nowhere)
        answer = backend.complete(request(deadline=PATIENCE))
        failure = self.failureResultOf(answer, LLMUnavailable)
        self.assertIn("cannot be reached: ConnectError", str(failure.value))
        self.assertFalse(failure.value.is_billed)

    def test_a_name_that_does_not_exist(self):
        backend = OpenAIBackend(model="m", base_url="http://nowhere.invalid/v1")
        answer = backend.complete(request(deadline=PATIENCE))
        self.failureResultOf(answer, LLMUnavailable)

    def test_a_deadline_closes_the_connection(self):
        with ModelServer([bad_steps.hang()]) as server:
            backend = OpenAIBackend(model="m", base_url=server.base_url)
            self.failureResultOf(backend.complete(request(deadline=DEADLINE)), LLMUnavailable)
            self.assertTrue(server.wait_for_disconnect(PATIENCE))

    def test_one_connection_serves_many_requests(self):
        with ModelServer(lambda body: "Hi.") as server:
            backend = OpenAIBackend(model="m", base_url=server.base_url)
            for _ in range(3):
                self.successResultOf(backend.complete(request(deadline=PATIENCE)))
            self.assertEqual((len(server.requests), len(server.connections)), (3, 1))


class LoopThreadTests(InLoop, trial.TestCase):
    """The way it runs in a game."""

    @defer.inlineCallbacks
    def test_cancelling_closes_the_connection(self):
        with ModelServer([bad_steps.hang()]) as server:
            backend = OpenAIBackend(model="m", base_url=server.base_url)
            answer = backend.complete(request(deadline=PATIENCE))
            yield self.until(lambda: server.requests)
            answer.cancel()
            error = yield self.assertFailure(answer, defer.CancelledError)
            self.assertTrue(error.is_billed)
            self.assertTrue(server.wait_for_disconnect(PATIENCE))

    @defer.inlineCallbacks
    def test_stop_closes_every_connection(self):
        with ModelServer(lambda body: bad_steps.hang()) as server:
            backend = OpenAIBackend(model="m", base_url=server.base_url, concurrency=5)
            answers = [backend.complete(request(deadline=PATIENCE)) for _ in range(5)]
            yield self.until(lambda: len(server.requests) == 5)
            loop_thread.stop()
            for answer in answers:
                yield self.assertFailure(answer, defer.CancelledError)
            yield self.until(lambda: server.disconnects == 5)

    @defer.inlineCallbacks
    def test_no_more_requests_than_allowed_are_under_way(self):
        with ModelServer(lambda body: steps.text("Hi.").after(0.05)) as server:
            backend = OpenAIBackend(model="m", base_url=server.base_url, concurrency=2)
            started = time.monotonic()
            answers = [backend.complete(request(deadline=PATIENCE)) for _ in range(6)]
            replies = yield defer.gatherResults(answers)
            # Three rounds of two.
            self.assertGreater(time.monotonic() - started, 0.14)
            self.assertEqual([reply.text for reply in replies], ["Hi."] * 6)
            self.assertLessEqual(len(server.connections), 2)

    @defer.inlineCallbacks
    def test_a_request_waits_for_its_turn_only_so_long(self):
        patient = mock.patch("evennia_ai.llm.openai.EVENT_MAX_AGE", 1)
        with ModelServer(lambda body: bad_steps.hang()) as server:
            backend = OpenAIBackend(model="m", base_url=server.base_url, concurrency=1)
            first = backend.complete(request(deadline=DEADLINE))
            yield self.until(lambda: server.requests)
            with patient:
                second = backend.complete(request(deadline=DEADLINE))
            third = backend.complete(request(deadline=DEADLINE))
            error = yield self.assertFailure(second, LLMTimeout)
            self.assertFalse(error.is_billed)
            third.cancel()
            error = yield self.assertFailure(third, defer.CancelledError)
            self.assertFalse(error.is_billed)
            yield self.assertFailure(first, LLMTimeout)
            self.assertEqual(len(server.requests), 1)
