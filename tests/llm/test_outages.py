"""When a model was left alone is kept: since when, until when, and after what kind of error."""

from datetime import timedelta

from evennia_ai import scheduling
from evennia_ai.exceptions import LLMAuthError, LLMUnavailable
from evennia_ai.llm import outages
from evennia_ai.llm.base import Request
from evennia_ai.llm.scripted import ScriptedMind
from evennia_ai.llm.wrappers import breaker
from evennia_ai.llm.wrappers.breaker import Breaker
from evennia_ai.testing import AITestCase

SECRET = "bad key sk-123"


class OutageTests(AITestCase):
    def setUp(self):
        super().setUp()
        self.patch(breaker, "FAILURES", 2)

    def build(self, *replies, alias="default"):
        offline = ScriptedMind(["(offline)"], repeat=True)
        return Breaker(ScriptedMind(replies), alias=alias, clock=self.clock, offline=offline)

    def ask(self, breaker, times=1):
        for _ in range(times):
            breaker.complete(Request("reply", [])).addErrback(lambda failure: None)
            scheduling.drain()

    def test_it_is_noted_as_it_begins_and_as_it_ends(self):
        breaker = self.build(LLMUnavailable("away"), LLMAuthError(SECRET), "Aye.")
        self.ask(breaker, 2)
        [row] = outages.latest()
        self.assertEqual((row["model"], row["until"], row["why"]), ("default", "", "LLMAuthError"))
        self.clock.advance(40)
        self.ask(breaker)
        [row] = outages.latest()
        passed = row["since"] < row["until"]
        self.assertTrue(passed, row)

    def test_a_trial_that_fails_is_no_other_outage(self):
        breaker = self.build(*[LLMUnavailable("away")] * 3)
        self.ask(breaker, 2)
        self.clock.advance(40)
        self.ask(breaker)
        self.assertEqual(len(outages.latest()), 1)

    def test_it_outlives_a_restart_and_what_nobody_saw_end_stays_open(self):
        self.ask(self.build(*[LLMUnavailable("away")] * 2), 2)
        outages.latest.clear()
        [row] = outages.latest()
        self.assertEqual(row["until"], "")
        self.clock.advance(timedelta(hours=1).total_seconds())
        self.ask(self.build(*[LLMUnavailable("away")] * 2), 2)
        self.assertEqual([row["until"] for row in outages.latest()], ["", ""])

    def test_no_more_are_kept_than_are_shown_and_none_of_the_words_of_an_error(self):
        for number in range(25):
            self.ask(self.build(*[LLMAuthError(SECRET)] * 2, alias=f"model {number}"), 2)
        kept = outages.latest()
        self.assertEqual(len(kept), 20)
        self.assertEqual(kept[0]["model"], "model 24")
        self.assertNotIn("sk-123", str(kept))

    def test_an_answer_of_a_model_that_was_never_left_alone_notes_nothing(self):
        self.ask(self.build(LLMUnavailable("away"), "Aye."), 2)
        self.assertEqual(outages.latest(), [])
