"""What models cost is summed up day by day, and stays when the ledger lets its calls go."""

from datetime import date, datetime, timedelta, timezone

from evennia_ai.llm import daily_costs, ledger
from evennia_ai.llm.base import Caller, Completion, Request
from evennia_ai.llm.ledger import Ledger
from evennia_ai.llm.scripted import ScriptedMind
from evennia_ai.models import DailyCost, LedgerEntry
from evennia_ai.testing import AITestCase

NOON = datetime(2026, 3, 10, 12, tzinfo=timezone.utc)


class DailyCostsTests(AITestCase):
    def paid(self, days_ago, tokens, *, npc_id=7, job="reply", outcome="ok"):
        LedgerEntry.objects.create(
            created=NOON - timedelta(days=days_ago),
            assistant_id=npc_id,
            job=job,
            prompt_tokens=tokens,
            completion_tokens=1,
            money=tokens * 10,
            outcome=outcome,
        )

    def shown(self, days=3, **of):
        rows = daily_costs.by_day(until=NOON.date(), days=days, **of)
        return [(row["day"].day, row["calls"], row["prompt_tokens"]) for row in rows]

    def test_days_without_a_call_are_not_asked_for_one_by_one(self):
        with self.assertNumQueries(3):
            self.shown(days=30)
        self.paid(1, 20)
        # Yesterday and today.
        with self.assertNumQueries(5):
            rows = self.shown(days=30)
        self.assertEqual(rows[-2:], [(9, 1, 20), (10, 0, 0)])

    def test_days_that_are_over_are_summed_up_one_at_a_time(self):
        self.paid(5, 100)
        self.paid(2, 20)
        self.paid(2, 30, outcome="LLMUnavailable")
        self.paid(2, 40, job="score")
        self.paid(0, 7)
        closed = [daily_costs.close_next(now=NOON) for _ in range(3)]
        self.assertEqual(closed, [True, True, False])
        rows = DailyCost.objects.order_by("day", "job")
        self.assertEqual(
            [(r.day.day, r.job, r.calls, r.failures, r.prompt_tokens, r.money) for r in rows],
            [
                (5, "reply", 1, 0, 100, 1000),
                (8, "reply", 2, 1, 50, 500),
                (8, "score", 1, 0, 40, 400),
            ],
        )

    def test_a_day_is_over_an_hour_after_its_end(self):
        self.paid(1, 5)
        midnight = datetime(2026, 3, 10, tzinfo=timezone.utc)
        self.assertFalse(daily_costs.close_next(now=midnight + timedelta(minutes=59)))
        self.assertTrue(daily_costs.close_next(now=midnight + timedelta(minutes=61)))

    def test_what_another_process_has_summed_up_is_not_counted_twice(self):
        self.paid(1, 5)
        DailyCost.objects.create(day=date(2026, 3, 9), assistant_id=7, job="reply", calls=1)
        daily_costs._closed.put(date(2026, 3, 8))
        daily_costs.close_next(now=NOON)
        self.assertEqual(DailyCost.objects.count(), 1)

    def test_each_day_is_shown_once_whether_it_is_summed_up_or_not(self):
        self.paid(2, 20)
        self.paid(1, 30)
        self.paid(1, 5, npc_id=8, job="score")
        self.paid(0, 40)
        expected = [(8, 1, 20), (9, 2, 35), (10, 1, 40)]
        self.assertEqual(self.shown(), expected)
        daily_costs.close_next(now=NOON)
        self.assertEqual(self.shown(), expected)
        daily_costs.close_next(now=NOON)
        self.assertEqual(self.shown(), expected)
        self.assertEqual(self.shown(assistant_id=8), [(8, 0, 0), (9, 1, 5), (10, 0, 0)])

    def test_they_stay_when_the_ledger_lets_its_calls_go(self):
        self.paid(40, 9)
        self.paid(500, 9)
        list(ledger.prune(now=NOON))
        self.assertEqual(LedgerEntry.objects.count(), 0)
        self.assertEqual(self.shown(days=41)[0], (29, 1, 9))
        self.assertEqual(DailyCost.objects.count(), 1)

    def test_the_first_calls_of_a_day_close_the_last_one(self):
        self.paid(1, 5)
        self.clock.advance(NOON.timestamp())
        mind = ScriptedMind([Completion("Aye.", prompt_tokens=3, completion_tokens=1)])
        book = Ledger(mind, clock=self.clock)
        self.successResultOf(book.complete(Request("reply", [], caller=Caller(7, "mara", 0, "a"))))
        self.assertEqual(DailyCost.objects.count(), 0)
        self.clock.advance(1.1)
        self.assertEqual([row.day for row in DailyCost.objects.all()], [date(2026, 3, 9)])
