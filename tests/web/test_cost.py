"""The page of what models cost: for admins, by the functions of `@aiadmin/cost` and `@aiadmin/budget`."""

import re
from datetime import datetime, timedelta, timezone

from evennia_ai import scheduling
from evennia_ai.llm import caps, outages
from evennia_ai.memory import identity
from evennia_ai.models import Budget, LedgerEntry
from tests.web.cases import PageTestCase
from tests.web.watched import Watched

COST = "/ai/cost/"
CAP = "/ai/cost/cap/"


def day_of(day):
    """Return the row of a day, up to its tokens."""
    return f'?day={day}#whom">{day}</a></th><td data-label="Tokens" class="number">'


class CostTestCase(PageTestCase):
    def setUp(self):
        super().setUp()
        # 12:00 UTC of the 2nd of January 2026.
        self.clock.advance(datetime(2026, 1, 2, 12, tzinfo=timezone.utc).timestamp())
        self.account.permissions.add("Admin")
        self.web.force_login(self.account)

    def paid(self, tokens, *, days_ago=0, **fields):
        LedgerEntry.objects.create(
            created=scheduling.now() - timedelta(days=days_ago),
            **{
                "alias": "default",
                "job": "reply",
                "assistant_id": self.mara.id,
                "prompt_tokens": tokens,
                "completion_tokens": 1,
                "money": tokens * 1000,
                "outcome": "ok",
                **fields,
            },
        )


class ShownTests(CostTestCase):
    def test_it_shows_each_day_and_today_by_npc(self):
        self.paid(1000)
        self.paid(4000, days_ago=3)
        page = self.page(COST)
        for words in (
            f"{day_of('2026-01-02')}1,001<",
            f"{day_of('2025-12-30')}4,001<",
            f"<bdi>Mara (#{self.mara.id})</bdi>",
            "no model has a price",
        ):
            self.assertIn(words, page)
        self.assertNotIn("style=", page)
        self.assertNotIn("2025-12-04", page)

    def test_without_any_call_that_is_said(self):
        self.assertIn("No model was asked on any of the last 30 days.", self.page(COST))

    def test_what_a_week_and_a_month_cost_is_said(self):
        for days_ago, tokens in ((0, 9), (6, 99), (7, 999), (29, 9999), (30, 99999)):
            self.paid(tokens, days_ago=days_ago, job=f"job{tokens}")
        page = self.page(COST)
        for words, tokens, calls in (
            ("Today", "10", 1),
            ("The last 7 days", "110", 2),
            ("The last 30 days", "11,110", 4),
        ):
            self.assertIn(
                f'<tr><th scope="row">{words}</th><td data-label="Tokens" class="number">{tokens}</td>'
                f'<td data-label="Calls" class="number">{calls}</td>',
                page,
            )
        for over, jobs in (
            ("day", {"job9"}),
            ("week", {"job9", "job99"}),
            ("month", {"job9", "job99", "job999", "job9999"}),
            ("nonsense", {"job9"}),
        ):
            page = self.page(f"{COST}?over={over}&by=job")
            self.assertEqual({*re.findall(r"<bdi>(job9+)</bdi>", page)}, jobs)

    def test_when_a_model_was_left_alone_is_told(self):
        self.assertNotIn("was left alone", self.page(COST))
        outages.note_begun("default", "LLMTimeout")
        scheduling.drain()
        page = self.page(COST)
        for words in ("2026-01-02 12:00", "a restart", "LLMTimeout"):
            self.assertIn(words, page)
        self.clock.advance(3600)
        outages.note_ended("default")
        scheduling.drain()
        self.assertIn("2026-01-02 13:00", self.page(COST))

    def test_another_day_by_others_is_chosen_in_the_address(self):
        self.paid(5, days_ago=1, player_id=self.account2.id, job="score")
        day = f"{COST}?day=2026-01-01&by="
        self.assertIn(f"<bdi>{self.account2.key}</bdi>", self.page(f"{day}player"))
        self.assertIn("<bdi>score</bdi>", self.page(f"{day}job"))
        self.assertIn("<bdi>default</bdi>", self.page(f"{day}model"))
        self.assertIn("Mara", self.page(f"{day}nonsense"))
        self.assertIn("No model was asked on 2026-01-02", self.page(f"{COST}?day=nonsense"))

    def test_the_first_and_the_last_day_there_are_can_be_asked_for(self):
        for day in ("0001-01-01", "9999-12-31"):
            with self.subTest(day):
                self.assertIn(f"No model was asked on {day}", self.page(f"{COST}?day={day}"))
                self.page(f"{COST}?day={day}&over=month")

    def test_the_days_of_one_npc_are_shown_alone(self):
        self.paid(5)
        self.paid(7, assistant_id=9999)
        self.assertIn(day_of("2026-01-02") + "14<", self.page(COST))
        page = self.page(f"{COST}?npc={self.mara.id}")
        self.assertIn(day_of("2026-01-02") + "6<", page)
        self.assertIn("Day by day: of <bdi>Mara", page)

    def test_money_is_told_where_there_are_prices(self):
        changed = self.settings_ai(PRICES={"small": (1, 2)})
        changed.enable()
        self.addCleanup(changed.disable)
        self.paid(5000)
        self.assertIn('<td data-label="Money" class="number">5.0000<', self.page(COST))

    def test_it_shows_who_is_how_far(self):
        limits = {"tokens": 1000, "money": None}
        changed = self.settings_ai(BUDGET={"server": limits, "assistant": limits, "player": limits})
        changed.enable()
        self.addCleanup(changed.disable)
        scope = f"assistant:{identity.identity_of(self.mara)}"
        Budget.objects.create(scope=scope, day=scheduling.now().date(), tokens=1001)
        page = self.page(COST)
        for words in (
            f"<bdi>Mara (#{self.mara.id})</bdi>",
            "1,001 of 1,000",
            "spent: lines of their own",
            "0 of 1,000",
            "each player may use 1,000 tokens a day",
        ):
            self.assertIn(words, page)

    def test_hostile_names_are_text(self):
        self.mara.key = "<script>alert(1)</script>|lcsay x|ltclick|le"
        self.paid(5)
        page = self.page(f"{COST}?by=%3Cscript%3E&day=%3Cscript%3E")
        self.assertNotIn("<script", page)
        self.assertNotIn("|lc", page)


class CapTests(CostTestCase):
    def test_a_budget_is_set_as_by_the_command(self):
        lines = self.logged(CAP, whose="mara", cap="500/0.25")
        number, by = self.mara.id, f"evennia_ai: Char(#{self.char1.id})"
        may = "500 tokens and 0.2500 in money a day"
        self.assertIn(f"{by} set the budget of Mara(#{number}) to {may}.", lines)
        self.assertIn(f"The budget of Mara(#{number}) is {may} now.", self.seen)
        self.assertIn("set in the game", self.seen)
        scope = f"assistant:{identity.identity_of(self.mara)}"
        self.assertEqual(caps.set_in_game(), {scope: {"tokens": 500, "money": 0.25}})
        self.posts(CAP, whose="mara", cap="default")
        self.assertEqual(caps.set_in_game(), {})

    def test_for_the_server_and_for_each_of_a_kind(self):
        said = self.posts(CAP, whose="Server", cap="900")
        self.assertIn("The budget of the server is 900 tokens a day now.", said)
        self.posts(CAP, whose="player", cap="none/2")
        self.assertEqual(caps.set_in_game()["player"]["money"], 2.0)

    def test_what_is_no_budget_or_nobody_is_said(self):
        self.assertIn("&#x27;much&#x27; is no budget", self.posts(CAP, whose="server", cap="much"))
        self.assertIn("&#x27;&#x27; is no budget", self.posts(CAP, whose="server", cap=""))
        nobody = "There is neither an assistant nor a player called"
        self.assertIn(nobody, self.posts(CAP, whose="Zoe", cap="5"))
        self.assertIn(nobody, self.posts(CAP, cap="5"))
        self.npc("Mara", "all()")
        self.assertIn("&#x27;Mara&#x27; may be Mara", self.posts(CAP, whose="Mara", cap="5"))
        self.assertEqual(caps.set_in_game(), {})


class WhoTests(CostTestCase):
    def test_a_builder_sees_and_sets_nothing_nor_does_an_admin_who_quells(self):
        self.assertIn(">Cost<", self.page())
        self.account.permissions.remove("Admin")
        for quelled in (False, True):
            if quelled:
                self.account.permissions.add("Admin")
                self.char1.permissions.clear()
                self.account.attributes.add("_quell", True)
            self.assertNotIn("Budgets", self.page(COST, status=403))
            self.posts(CAP, status=403, whose="server", cap="5")
        self.assertEqual(caps.set_in_game(), {})

    def test_a_builder_has_no_link_to_it(self):
        self.as_builder()
        self.assertNotIn(">Cost<", self.page())

    def test_looking_at_the_address_sets_nothing(self):
        self.assertEqual(self.web.get(f"{CAP}?whose=server&cap=5").status_code, 405)

    def test_all_of_the_game_comes_over_the_bridge(self):
        self.paid(5)
        self.posts(CAP, whose="mara", cap="500")
        watched = Watched(self)
        with watched.watching():
            self.page(COST)
            self.posts(CAP, whose="mara", cap="400")
        self.assertEqual(watched.touched, [])
