"""A model that keeps failing is left alone; the offline mind answers meanwhile."""

from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.task import Clock
from twisted.logger import capturedLogs
from twisted.trial.unittest import SynchronousTestCase

from evennia_ai.exceptions import (
    LLMAuthError,
    LLMBadReply,
    LLMContextOverflow,
    LLMRefused,
    LLMUnavailable,
)
from evennia_ai.llm.base import Request
from evennia_ai.llm.offline import OfflineMind
from evennia_ai.llm.scripted import ScriptedMind
from evennia_ai.llm.wrappers import breaker
from evennia_ai.llm.wrappers.breaker import Breaker
from tests.llm.logs import lines


class BreakerTests(SynchronousTestCase):
    def setUp(self):
        self.patch(breaker, "FAILURES", 3)
        self.clock = Clock()

    def build(self, *replies, alias="default"):
        self.mind = ScriptedMind(replies)
        self.offline = ScriptedMind(["(offline)"], repeat=True)
        self.breaker = Breaker(self.mind, alias=alias, clock=self.clock, offline=self.offline)
        return self.breaker

    def ask(self):
        return self.breaker.complete(Request("reply", []))

    def answer(self):
        return self.successResultOf(self.ask()).text

    def fail_times(self, count):
        for _ in range(count):
            self.failureResultOf(self.ask(), LLMUnavailable)

    def opened(self, *replies):
        """Build a breaker that has just opened, with these replies to come."""
        self.build(*[LLMUnavailable("away")] * 3, *replies)
        self.fail_times(3)
        self.assertEqual(self.breaker.state, "open")

    def test_while_closed_answers_and_failures_pass_through(self):
        self.build("Aye.", LLMUnavailable("away"))
        self.assertEqual(self.answer(), "Aye.")
        self.fail_times(1)
        self.assertEqual((self.breaker.state, self.breaker.failures), ("closed", 1))
        self.assertEqual(self.breaker.last_error, "LLMUnavailable: away")

    def test_enough_failures_in_a_row_open_it_and_the_offline_mind_answers(self):
        self.opened()
        self.assertEqual(self.answer(), "(offline)")
        self.assertEqual((len(self.mind.requests), len(self.offline.requests)), (3, 1))

    def test_an_answer_in_between_starts_the_count_again(self):
        away = LLMUnavailable("away")
        self.build(away, away, "Aye.", away, away)
        self.fail_times(2)
        self.answer()
        self.fail_times(2)
        self.assertEqual((self.breaker.state, self.breaker.failures), ("closed", 2))

    def test_every_kind_of_failure_of_the_model_counts(self):
        self.build(LLMRefused("no such model"), LLMAuthError("bad key"), LLMBadReply("<html>"))
        self.fail_times(3)
        self.assertEqual(self.breaker.state, "open")

    def test_a_prompt_that_is_too_long_is_not_the_models_failure(self):
        away = LLMUnavailable("away")
        self.build(away, away, LLMContextOverflow("too long"), away)
        self.fail_times(4)
        self.assertEqual((self.breaker.state, self.breaker.failures), ("closed", 1))

    def test_calls_that_we_cancel_are_not_the_models_failure(self):
        self.build(*[Deferred() for _ in range(5)])
        for _ in range(5):
            asking = self.ask()
            asking.cancel()
            self.failureResultOf(asking, CancelledError)
        self.assertEqual((self.breaker.state, self.breaker.failures), ("closed", 0))

    def test_after_its_rest_one_good_trial_closes_it(self):
        self.opened("I am back.", "Aye.")
        self.clock.advance(29.9)
        self.assertEqual((self.breaker.state, self.answer()), ("open", "(offline)"))
        self.clock.advance(0.1)
        self.assertEqual((self.breaker.state, self.answer()), ("half-open", "I am back."))
        self.assertEqual((self.breaker.state, self.breaker.failures), ("closed", 0))
        self.assertEqual(self.answer(), "Aye.")

    def test_a_failed_trial_opens_it_for_another_rest(self):
        self.opened(LLMUnavailable("still away"), "I am back.")
        self.clock.advance(30)
        self.fail_times(1)
        self.assertEqual((self.breaker.state, self.answer()), ("open", "(offline)"))
        self.assertEqual(self.breaker.last_error, "LLMUnavailable: still away")
        self.clock.advance(30)
        self.assertEqual(self.answer(), "I am back.")

    def test_while_the_trial_runs_others_get_the_offline_mind(self):
        trial = Deferred()
        self.opened(trial, "Aye.")
        self.clock.advance(30)
        trying = self.ask()
        self.assertEqual(self.answer(), "(offline)")
        trial.callback("I am back.")
        self.assertEqual(self.successResultOf(trying).text, "I am back.")
        self.assertEqual(self.answer(), "Aye.")

    def test_a_cancelled_trial_leaves_room_for_the_next(self):
        self.opened(Deferred(), "I am back.")
        self.clock.advance(30)
        trying = self.ask()
        trying.cancel()
        self.failureResultOf(trying, CancelledError)
        self.assertEqual((self.breaker.state, self.answer()), ("half-open", "I am back."))

    def test_a_bug_in_the_trial_leaves_room_for_the_next(self):
        self.opened(ZeroDivisionError("a bug"), "I am back.")
        self.clock.advance(30)
        self.failureResultOf(self.ask(), ZeroDivisionError)
        self.assertEqual((self.breaker.state, self.answer()), ("half-open", "I am back."))

    def test_a_trial_that_overflows_shows_that_the_model_is_back(self):
        self.opened(LLMContextOverflow("too long"), "Aye.")
        self.clock.advance(30)
        self.failureResultOf(self.ask(), LLMContextOverflow)
        self.assertEqual((self.breaker.state, self.answer()), ("closed", "Aye."))

    def test_late_failures_of_older_calls_do_not_lengthen_the_rest(self):
        slow = Deferred()
        self.build(slow, *[LLMUnavailable("away")] * 3, "I am back.")
        older = self.ask()
        self.fail_times(3)
        self.clock.advance(20)
        slow.errback(LLMUnavailable("away"))
        self.failureResultOf(older, LLMUnavailable)
        self.clock.advance(10)
        self.assertEqual(self.answer(), "I am back.")

    def test_a_late_answer_of_an_older_call_closes_it(self):
        slow = Deferred()
        self.build(slow, *[LLMUnavailable("away")] * 3, "Aye.")
        older = self.ask()
        self.fail_times(3)
        slow.callback("Sorry, I was slow.")
        self.assertEqual(self.successResultOf(older).text, "Sorry, I was slow.")
        self.assertEqual((self.breaker.state, self.answer()), ("closed", "Aye."))

    def test_one_line_is_logged_when_it_opens_and_one_when_it_closes(self):
        with capturedLogs() as captured:
            self.opened(LLMUnavailable("still away"), "I am back.", "Aye.")
            self.answer()
            self.clock.advance(30)
            self.fail_times(1)
            self.clock.advance(30)
            self.answer()
            self.answer()
        self.assertEqual(
            lines(captured),
            [
                "evennia_ai: the model 'default' failed 3 times in a row (LLMUnavailable: away); "
                "the offline mind answers until it is back.",
                "evennia_ai: the model 'default' answers again.",
            ],
        )

    def test_without_another_choice_the_shipped_offline_mind_stands_in(self):
        lonely = Breaker(self.build().inner, clock=self.clock)
        self.assertIsInstance(lonely._substitute(), OfflineMind)

    def test_states_names_every_model_in_use_and_none_that_is_gone(self):
        self.opened()
        score = Breaker(ScriptedMind([]), alias="score", clock=self.clock)
        states = breaker.states()
        self.assertEqual(
            states["default"],
            {"state": "open", "failures": 3, "last_error": "LLMUnavailable: away"},
        )
        self.assertEqual(states["score"], {"state": "closed", "failures": 0, "last_error": ""})
        del score
        self.assertNotIn("score", breaker.states())
