"""`@aiadmin/cost` and `@aiadmin/budget`: what models cost, and what they may."""

from datetime import date, datetime, timezone

from evennia_ai.commands.shown import spending
from evennia_ai.core.records import GUESTS
from evennia_ai.llm import caps
from evennia_ai.models import Budget, LedgerEntry
from evennia_ai.testing import minds
from evennia_ai.typeclasses import scripts
from tests.commands.cases import CommandTestCase

# 12:00 UTC of the 2nd of January 2026, in seconds.
NOON = 1767355200
TODAY = date(2026, 1, 2)
LIMITS = {
    "server": {"tokens": 1000, "money": None},
    "assistant": {"tokens": 300, "money": 1.5},
    "player": {"tokens": 200, "money": None},
}


class SpendingTestCase(CommandTestCase):
    def setUp(self):
        super().setUp()
        self.clock.advance(NOON)
        changed = self.settings_ai(BUDGET=LIMITS, PRICES={"small": (1, 2)})
        changed.enable()
        self.addCleanup(changed.disable)
        self.npc = minds.make_assistant("Mara", location=self.room1)
        self.name = f"Mara(#{self.npc.id})"
        self.scope = f"assistant:{scripts.find(self.npc).assistant_key}"

    def paid(self, tokens, *, day=2, npc_id=None, player_id=0, alias="default", **fields):
        """Let one call be in the books."""
        LedgerEntry.objects.create(
            created=datetime(2026, 1, day, 11, tzinfo=timezone.utc),
            alias=alias,
            job="reply",
            model="small",
            assistant_id=self.npc.id if npc_id is None else npc_id,
            player_id=player_id,
            prompt_tokens=tokens,
            completion_tokens=10,
            latency_ms=200,
            **{"money": tokens * 1000, "outcome": "ok", **fields},
        )

    def rows(self, text):
        """Return the rows of the table that a line shows, each as a list of its cells."""
        lines = [" ".join(line.split()) for line in self.types(text).splitlines()]
        start = next(n for n, line in enumerate(lines) if set(line) <= {"-", "+", "~"} and line)
        end = next(
            n for n, line in enumerate(lines) if line.startswith(("Together", "Each assistant"))
        )
        return [line for line in lines[start + 1 : end] if line]


class CostTests(SpendingTestCase):
    def test_without_more_it_is_today_by_assistant(self):
        self.paid(100, cached_tokens=75)
        self.paid(1000, outcome="LLMUnavailable", money=0)
        self.paid(7, npc_id=9999)
        # As the doctor asks a model.
        self.paid(5, npc_id=0)
        self.paid(5000, day=1)
        said = self.types("@aiadmin/cost")
        self.assertTrue(said.startswith("2026-01-02 (UTC)"), said)
        self.assertEqual(
            self.rows("@aiadmin/cost"),
            [
                f"{self.name} 2 1 1,100 6 % 20 0.1000 200",
                "gone (#9999) 1 0 7 0 % 10 0.0070 200",
                "no NPC 1 0 5 0 % 10 0.0050 200",
            ],
        )
        self.assertIn("Together 1,112 tokens read (6 % cached), 40 written, 0.1120.", said)

    def test_another_day_is_named_after_an_equals_sign(self):
        self.paid(100)
        self.paid(5000, day=1)
        for text in ("= yesterday", "= 2026-01-01", "= YESTERDAY"):
            with self.subTest(text):
                [row] = self.rows(f"@aiadmin/cost {text}")
                self.assertEqual(row, f"{self.name} 1 0 5,000 0 % 10 5.0000 200")

    def test_by_player_and_by_model(self):
        self.paid(100, player_id=self.account.id)
        self.paid(50, player_id=self.account2.id, alias="score")
        self.paid(3)
        self.assertEqual(
            self.rows("@aiadmin/cost players"),
            [
                f"{self.account.key} 1 0 100 0 % 10 0.1000 200",
                f"{self.account2.key} 1 0 50 0 % 10 0.0500 200",
                "nobody 1 0 3 0 % 10 0.0030 200",
            ],
        )
        self.assertEqual(
            self.rows("@aiadmin/cost models"),
            ["default 2 0 103 0 % 20 0.1030 200", "score 1 0 50 0 % 10 0.0500 200"],
        )

    def test_all_guests_are_one_player(self):
        self.paid(100, player_id=GUESTS)
        self.assertEqual(
            self.rows("@aiadmin/cost players"), ["all guests 1 0 100 0 % 10 0.1000 200"]
        )
        self.assertEqual(
            self.rows("@aiadmin/cost guests"), ["2026-01-02 1 0 100 0 % 10 0.1000 200"]
        )

    def test_one_assistant_is_shown_day_by_day(self):
        self.paid(100)
        self.paid(5000, day=1)
        self.paid(7, npc_id=9999)
        said = self.types("@aiadmin/cost mara")
        self.assertTrue(said.startswith(f"{self.name}, day by day (UTC)"), said)
        self.assertEqual(
            self.rows(f"@aiadmin/cost #{self.npc.id}"),
            ["2026-01-02 1 0 100 0 % 10 0.1000 200", "2026-01-01 1 0 5,000 0 % 10 5.0000 200"],
        )
        self.assertEqual(
            self.rows("@aiadmin/cost Mara = yesterday"), ["2026-01-01 1 0 5,000 0 % 10 5.0000 200"]
        )

    def test_one_player_is_shown_day_by_day(self):
        self.paid(100, player_id=self.account2.id)
        for name in (self.account2.key, f"*{self.account2.key.upper()}"):
            with self.subTest(name):
                self.assertEqual(
                    self.rows(f"@aiadmin/cost {name}"), ["2026-01-02 1 0 100 0 % 10 0.1000 200"]
                )

    def test_where_no_model_was_asked_it_says_so(self):
        self.assertEqual(
            self.types("@aiadmin/cost"),
            "2026-01-02 (UTC)\nNo model was asked. "
            "Only models are in the books: the offline mind costs nothing.",
        )

    def test_without_prices_it_says_that_money_counts_for_nothing(self):
        self.paid(100, money=0)
        self.assertNotIn("PRICES", self.types("@aiadmin/cost"))
        with self.settings_ai(PRICES={}):
            said = self.types("@aiadmin/cost")
        self.assertIn("No PRICES are set, so that money counts as 0.", said)

    def test_what_is_no_day_is_said_in_a_sentence(self):
        for text in ("tomorrow", "2026-13-01", "x"):
            with self.subTest(text):
                self.assertEqual(
                    self.types(f"@aiadmin/cost = {text}"),
                    f"{text!r} is no day: today, yesterday, or one like 2026-12-31.",
                )

    def test_nobody_and_several_of_a_name_are_said_in_a_sentence(self):
        self.assertEqual(
            self.types("@aiadmin/cost ghost"),
            "There is neither an assistant nor a player called 'ghost'.",
        )
        other = minds.make_assistant("Mara", location=self.room2)
        self.assertEqual(
            self.types("@aiadmin/cost Mara"), f"'Mara' may be {self.name} or Mara(#{other.id})."
        )

    def test_a_long_list_fits_on_a_page(self):
        for npc_id in range(1000, 1060):
            self.paid(1, npc_id=npc_id)
        said = self.types("@aiadmin/cost").splitlines()
        self.assertLess(len(said), 40)
        self.assertIn("… and 35 more", said)

    def test_to_look_leaves_no_line_for_staff(self):
        self.assertEqual(self.logged("@aiadmin/cost"), [])


class BudgetTests(SpendingTestCase):
    def spent(self, tokens, *, scope="server", money=0, warned=0):
        """Let a scope have spent so much today."""
        Budget.objects.create(scope=scope, day=TODAY, tokens=tokens, money=money, warned=warned)

    def test_it_shows_who_is_how_far_and_what_that_means(self):
        self.spent(500)
        self.spent(280, scope=self.scope, money=250_000)
        self.spent(200, scope=f"player:{self.account2.id}")
        said = self.types("@aiadmin/budget")
        flat = " ".join(said.split())
        self.assertIn("the server 500 of 1,000 0.0000 enough left", flat)
        self.assertIn(f"{self.name} 280 of 300", flat)
        self.assertIn("0.2500 of 1.5000", flat)
        self.assertIn("0.2500 of 1.5000 nearly spent, no cheaper model", flat)
        self.assertIn("200 of 200", flat)
        # Two columns are wrapped: beside each other stand their first and their second lines.
        wrapped = "(TestAccount2 their own|their TestAccount2 own)"
        self.assertRegex(flat, f"200 of 200 0.0000 spent: lines of {wrapped}")
        self.assertIn("Each assistant may have 300 tokens and 1.5000 in money a day (UTC).", said)
        self.assertIn("Each player may have 200 tokens a day (UTC).", said)
        self.assertIn("From 80 % on nothing changes (no alias 'cheaper')", said)

    def test_the_cheaper_model_is_named_where_there_is_one(self):
        self.spent(900)
        offline = {"BACKEND": "evennia_ai.llm.offline.OfflineMind"}
        with self.settings_ai(BUDGET=LIMITS, LLM={"default": offline, "cheaper": offline}):
            said = self.types("@aiadmin/budget")
        self.assertIn("the cheaper model", said)
        self.assertIn("From 80 % on the alias 'cheaper' answers;", said)

    def test_a_cap_is_set_and_holds_at_once(self):
        said = self.types("@aiadmin/budget Mara = 50,000/0.25")
        self.assertEqual(
            said, f"The budget of {self.name} is 50,000 tokens and 0.2500 in money a day now."
        )
        self.assertEqual(caps.set_in_game(), {self.scope: {"tokens": 50000, "money": 0.25}})
        self.assertIn(f"{self.name} *", self.types("@aiadmin/budget"))

    def test_what_is_not_spoken_of_stays(self):
        self.types("@aiadmin/budget Mara = 50000")
        self.assertEqual(caps.set_in_game()[self.scope], {"tokens": 50000, "money": 1.5})
        self.types("@aiadmin/budget Mara = /2")
        self.assertEqual(caps.set_in_game()[self.scope], {"tokens": 50000, "money": 2.0})
        self.types("@aiadmin/budget Mara = none/none")
        self.assertEqual(caps.set_in_game()[self.scope], {"tokens": None, "money": None})

    def test_default_gives_the_settings_back(self):
        self.types("@aiadmin/budget Mara = 5")
        said = self.types("@aiadmin/budget Mara = default")
        self.assertEqual(
            said, f"The budget of {self.name} is 300 tokens and 1.5000 in money a day now."
        )
        self.assertEqual(caps.set_in_game(), {})

    def test_it_is_set_for_all_of_a_kind(self):
        for kind, whose in {
            "server": "the server",
            "Assistant": "each assistant",
            "player": "each player",
        }.items():
            with self.subTest(kind):
                said = self.types(f"@aiadmin/budget {kind} = 7/none")
                self.assertEqual(said, f"The budget of {whose} is 7 tokens a day now.")
        self.assertEqual(sorted(caps.set_in_game()), ["assistant", "player", "server"])

    def test_it_is_set_for_one_player(self):
        self.types(f"@aiadmin/budget *{self.account2.key} = 7")
        self.assertEqual(list(caps.set_in_game()), [f"player:{self.account2.id}"])

    def test_it_is_set_for_all_guests(self):
        said = self.types("@aiadmin/budget guests = 7")
        self.assertEqual(said, "The budget of all guests is 7 tokens a day now.")
        self.assertEqual(list(caps.set_in_game()), ["player:guests"])
        self.assertIn("all guests *", " ".join(self.types("@aiadmin/budget").split()))

    def test_what_is_no_cap_is_one_sentence_and_changes_nothing(self):
        usage = "Usage: @aiadmin/budget [<whose> = <tokens>[/<money>]]"
        for text in ("Mara", "Mara =", "= 5"):
            with self.subTest(text):
                self.assertEqual(self.types(f"@aiadmin/budget {text}"), usage)
        for text in ("x", "-5", "1/2/3", "1/x", "9" * 30):
            with self.subTest(text):
                self.assertEqual(
                    self.types(f"@aiadmin/budget Mara = {text}"),
                    f"'{text}' is no budget: tokens or tokens/money, each a number or `none`; or "
                    "`default`, as in the settings.",
                )
        self.assertEqual(caps.set_in_game(), {})

    def test_nobody_of_that_name_gets_none(self):
        said = self.types("@aiadmin/budget ghost = 5")
        self.assertEqual(said, "There is neither an assistant nor a player called 'ghost'.")

    def test_a_change_leaves_a_line_for_staff(self):
        self.assertEqual(
            self.logged("@aiadmin/budget server = 5"),
            ["evennia_ai: Char(#6) set the budget of the server to 5 tokens a day."],
        )
        self.assertEqual(self.logged("@aiadmin/budget"), [])

    def test_a_builder_has_neither(self):
        builder = self.as_staff("Builder")
        for text in ("@aiadmin/budget server = 5", "@aiadmin/cost"):
            self.assertIn("is not available", self.types(text, by=builder))
        self.assertEqual(caps.set_in_game(), {})

    def test_those_who_are_gone_are_still_shown(self):
        self.spent(10, scope="assistant:12345678-gone")
        self.spent(10, scope="player:99999")
        flat = " ".join(self.types("@aiadmin/budget").split())
        self.assertIn("(12345678)", flat)
        self.assertIn("a player who is", flat)


class ReadingTests(CommandTestCase):
    def test_a_cap_is_tokens_and_money(self):
        for text, expected in {
            "5": {"tokens": 5},
            "50_000": {"tokens": 50000},
            "5 / 2.5": {"tokens": 5, "money": 2.5},
            "none": {"tokens": None},
            "/none": {"money": None},
            "": {},
            "/": {},
            "5x": {},
            "5/.5": {},
        }.items():
            with self.subTest(text):
                self.assertEqual(spending.read_cap(text), expected)


class StatusTests(SpendingTestCase):
    def test_the_status_tells_that_a_budget_runs_out(self):
        Budget.objects.create(scope=self.scope, day=TODAY, tokens=300)
        Budget.objects.create(scope="server", day=TODAY, tokens=850)
        said = [line.strip() for line in self.types("@assistant Mara").splitlines()]
        self.assertEqual(
            said[-2:],
            [
                "The server's budget of today is nearly spent.",
                "Its budget of today is spent: it answers with lines of its own.",
            ],
        )
