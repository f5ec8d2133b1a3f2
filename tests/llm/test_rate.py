"""Calls in a minute: by server, assistant and player, over all aliases together."""

from datetime import datetime, timezone

from django.test import override_settings
from twisted.internet.task import Clock
from twisted.logger import capturedLogs
from twisted.trial.unittest import SynchronousTestCase

from evennia_ai import rate_limits, scheduling
from evennia_ai.core import volatile
from evennia_ai.exceptions import BudgetExceeded, LLMUnavailable
from evennia_ai.llm.base import Caller, Request
from evennia_ai.llm.scripted import ScriptedMind
from evennia_ai.llm.wrappers.rate import Rate, elsewhere, limits_for
from evennia_ai.models import LedgerEntry
from evennia_ai.rate_limits import Limit
from evennia_ai.testing import AITestCase
from tests.llm.logs import lines

NO_LIMITS = {"server": None, "assistant": None, "player": None}


class RateTests(SynchronousTestCase):
    def setUp(self):
        self.clock = Clock()
        self.clock.advance(1000)
        scheduling.set_clock(self.clock)
        self.addCleanup(scheduling.set_clock, None)
        self.addCleanup(volatile.forget_all)
        self.mind = ScriptedMind(["Aye."], repeat=True)
        self.rate = Rate(self.mind)

    def limit(self, **limits):
        settings = override_settings(EVENNIA_AI={"RATE": {**NO_LIMITS, **limits}})
        settings.enable()
        self.addCleanup(settings.disable)

    def ask(self, *, assistant=0, player=0, rate=None):
        caller = Caller(assistant_id=assistant, player_id=player)
        return (rate or self.rate).complete(Request("reply", [], caller=caller))

    def assert_answered(self, **caller):
        self.assertEqual(self.successResultOf(self.ask(**caller)).text, "Aye.")

    def assert_refused(self, **caller):
        return str(self.failureResultOf(self.ask(**caller), BudgetExceeded).value)

    def test_the_server_may_make_so_many_calls_and_no_more(self):
        self.limit(server=2)
        self.assert_answered(assistant=1)
        self.assert_answered(assistant=2)
        self.assert_refused(assistant=3)
        self.assertEqual(len(self.mind.requests), 2)

    def test_a_place_comes_free_a_minute_after_the_call(self):
        self.limit(server=2)
        self.assert_answered()
        self.clock.advance(20)
        self.assert_answered()
        self.clock.advance(39.9)
        self.assert_refused()
        self.clock.advance(0.1)
        self.assert_answered()
        self.assert_refused()

    def test_the_refusal_says_who_and_how_long(self):
        self.limit(assistant=1)
        self.assert_answered(assistant=7)
        self.clock.advance(15)
        self.assertEqual(
            self.assert_refused(assistant=7),
            "assistant:7 has made its 1 model calls of this minute; the next may be made in 45 s.",
        )

    def test_one_assistant_does_not_use_up_the_minute_of_another(self):
        self.limit(assistant=1)
        self.assert_answered(assistant=1)
        self.assert_refused(assistant=1)
        self.assert_answered(assistant=2)

    def test_a_player_is_counted_over_all_assistants(self):
        self.limit(player=2)
        self.assert_answered(assistant=1, player=5)
        self.assert_answered(assistant=2, player=5)
        self.assert_refused(assistant=3, player=5)
        self.assert_answered(assistant=3, player=6)

    def test_calls_for_nobody_in_particular_count_for_the_server_only(self):
        self.limit(assistant=1, player=1)
        for _ in range(5):
            self.assert_answered()

    def test_a_refused_call_does_not_count(self):
        self.limit(server=10, assistant=1)
        self.assert_answered(assistant=1)
        for _ in range(20):
            self.assert_refused(assistant=1)
        self.assertEqual(rate_limits.moments(Limit(("model calls", "server"), seconds=60)), [1000])
        self.assert_answered(assistant=2)

    def test_a_call_that_fails_counts_all_the_same(self):
        self.limit(server=1)
        rate = Rate(ScriptedMind([LLMUnavailable("away")]))
        self.failureResultOf(self.ask(rate=rate), LLMUnavailable)
        self.assert_refused()

    def test_a_limit_of_0_refuses_everything(self):
        self.limit(server=0)
        self.assertEqual(self.assert_refused(), "server has made its 0 model calls of this minute.")

    def test_a_clock_that_was_set_back_locks_nobody_out(self):
        self.limit(server=1)
        self.assert_answered()
        scheduling.set_clock(Clock())
        self.assert_answered()

    def test_all_aliases_share_one_minute(self):
        self.limit(server=2)
        one = Rate(self.mind, alias="default")
        other = Rate(self.mind, alias="score")
        self.successResultOf(self.ask(rate=one))
        self.successResultOf(self.ask(rate=other))
        self.failureResultOf(self.ask(rate=one), BudgetExceeded)
        self.failureResultOf(self.ask(rate=other), BudgetExceeded)

    def test_staff_are_told_once_a_minute_and_scope(self):
        self.limit(assistant=1)
        with capturedLogs() as captured:
            self.assert_answered(assistant=1)
            for _ in range(5):
                self.assert_refused(assistant=1)
            self.assertEqual(len(lines(captured)), 1)
            self.assertTrue(lines(captured)[0].startswith("evennia_ai: assistant:1 has made"))
            self.clock.advance(60)
            self.assert_answered(assistant=1)
            self.assert_refused(assistant=1)
        self.assertEqual(len(lines(captured)), 2)


class ElsewhereTests(AITestCase):
    def test_calls_of_workers_count_for_the_server_and_for_whom_they_were_made(self):
        for second, assistant, player in ((930, 1, 5), (950, 1, 5), (960, 1, 6), (970, 2, 5)):
            LedgerEntry.objects.create(
                created=datetime.fromtimestamp(second, timezone.utc),
                assistant_id=assistant,
                player_id=player,
            )
        caller = Caller(assistant_id=1, player_id=5)
        with self.settings_ai(JOBS={"BACKEND": "procrastinate"}):
            counted = [elsewhere(scope, caller, now=1000) for scope in limits_for(caller)]
        self.assertEqual(counted, [[950, 960, 970], [950, 960], [950, 970]])
