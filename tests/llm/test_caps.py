"""What may be spent: the settings, and before them what was set in the game."""

from datetime import date

from evennia_ai.core import volatile
from evennia_ai.llm import caps
from evennia_ai.llm.base import Caller
from evennia_ai.llm.caps import Amount
from evennia_ai.llm.wrappers import budget
from evennia_ai.models import Budget as Row
from evennia_ai.testing import AITestCase

# 12:00 UTC of the 2nd of January 2026, in seconds.
NOON = 1767355200
TODAY = date(2026, 1, 2)
SCRIPTED = "evennia_ai.llm.scripted.ScriptedMind"
LIMITS = {
    "server": {"tokens": 1000, "money": None},
    "assistant": {"tokens": 300, "money": 1.5},
    "player": {"tokens": 200, "money": None},
}


class CapsTestCase(AITestCase):
    def setUp(self):
        super().setUp()
        self.clock.advance(NOON)
        changed = self.settings_ai(BUDGET=LIMITS)
        changed.enable()
        self.addCleanup(changed.disable)

    def cap(self, scope="assistant:bob", kind="assistant"):
        """Return a cap as (tokens, money in millionths)."""
        cap = caps.cap_of(kind, scope)
        return cap.tokens, cap.money


class CapTests(CapsTestCase):
    def test_without_more_the_settings_hold(self):
        self.assertEqual(self.cap(), (300, 1_500_000))
        self.assertEqual(self.cap("server", "server"), (1000, None))
        self.assertEqual(caps.set_in_game(), {})

    def test_a_cap_of_its_own_comes_before_that_of_its_kind_and_before_the_settings(self):
        caps.set_cap("assistant", {"tokens": 50, "money": None})
        self.assertEqual(self.cap(), (50, None))
        caps.set_cap("assistant:bob", {"tokens": 70, "money": 0.25})
        self.assertEqual(self.cap(), (70, 250_000))
        self.assertEqual(self.cap("assistant:eve"), (50, None))

    def test_none_gives_the_settings_back(self):
        caps.set_cap("assistant:bob", {"tokens": 70, "money": None})
        caps.set_cap("assistant:bob", None)
        self.assertEqual((self.cap(), caps.set_in_game()), ((300, 1_500_000), {}))

    def test_it_holds_over_a_restart(self):
        caps.set_cap("server", {"tokens": 5, "money": None})
        volatile.forget_all()
        self.assertEqual(self.cap("server", "server"), (5, None))

    def test_no_limit_at_all_is_a_cap_too(self):
        caps.set_cap("assistant:bob", {"tokens": None, "money": None})
        self.assertEqual(self.cap(), (None, None))

    def test_the_budget_asks_for_it(self):
        caps.set_cap("assistant:bob", {"tokens": 70, "money": None})
        self.assertEqual(
            budget.caps_for(Caller(assistant_id=7, assistant_key="bob", player_id=3)),
            {
                "server": Amount(1000, None),
                "assistant:bob": Amount(70, None),
                "player:3": Amount(200, None),
            },
        )

    def test_staff_are_told_anew_when_a_cap_has_changed(self):
        Row.objects.create(scope="server", day=TODAY, tokens=1000, warned=100)
        caps.set_cap("server", {"tokens": 5000, "money": None})
        self.assertEqual(Row.objects.get(scope="server").warned, 0)


class RungTests(CapsTestCase):
    def rung(self, tokens, *, warned=0, money=0, **settings):
        """Return the rung of an assistant that has spent so much today."""
        Row.objects.update_or_create(
            scope="assistant:bob",
            day=TODAY,
            defaults={"tokens": tokens, "money": money, "warned": warned},
        )
        with self.settings_ai(BUDGET=LIMITS, **settings):
            cap = caps.cap_of("assistant", "assistant:bob")
            return budget.rung_of("assistant:bob", cap, day=TODAY)["rung"]

    def model(self, name):
        """Return settings with a cheaper alias."""
        options = {"replies": []} if name == SCRIPTED else {}
        offline = {"BACKEND": "evennia_ai.llm.offline.OfflineMind"}
        return {"LLM": {"default": offline, "cheaper": {"BACKEND": name, "OPTIONS": options}}}

    def test_the_ladder_without_a_cheaper_model(self):
        for tokens, expected in ((0, "full"), (239, "full"), (240, "low"), (299, "low")):
            with self.subTest(tokens):
                self.assertEqual(self.rung(tokens), expected)
        self.assertEqual(self.rung(300), "spent")

    def test_the_ladder_with_a_cheaper_model(self):
        cheaper = self.model(SCRIPTED)
        self.assertEqual(self.rung(239, **cheaper), "full")
        self.assertEqual(self.rung(240, **cheaper), "cheaper")
        self.assertEqual(self.rung(300, **cheaper), "spent")

    def test_what_costs_nothing_answers_also_when_all_is_spent(self):
        free = self.model("evennia_ai.llm.offline.OfflineMind")
        self.assertEqual(self.rung(300, **free), "cheaper")

    def test_money_counts_as_tokens_do(self):
        self.assertEqual(self.rung(0, money=1_200_000), "low")
        self.assertEqual(self.rung(0, money=1_500_001), "spent")

    def test_who_was_refused_today_is_spent_whatever_is_left(self):
        self.assertEqual(self.rung(100, warned=100), "spent")
        self.assertEqual(self.rung(250, warned=80), "low")
        # What is left was too little for a call.
        self.assertEqual(self.rung(250, warned=100), "spent")

    def test_who_spent_nothing_has_all_of_it(self):
        cap = Amount(300, None)
        self.assertEqual(
            budget.rung_of("assistant:eve", cap, day=TODAY),
            {"scope": "assistant:eve", "tokens": 0, "money": 0, "cap": cap, "rung": "full"},
        )
        self.assertFalse(Row.objects.filter(scope="assistant:eve").exists())
