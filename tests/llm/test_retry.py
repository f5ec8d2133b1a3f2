"""Asking again: when, how often, and never past the deadline."""

from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from evennia_ai.exceptions import LLMAuthError, LLMBadReply, LLMContextOverflow, LLMUnavailable
from evennia_ai.llm.base import Completion, Request
from evennia_ai.llm.scripted import ScriptedMind
from evennia_ai.llm.wrappers import retry
from evennia_ai.llm.wrappers.retry import Retry


def unavailable(*, retry_after=None):
    error = LLMUnavailable("the model is away")
    error.retry_after = retry_after
    return error


class RetryTests(SynchronousTestCase):
    def setUp(self):
        self.clock = Clock()

    def ask(self, *replies, attempts=3, chance=1.0, deadline=30.0):
        """Send one request to a mind with these replies; chance 1.0 gives the longest waits."""
        self.mind = ScriptedMind(replies)
        self.patch(retry, "ATTEMPTS", attempts)
        wrapper = Retry(self.mind, clock=self.clock, random=lambda: chance)
        return wrapper.complete(Request("reply", [], deadline=deadline))

    def attempts(self):
        return len(self.mind.requests)

    def test_it_passes_for_what_it_holds(self):
        mind = ScriptedMind([], name="tiny")
        retry = Retry(mind, alias="score")
        self.assertEqual((retry.name, retry.is_model, retry.inner), ("tiny", True, mind))

    def test_a_good_answer_is_given_at_once(self):
        answer = self.successResultOf(self.ask("Aye."))
        self.assertEqual((answer.text, self.attempts()), ("Aye.", 1))
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_a_passing_failure_is_tried_again_after_a_wait(self):
        answering = self.ask(unavailable(), "Aye.")
        self.clock.advance(0.49)
        self.assertNoResult(answering)
        self.assertEqual(self.attempts(), 1)
        self.clock.advance(0.02)
        self.assertEqual(self.successResultOf(answering).text, "Aye.")

    def test_waits_grow_and_the_last_failure_is_the_result(self):
        last = LLMBadReply("not an answer")
        answering = self.ask(unavailable(), unavailable(), last)
        self.clock.advance(0.5)
        self.assertEqual(self.attempts(), 2)
        self.clock.advance(0.9)
        self.assertEqual(self.attempts(), 2)
        self.clock.advance(0.2)
        self.assertIs(self.failureResultOf(answering, LLMBadReply).value, last)
        self.assertEqual(self.attempts(), 3)

    def test_chance_shortens_the_wait_down_to_nothing(self):
        answering = self.ask(unavailable(), "Aye.", chance=0.0)
        self.clock.advance(0)
        self.assertEqual(self.successResultOf(answering).text, "Aye.")

    def test_failures_that_stay_are_not_tried_again(self):
        for error in (LLMAuthError("no such key"), LLMContextOverflow("too long")):
            self.failureResultOf(self.ask(error, "Aye."), type(error))
            self.assertEqual(self.attempts(), 1)

    def test_an_error_of_ours_surfaces_at_once(self):
        self.failureResultOf(self.ask(ZeroDivisionError("a bug"), "Aye."), ZeroDivisionError)
        self.assertEqual(self.attempts(), 1)

    def test_one_attempt_means_no_second_and_so_does_nonsense(self):
        for attempts in (1, 0, -3):
            answering = self.ask(unavailable(), "Aye.", attempts=attempts)
            self.failureResultOf(answering, LLMUnavailable)
            self.assertEqual(self.attempts(), 1)

    def test_retry_after_is_waited_in_full(self):
        answering = self.ask(unavailable(retry_after=5.0), "Aye.", chance=0.0)
        self.clock.advance(4.9)
        self.assertNoResult(answering)
        self.clock.advance(0.1)
        self.assertEqual(self.successResultOf(answering).text, "Aye.")

    def test_a_wait_past_the_deadline_is_not_begun(self):
        answering = self.ask(unavailable(retry_after=60.0), "Aye.", deadline=30.0)
        self.failureResultOf(answering, LLMUnavailable)
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_each_attempt_gets_only_the_time_that_is_left(self):
        slow = Deferred()
        answering = self.ask(slow, "Aye.", deadline=10.0)
        self.clock.advance(4.0)
        slow.errback(unavailable())
        self.clock.advance(0.5)
        self.successResultOf(answering)
        deadlines = [request.deadline for request in self.mind.requests]
        self.assertEqual(deadlines, [10.0, 5.5])

    def test_a_failure_at_the_deadline_is_the_last(self):
        slow = Deferred()
        answering = self.ask(slow, "Aye.", deadline=10.0)
        self.clock.advance(10.0)
        slow.errback(unavailable())
        self.failureResultOf(answering, LLMUnavailable)
        self.assertEqual(self.attempts(), 1)

    def test_cancelling_stops_the_wait(self):
        answering = self.ask(unavailable(), "Aye.")
        answering.cancel()
        self.failureResultOf(answering, CancelledError)
        self.assertEqual(self.clock.getDelayedCalls(), [])
        self.clock.advance(60)
        self.assertEqual(self.attempts(), 1)

    def test_cancelling_stops_the_attempt_that_runs(self):
        cancelled = []
        running = Deferred(cancelled.append)
        answering = self.ask(unavailable(), running, chance=0.0)
        self.clock.advance(0)
        self.assertEqual(self.attempts(), 2)
        answering.cancel()
        self.assertEqual(cancelled, [running])
        self.failureResultOf(answering, CancelledError)
        self.assertEqual(self.attempts(), 2)

    def test_everything_else_of_the_request_stays_as_it_is(self):
        answering = self.ask(unavailable(), Completion("Aye."), chance=0.0)
        self.clock.advance(0)
        self.successResultOf(answering)
        first, second = self.mind.requests
        self.assertEqual((first.job, first.caller), (second.job, second.caller))
