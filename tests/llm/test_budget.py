"""The day's budget: each attempt reserved before, settled after; cheaper at 80 %, refused at 100 %."""

from datetime import date
from unittest import mock

from twisted.internet.defer import CancelledError, Deferred
from twisted.logger import capturedLogs

from evennia_ai import rate_limits
from evennia_ai.core import volatile
from evennia_ai.exceptions import (
    BudgetExceeded,
    LLMAuthError,
    LLMBadReply,
    LLMTimeout,
    LLMUnavailable,
)
from evennia_ai.llm import base
from evennia_ai.llm.base import Caller, Completion, Request
from evennia_ai.llm.scripted import ScriptedMind
from evennia_ai.llm.wrappers import breaker, budget, ladder
from evennia_ai.llm.wrappers.budget import Amount
from evennia_ai.models import Budget as Row
from evennia_ai.models import LedgerEntry
from evennia_ai.rate_limits import Limit
from evennia_ai.testing import AITestCase
from tests import ledger_rows
from tests.llm.logs import lines

SCRIPTED = "evennia_ai.llm.scripted.ScriptedMind"
TODAY = date(2026, 1, 2)
# 12:00 UTC of that day, in seconds.
NOON = 1767355200
# 36 letters are 10 tokens, the message costs 4: with 86 to answer, a call asks for 100.
REQUEST_TOKENS = 100
NO_CAPS = {"server": {}, "assistant": {}, "player": {}}


class BudgetTestCase(AITestCase):
    def setUp(self):
        super().setUp()
        self.clock.advance(NOON)
        self.addCleanup(volatile.forget_all)

    def use(self, *, cheaper=None, prices=None, **caps):
        """Set the caps (tokens or dicts), the prices and a cheaper alias."""
        caps = {
            kind: cap if isinstance(cap, dict) else {"tokens": cap} for kind, cap in caps.items()
        }
        llm = {"default": {"BACKEND": SCRIPTED, "OPTIONS": {"model": "large"}}}
        if cheaper is not None:
            llm["cheaper"] = cheaper
        changed = self.settings_ai(BUDGET={**NO_CAPS, **caps}, PRICES=prices or {}, LLM=llm)
        changed.enable()
        self.addCleanup(changed.disable)

    def build(self, *replies, repeat=False, alias="default"):
        self.mind = ScriptedMind(replies, repeat=repeat)
        self.stack = ladder.Ladder(budget.Budget(self.mind, alias=alias), alias=alias)

    def ask(self, *, assistant=7, key="", player=3):
        caller = Caller(assistant_id=assistant, assistant_key=key, player_id=player)
        messages = [{"role": "user", "content": "x" * 36}]
        return self.stack.complete(Request("reply", messages, max_tokens=86, caller=caller))

    def answer(self, **caller):
        return self.successResultOf(self.ask(**caller)).text

    def refusal(self, **caller):
        return str(self.failureResultOf(self.ask(**caller), BudgetExceeded).value)

    def spent(self, scope="server", *, day=TODAY):
        return Row.objects.get(scope=scope, day=day).tokens

    def spend(self, tokens, *, scope="server"):
        Row.objects.update_or_create(scope=scope, day=TODAY, defaults={"tokens": tokens})


def usage(prompt, written, **fields):
    return Completion("Aye.", prompt_tokens=prompt, completion_tokens=written, **fields)


class ReserveAndSettleTests(BudgetTestCase):
    def test_the_estimate_is_set_aside_while_the_model_thinks(self):
        self.use()
        thinking = Deferred()
        self.build(thinking)
        asking = self.ask(key="bob")
        for scope in ("server", "assistant:bob", "player:3"):
            self.assertEqual(self.spent(scope), REQUEST_TOKENS)
        thinking.callback(usage(12, 8))
        self.successResultOf(asking)
        for scope in ("server", "assistant:bob", "player:3"):
            self.assertEqual(self.spent(scope), 20)

    def test_an_answer_may_have_used_more_than_was_set_aside(self):
        self.use(server=150)
        self.build(usage(400, 100))
        self.answer()
        self.assertEqual(self.spent(), 500)

    def test_without_usage_or_with_nonsense_the_estimate_stands(self):
        self.use()
        for reply, spent in (
            ("Aye.", REQUEST_TOKENS),
            (usage(0, 0), REQUEST_TOKENS),
            (usage(12, None), 12 + 86),
            (usage(-5, 8), 14 + 8),
            # A prompt of 14 tokens counts as one of 250 at most, 86 to answer as four times that.
            (usage(50_000_000, 49_999_999), 1000 + 344),
        ):
            self.spend(0)
            self.build(reply)
            self.answer()
            self.assertEqual(self.spent(), spent)

    def test_a_call_that_never_reached_the_model_costs_nothing(self):
        self.use()
        for error in (LLMUnavailable("connection refused"), LLMAuthError("no such key")):
            self.build(error)
            self.failureResultOf(self.ask(), type(error))
            self.assertEqual(self.spent(), 0)

    def test_what_may_be_billed_without_an_answer_keeps_the_estimate(self):
        self.use()
        for error in (LLMBadReply("<html>"), LLMTimeout("30 seconds"), CancelledError()):
            self.spend(0)
            self.build(error)
            self.failureResultOf(self.ask(), type(error))
            self.assertEqual(self.spent(), REQUEST_TOKENS)

    def test_a_turn_that_is_over_keeps_the_estimate(self):
        self.use()
        self.build(Deferred())
        asking = self.ask()
        asking.cancel()
        self.failureResultOf(asking, CancelledError)
        self.assertEqual(self.spent(), REQUEST_TOKENS)

    def test_who_still_waited_for_the_model_pays_nothing(self):
        self.use()
        for error in (LLMTimeout("30 seconds"), CancelledError()):
            error.is_billed = False
            self.build(error)
            self.failureResultOf(self.ask(), type(error))
            self.assertEqual(self.spent(), 0)

    def test_it_counts_on_its_own(self):
        self.use(server=100)
        self.build("Aye.", repeat=True)
        self.stack = budget.Budget(self.mind)
        self.answer()
        self.assertIn("100 of 100 tokens", self.refusal())
        self.assertEqual((self.spent(), len(self.mind.requests)), (100, 1))

    def test_an_answer_of_the_offline_mind_costs_nothing(self):
        self.use()
        self.build(usage(12, 8, is_model=False))
        self.answer()
        self.assertEqual(self.spent(), 0)

    def test_the_key_of_an_assistant_goes_before_its_id(self):
        self.use()
        self.build("Aye.", repeat=True)
        self.answer(assistant=7, key="bob", player=0)
        self.answer(assistant=8, player=0)
        self.answer(assistant=0, player=0)
        scopes = list(Row.objects.order_by("scope").values_list("scope", flat=True))
        self.assertEqual(scopes, ["assistant:8", "assistant:bob", "server"])

    def test_a_database_that_fails_afterwards_does_not_cost_the_answer(self):
        self.use()
        thinking = Deferred()
        self.build(thinking)
        asking = self.ask()
        broken = mock.patch.object(budget, "_ADD", "UPDATE nowhere SET tokens = {table}")
        with capturedLogs() as captured, broken:
            thinking.callback(usage(12, 8))
            self.assertEqual(self.successResultOf(asking).text, "Aye.")
        self.assertIn("could not be settled", lines(captured)[0])
        self.assertEqual(self.spent(), REQUEST_TOKENS)

    def test_a_row_that_staff_cleared_meanwhile_does_not_go_below_0(self):
        self.use()
        thinking = Deferred()
        self.build(thinking)
        asking = self.ask()
        self.spend(0)
        thinking.callback(usage(12, 8))
        self.successResultOf(asking)
        self.assertEqual(self.spent(), 0)


class CapTests(BudgetTestCase):
    def test_the_last_tokens_may_be_spent_and_not_one_more(self):
        self.use(server=300)
        self.build("Aye.", repeat=True)
        for _ in range(3):
            self.answer()
        self.assertEqual(
            self.refusal(),
            "The budget of server does not cover a call of 100 tokens: "
            "300 of 300 tokens spent on 2026-01-02 (UTC).",
        )
        self.assertEqual((self.spent(), len(self.mind.requests)), (300, 3))

    def test_calls_under_way_count(self):
        self.use(server=250)
        self.build(*[Deferred() for _ in range(3)])
        self.ask()
        self.ask()
        self.refusal()

    def test_a_scope_that_refuses_takes_back_what_others_had_set_aside(self):
        self.use(player=100)
        self.build("Aye.", repeat=True)
        self.answer()
        self.refusal()
        self.assertEqual((self.spent("server"), self.spent("assistant:7")), (100, 100))
        self.answer(player=4)

    def test_one_assistant_does_not_spend_the_budget_of_another(self):
        self.use(assistant=100)
        self.build("Aye.", repeat=True)
        self.answer(assistant=7)
        self.refusal(assistant=7)
        self.answer(assistant=8)

    def test_none_is_no_cap_for_a_limit_or_a_whole_scope(self):
        changed = self.settings_ai(
            BUDGET={"server": None, "assistant": {"tokens": None, "money": None}, "player": {}}
        )
        changed.enable()
        self.addCleanup(changed.disable)
        self.build("Aye.")
        self.spend(10**15)
        self.assertEqual(self.answer(), "Aye.")

    def test_a_call_larger_than_the_whole_cap_is_refused_and_told(self):
        self.use(server=99)
        self.build("Aye.")
        with capturedLogs() as captured:
            refusal = self.refusal()
        self.assertEqual(lines(captured), [f"evennia_ai: {refusal}"])
        self.assertEqual(self.spent(), 0)

    def test_money_has_a_cap_of_its_own(self):
        # 14 tokens at 100 and 86 at 200 per million: 18,600 millionths a call.
        self.use(server={"tokens": None, "money": 0.04}, prices={"large": (100, 200)})
        self.build("Aye.", repeat=True)
        self.answer()
        self.answer()
        self.assertEqual(
            self.refusal(),
            "The budget of server does not cover a call of 100 tokens: "
            "0.0372 of 0.0400 in money spent on 2026-01-02 (UTC).",
        )
        self.assertEqual(Row.objects.get(scope="server").money, 37_200)

    def test_money_is_settled_at_the_price_of_the_configured_model(self):
        self.use(prices={"large": (100, 200), "large-2026": (1, 1)})
        self.build(usage(10, 20, model="large-2026"))
        self.answer()
        self.assertEqual(Row.objects.get(scope="server").money, 5_000)

    def test_the_next_day_is_a_new_budget(self):
        self.use(server=100)
        self.build("Aye.", repeat=True)
        self.clock.advance(43_199)
        self.answer()
        self.refusal()
        self.clock.advance(1)
        self.answer()
        self.assertEqual(self.spent(day=date(2026, 1, 3)), 100)

    def test_a_call_over_midnight_is_settled_on_the_day_it_began(self):
        self.use()
        thinking = Deferred()
        self.build(thinking)
        asking = self.ask()
        self.clock.advance(43_210)
        thinking.callback(usage(12, 8))
        self.successResultOf(asking)
        self.assertEqual(self.spent(day=TODAY), 20)
        self.assertFalse(Row.objects.filter(day=date(2026, 1, 3)).exists())

    def test_another_process_that_is_faster_is_noticed_by_the_reservation(self):
        self.use(server=100)
        caps = budget.caps_for(Caller())
        self.assertEqual(budget.look(caps, Amount(100, 0), day=TODAY), "go")
        self.spend(1)
        with self.assertRaisesRegex(BudgetExceeded, "1 of 100 tokens"):
            budget.reserve(caps, Amount(100, 0), day=TODAY)
        self.assertEqual(self.spent(), 1)

    def test_a_look_is_one_query_and_a_call_few(self):
        self.use()
        self.build(usage(12, 8), repeat=True)
        self.answer()
        # One look; then one UPDATE of the rows of three scopes before, and one after.
        with self.assertNumQueries(1 + 2):
            self.answer()


class LadderTests(BudgetTestCase):
    CHEAPER = {
        "BACKEND": SCRIPTED,
        "OPTIONS": {"replies": ["(cheap)"], "repeat": True, "name": "tiny"},
    }

    def test_below_80_percent_the_model_itself_answers(self):
        self.use(server=1000, cheaper=self.CHEAPER)
        self.build("Aye.")
        self.spend(799)
        self.assertEqual(self.answer(), "Aye.")

    def test_from_80_percent_the_cheaper_alias_answers_and_is_charged_once(self):
        self.use(server=1000, cheaper=self.CHEAPER)
        self.build()
        self.spend(800)
        self.assertEqual(self.answer(), "(cheap)")
        self.assertEqual(self.spent(), 900)
        self.assertEqual([row["alias"] for row in ledger_rows.recent()], ["cheaper"])

    def test_the_cheaper_alias_counts_once_for_the_rate_too(self):
        self.use(server=1000, cheaper=self.CHEAPER)
        self.spend(800)
        with self.settings_ai(RATE={"server": 1}):
            self.build()
            self.assertEqual(self.answer(), "(cheap)")
            self.assertEqual(rate_limits.moments(Limit(("model calls", "server"))), [])

    def test_any_scope_that_runs_low_is_enough(self):
        self.use(player=1000, cheaper=self.CHEAPER)
        self.build("Aye.")
        self.spend(900, scope="player:3")
        self.assertEqual(self.answer(player=3), "(cheap)")
        self.assertEqual(self.answer(player=4), "Aye.")

    def test_the_cheaper_alias_stops_at_100_percent_as_well(self):
        self.use(server=1000, cheaper=self.CHEAPER)
        self.build()
        self.spend(850)
        self.assertEqual(self.answer(), "(cheap)")
        self.assertIn("950 of 1000 tokens", self.refusal())

    def test_a_cheaper_mind_that_costs_nothing_goes_on_answering(self):
        self.use(server=1000, cheaper={"BACKEND": "tests.llm.test_budget.FreeMind"})
        self.build()
        self.spend(1000)
        self.assertEqual(self.answer(), "(free)")
        self.assertEqual(self.spent(), 1000)

    def test_a_cheaper_price_may_fit_where_the_own_does_not(self):
        self.use(
            server={"money": 0.02},
            cheaper=self.CHEAPER,
            prices={"large": (100, 400), "tiny": (1, 1)},
        )
        self.build()
        self.assertEqual(self.answer(), "(cheap)")
        self.assertEqual(Row.objects.get(scope="server").money, 100)

    def test_without_a_cheaper_alias_the_rest_is_used_up(self):
        self.use(server=1000)
        self.build("Aye.", repeat=True)
        self.spend(850)
        self.assertEqual(self.answer(), "Aye.")
        self.refusal()

    def test_staff_are_told_once_a_day_at_80_and_once_at_100_percent(self):
        self.use(server=500)
        self.build("Aye.", repeat=True)
        with capturedLogs() as captured:
            for _ in range(5):
                self.answer()
            for _ in range(5):
                self.refusal()
        self.assertEqual(
            lines(captured),
            [
                "evennia_ai: 80 % of the budget of server on 2026-01-02 (UTC) are spent; "
                "the rest is still used.",
                "evennia_ai: The budget of server does not cover a call of 100 tokens: "
                "500 of 500 tokens spent on 2026-01-02 (UTC).",
            ],
        )

    def test_each_scope_and_each_day_is_told_for_itself(self):
        self.use(assistant=100)
        self.build("Aye.", repeat=True)
        with capturedLogs() as captured:
            for assistant in (7, 8):
                self.answer(assistant=assistant)
                self.refusal(assistant=assistant)
            self.clock.advance(86_400)
            self.answer(assistant=7)
            self.refusal(assistant=7)
        told = [line.split()[4] + " " + line.split()[-2] for line in lines(captured)]
        self.assertEqual(
            told,
            ["assistant:7 2026-01-02", "assistant:8 2026-01-02", "assistant:7 2026-01-03"],
        )

    def test_the_line_at_80_percent_names_the_cheaper_alias(self):
        self.use(server=1000, cheaper=self.CHEAPER)
        self.build()
        self.spend(800)
        with capturedLogs() as captured:
            self.answer()
            self.answer()
        self.assertEqual(len(lines(captured)), 1)
        self.assertIn("the alias 'cheaper' answers now", lines(captured)[0])


class StackTests(BudgetTestCase):
    """The wrappers as the settings name them."""

    def stand(self, *replies, **caps):
        self.use(**caps)
        self.replies = [*replies]
        options = {"replies": self.replies, "name": "scripted"}
        changed = self.settings_ai(LLM={"default": {"BACKEND": SCRIPTED, "OPTIONS": options}})
        changed.enable()
        self.addCleanup(changed.disable)
        self.stack = base.get_llm("reply")

    def test_each_attempt_is_a_row_and_is_charged(self):
        self.stand(LLMBadReply("<html>"), usage(12, 8))
        asking = self.ask()
        self.clock.advance(1)
        self.assertEqual(self.successResultOf(asking).text, "Aye.")
        self.assertEqual([row["outcome"] for row in ledger_rows.recent()], ["ok", "LLMBadReply"])
        for scope in ("server", "assistant:7", "player:3"):
            self.assertEqual(self.spent(scope), REQUEST_TOKENS + 20)

    def test_a_cap_of_one_call_pays_for_one_attempt(self):
        for error in (LLMBadReply("<html>"), LLMTimeout("30 seconds")):
            self.stand(error, usage(12, 8), server=REQUEST_TOKENS)
            self.spend(0)
            asking = self.ask()
            self.clock.advance(1)
            self.failureResultOf(asking, BudgetExceeded)
            self.assertEqual((self.spent(), len(ledger_rows.recent())), (REQUEST_TOKENS, 1))
            LedgerEntry.objects.all().delete()

    def test_what_the_cheaper_model_fails_at_is_no_failure_of_the_other(self):
        failing = {"BACKEND": SCRIPTED, "OPTIONS": {"replies": [LLMUnavailable("away")] * 2}}
        self.use(player=1000)
        self.spend(900, scope="player:3")
        unasked = {"BACKEND": SCRIPTED, "OPTIONS": {"replies": []}}
        models = {"default": unasked, "cheaper": failing}
        self.patch(breaker, "FAILURES", 1)
        with self.settings_ai(LLM=models):
            self.stack = base.get_llm("reply")
            asking = self.ask(player=3)
            self.clock.advance(1)
            self.failureResultOf(asking, LLMUnavailable)
            states = {alias: one["state"] for alias, one in breaker.states().items()}
        self.assertEqual(states, {"cheaper": "open", "default": "closed"})


class FreeMind(ScriptedMind):
    """An offline mind: no model, so no wrappers and no budget stand around it."""

    is_model = False

    def __init__(self):
        super().__init__(["(free)"], repeat=True)
