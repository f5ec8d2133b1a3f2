"""One row for each attempt at a call: what is written, when, and what is never written."""

from contextlib import nullcontext
from datetime import date, datetime, timedelta, timezone
from unittest import mock

from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.task import Clock
from twisted.logger import capturedLogs

from evennia_ai.core import volatile
from evennia_ai.exceptions import LLMAuthError, LLMUnavailable
from evennia_ai.llm import daily_costs, ledger
from evennia_ai.llm.base import Caller, Completion, Request, ToolCall
from evennia_ai.llm.ledger import Ledger
from evennia_ai.llm.scripted import ScriptedMind
from evennia_ai.models import Budget, LedgerEntry
from evennia_ai.testing import AITestCase
from tests import ledger_rows
from tests.llm.logs import lines

# 2026-01-02 03:04:05 UTC, in seconds.
NOW = 1767323045
KEY = "sk-very-secret-0123456789"
LLM = {
    "default": {
        "BACKEND": "evennia_ai.llm.openai.OpenAIBackend",
        "OPTIONS": {"model": "small", "api_key": KEY},
    }
}
CALLER = Caller(assistant_id=7, assistant_key="bob", player_id=3, turn_id="turn-1")
ANSWER = Completion(
    "Aye.", model="small-2026", prompt_tokens=1000, completion_tokens=200, cached_tokens=900
)


class LedgerTestCase(AITestCase):
    def setUp(self):
        super().setUp()
        volatile.forget_all()
        self.addCleanup(volatile.forget_all)
        self.clock.advance(NOW)

    def use(self, **settings):
        changed = self.settings_ai(**settings)
        changed.enable()
        self.addCleanup(changed.disable)

    def ask(self, reply, *, caller=CALLER, alias="default", messages=()):
        """Ask a mind for one reply, through a ledger; return the Deferred."""
        book = Ledger(ScriptedMind([reply]), alias=alias)
        return book.complete(Request("reply", list(messages), caller=caller))

    def written(self, reply, **request):
        """Return the row that a call which is over by now has left."""
        self.ask(reply, **request).addErrback(lambda failure: None)
        self.assertTrue(ledger.flush())
        return LedgerEntry.objects.latest("id")


class RowTests(LedgerTestCase):
    def test_an_answer_is_a_row_with_its_tokens_and_its_price(self):
        self.use(LLM=LLM, PRICES={"small": (0.15, 0.6)})
        row = self.written(ANSWER)
        self.assertEqual(
            (row.alias, row.job, row.outcome, row.error), ("default", "reply", "ok", "")
        )
        self.assertEqual((row.assistant_id, row.assistant_key), (7, "bob"))
        self.assertEqual((row.player_id, row.turn_id), (3, "turn-1"))
        self.assertEqual(
            (row.model, row.prompt_tokens, row.completion_tokens), ("small", 1000, 200)
        )
        self.assertEqual(row.cached_tokens, 900)
        self.assertEqual(row.money, 270)
        self.assertEqual(row.created, datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone.utc))

    def test_the_answer_goes_on(self):
        self.assertEqual(self.successResultOf(self.ask(ANSWER)), ANSWER)

    def test_the_latency_is_in_milliseconds(self):
        thinking = Deferred()
        asking = self.ask(thinking)
        self.clock.advance(1.25)
        thinking.callback("Aye.")
        self.successResultOf(asking)
        ledger.flush()
        self.assertEqual(LedgerEntry.objects.get().latency_ms, 1250)

    def test_a_failure_is_a_row_with_its_name_and_goes_on(self):
        self.use(LLM=LLM)
        error = LLMUnavailable("no answer within 30 seconds")
        self.assertIs(self.failureResultOf(self.ask(error), LLMUnavailable).value, error)
        ledger.flush()
        row = LedgerEntry.objects.get()
        self.assertEqual(
            (row.outcome, row.error), ("LLMUnavailable", "no answer within 30 seconds")
        )
        self.assertEqual((row.model, row.prompt_tokens, row.money), ("small", None, 0))

    def test_a_cancelled_call_is_a_row_too(self):
        asking = self.ask(Deferred())
        asking.cancel()
        self.failureResultOf(asking, CancelledError)
        ledger.flush()
        self.assertEqual(LedgerEntry.objects.get().outcome, "CancelledError")

    def test_a_backend_that_raises_is_a_row_and_a_failure(self):
        class Broken:
            name, is_model = "broken", True

            def complete(self, request):
                raise ZeroDivisionError("a bug")

        self.failureResultOf(Ledger(Broken()).complete(Request("reply", [])), ZeroDivisionError)
        ledger.flush()
        self.assertEqual(LedgerEntry.objects.get().outcome, "ZeroDivisionError")

    def test_tokens_that_were_not_told_are_estimated_and_nonsense_is_not_believed(self):
        said = [{"role": "user", "content": "x" * 3600}]
        nonsense = Completion(
            "Aye.", prompt_tokens=10**30, completion_tokens=-4, cached_tokens=10**30
        )
        for answer, counted in (("Aye.", (1004, 300, 0)), (nonsense, (4016, 300, 4016))):
            row = self.written(answer, messages=said)
            self.assertEqual((row.prompt_tokens, row.completion_tokens, row.cached_tokens), counted)

    def test_a_long_error_is_cut_and_loses_what_databases_refuse(self):
        row = self.written(LLMUnavailable("\x00\ud800" + "x" * 1000))
        self.assertEqual(row.error, "?" + "x" * 299)

    def test_the_key_is_never_written(self):
        self.use(LLM=LLM, LEDGER_PROMPTS=True)
        row = self.written(LLMAuthError(f"Incorrect API key provided: {KEY}"))
        self.assertEqual(row.error, "Incorrect API key provided: (key)")

    def test_a_key_from_the_environment_is_never_written_either(self):
        self.use(LLM={"default": {"BACKEND": "x", "OPTIONS": {"api_key_env": "SOME_AI_KEY"}}})
        with mock.patch.dict("os.environ", {"SOME_AI_KEY": KEY}):
            row = self.written(LLMAuthError(f"bad key {KEY}"))
        self.assertEqual(row.error, "bad key (key)")

    def test_what_was_said_is_kept_only_on_demand(self):
        said = [{"role": "user", "content": "The moor is haunted."}]
        row = self.written(ANSWER, messages=said)
        self.assertEqual((row.prompt, row.answer), ("", ""))
        self.use(LEDGER_PROMPTS=True)
        reply = Completion("", tool_calls=(ToolCall("1", "say", {"words": "Åh."}),))
        row = self.written(reply, messages=said)
        self.assertEqual(row.prompt, '[{"role": "user", "content": "The moor is haunted."}]')
        self.assertIn('"arguments": {"words": "Åh."}', row.answer)


class BatchTests(LedgerTestCase):
    def ask_times(self, count):
        for _ in range(count):
            self.successResultOf(self.ask("Aye."))

    def test_rows_wait_for_a_second_and_are_written_together(self):
        # Otherwise the first write of a day asks for it.
        daily_costs.close_next(now=datetime.fromtimestamp(self.clock.seconds(), tz=timezone.utc))
        self.ask_times(3)
        self.assertEqual((LedgerEntry.objects.count(), ledger.pending()), (0, 3))
        self.clock.advance(0.99)
        self.assertEqual(LedgerEntry.objects.count(), 0)
        with self.assertNumQueries(3):
            # A savepoint, one INSERT, its release.
            self.clock.advance(0.01)
        self.assertEqual((LedgerEntry.objects.count(), ledger.pending()), (3, 0))
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_a_crowd_of_rows_is_written_in_small_batches_one_after_the_other(self):
        self.ask_times(20)
        self.clock.advance(1)
        self.assertEqual((LedgerEntry.objects.count(), ledger.pending()), (8, 12))
        self.clock.advance(0.02)
        self.assertEqual((LedgerEntry.objects.count(), ledger.pending()), (16, 4))
        self.clock.advance(0.02)
        self.assertEqual((LedgerEntry.objects.count(), ledger.pending()), (20, 0))
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_the_next_rows_after_a_batch_get_their_own_second(self):
        self.ask_times(8)
        self.clock.advance(10)
        self.ask_times(1)
        self.clock.advance(1)
        self.assertEqual(LedgerEntry.objects.count(), 9)

    def test_flush_writes_what_waits_and_leaves_no_timer(self):
        self.ask_times(2)
        self.assertTrue(ledger.flush())
        self.assertEqual(LedgerEntry.objects.count(), 2)
        self.assertEqual(self.clock.getDelayedCalls(), [])
        self.assertTrue(ledger.flush())

    def test_a_database_that_fails_loses_no_row_and_is_logged_once(self):
        locked = mock.patch.object(
            LedgerEntry.objects, "bulk_create", side_effect=OperationalError("database is locked")
        )
        with capturedLogs() as captured, locked as writing:
            self.ask_times(2)
            self.clock.advance(1)
            self.ask_times(10)
            self.clock.advance(30)
            self.assertFalse(ledger.flush())
        # After a second, after 30 more, and by hand: not at every row.
        self.assertEqual(writing.call_count, 3)
        self.assertEqual(ledger.pending(), 12)
        self.assertEqual(len(lines(captured)), 1)
        self.assertIn("database is locked", lines(captured)[0])
        self.clock.advance(30)
        # One batch at a time, so that a long queue does not hold up the game.
        self.assertEqual((LedgerEntry.objects.count(), ledger.pending()), (8, 4))
        self.clock.advance(1)
        self.assertEqual((LedgerEntry.objects.count(), ledger.pending()), (12, 0))

    def test_what_cannot_be_written_when_the_server_stops_is_told(self):
        lost = "evennia_ai: 2 rows of the ledger are lost; it cannot be written."
        locked = mock.patch.object(
            LedgerEntry.objects, "bulk_create", side_effect=OperationalError("locked")
        )
        for database, is_told in ((locked, True), (nullcontext(), False)):
            with capturedLogs() as captured, database:
                self.ask_times(2 if is_told else 0)
                ledger.finish()
            self.assertEqual(lost in lines(captured), is_told)
        self.assertEqual((LedgerEntry.objects.count(), ledger.pending()), (2, 0))

    def test_the_buffer_is_bounded_and_loses_the_oldest(self):
        locked = mock.patch.object(
            LedgerEntry.objects, "bulk_create", side_effect=OperationalError("locked")
        )
        bound = mock.patch.object(ledger, "BUFFER_ROWS", 5)
        with locked, bound:
            for number in range(8):
                self.ask("Aye.", caller=Caller(turn_id=f"turn-{number}"))
        ledger.flush()
        turns = list(LedgerEntry.objects.order_by("id").values_list("turn_id", flat=True))
        self.assertEqual(turns, ["turn-3", "turn-4", "turn-5", "turn-6", "turn-7"])

    def test_a_timer_on_a_clock_that_stands_still_does_not_hold_up_the_next(self):
        still = Clock()
        Ledger(ScriptedMind(["Aye."]), clock=still).complete(Request("reply", []))
        self.ask_times(1)
        self.clock.advance(1)
        self.assertEqual(LedgerEntry.objects.count(), 2)


class ReportTests(LedgerTestCase):
    def spend(self, prompt, *, bob=True, player=3, alias="default", created=NOW):
        caller = Caller(7, "bob", player) if bob else Caller(8, "eve", player)
        reply = Completion("Aye.", model="small", prompt_tokens=prompt, completion_tokens=10)
        clock = Clock()
        clock.advance(created)
        book = Ledger(ScriptedMind([reply]), alias=alias, clock=clock)
        self.successResultOf(book.complete(Request("reply", [], caller=caller)))

    def test_recent_gives_the_newest_first_as_plain_dicts(self):
        self.spend(1, created=NOW)
        self.spend(2, bob=False, created=NOW + 1)
        self.spend(3, created=NOW + 2)
        rows = ledger_rows.recent()
        self.assertEqual([row["prompt_tokens"] for row in rows], [3, 2, 1])
        self.assertIs(type(rows[0]), dict)
        self.assertEqual([row["prompt_tokens"] for row in ledger_rows.recent(7)], [3, 1])
        self.assertEqual([row["prompt_tokens"] for row in ledger_rows.recent(limit=1)], [3])

    def test_totals_sum_one_day_and_name_the_dearest_first(self):
        self.use(PRICES={"small": (1.0, 0.0)})
        self.spend(100)
        self.spend(50)
        self.spend(400, bob=False)
        self.ask(LLMUnavailable("away")).addErrback(lambda failure: None)
        # The days around it.
        self.spend(9999, created=NOW - 86400)
        self.spend(9999, created=NOW + 86400)
        totals = ledger.totals(day=date(2026, 1, 2))
        self.assertEqual(
            totals,
            [
                {
                    "assistant_id": 8,
                    "assistant_key": "eve",
                    "calls": 1,
                    "failures": 0,
                    "prompt_tokens": 400,
                    "cached_tokens": 0,
                    "completion_tokens": 10,
                    "money": 400,
                    "latency_ms": 0,
                },
                {
                    "assistant_id": 7,
                    "assistant_key": "bob",
                    "calls": 3,
                    "failures": 1,
                    "prompt_tokens": 150,
                    "cached_tokens": 0,
                    "completion_tokens": 20,
                    "money": 150,
                    "latency_ms": 0,
                },
            ],
        )

    def test_totals_by_player_and_by_alias(self):
        self.spend(100, player=3)
        self.spend(30, player=4, alias="score")
        day = date(2026, 1, 2)
        players = {
            row["player_id"]: row["prompt_tokens"] for row in ledger.totals(day=day, by="player")
        }
        aliases = {row["alias"]: row["calls"] for row in ledger.totals(day=day, by="alias")}
        self.assertEqual(players, {3: 100, 4: 30})
        self.assertEqual(aliases, {"default": 1, "score": 1})

    def test_a_day_without_calls_has_no_totals(self):
        self.assertEqual(ledger.totals(), [])

    def test_the_days_of_one_assistant_or_player_are_summed_one_by_one(self):
        self.spend(100)
        self.spend(50)
        self.spend(7, bob=False)
        self.spend(9, created=NOW - 86400)
        days = ledger.daily(by="assistant", value=7)
        self.assertEqual(
            [(row["day"], row["calls"], row["prompt_tokens"]) for row in days],
            [(date(2026, 1, 2), 2, 150), (date(2026, 1, 1), 1, 9)],
        )
        self.assertEqual([row["calls"] for row in ledger.daily(by="player", value=3)], [3, 1])
        self.assertEqual(ledger.daily(by="assistant", value=99), [])

    def test_the_rows_of_turns_come_in_order(self):
        for turn_id, prompt in (("a", 1), ("b", 2), ("a", 3)):
            reply = Completion("Aye.", prompt_tokens=prompt, completion_tokens=1)
            book = Ledger(ScriptedMind([reply]), alias="default", clock=Clock())
            caller = Caller(7, "bob", 3, turn_id)
            self.successResultOf(book.complete(Request("reply", [], caller=caller)))
        ledger.flush()
        with self.assertNumQueries(1):
            found = ledger.of_turns(["a", "b", "c"], assistant_id=7)
        tokens = {turn: [row["prompt_tokens"] for row in rows] for turn, rows in found.items()}
        self.assertEqual(tokens, {"a": [1, 3], "b": [2], "c": []})
        self.assertEqual(ledger.of_turns(["a"], assistant_id=8), {"a": []})

    def test_prune_deletes_what_is_older_than_the_settings_say(self):
        self.use(LEDGER_DAYS=30)
        now = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)
        for days in (0, 29, 31, 400):
            self.spend(days, created=(now - timedelta(days=days)).timestamp())
            Budget.objects.create(scope="server", day=now.date() - timedelta(days=days))
        ledger.flush()
        list(ledger.prune(now=now))
        self.assertEqual([row["prompt_tokens"] for row in ledger_rows.recent()], [0, 29])
        self.assertEqual(Budget.objects.count(), 2)

    def test_of_many_rows_some_are_deleted_at_each_step_and_none_is_read(self):
        now = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)
        old = datetime(2025, 3, 1, tzinfo=timezone.utc)
        LedgerEntry.objects.bulk_create(LedgerEntry(created=old, prompt="Hm.") for _ in range(401))
        with CaptureQueriesContext(connection) as asked:
            left = [LedgerEntry.objects.count() for _ in ledger.prune(now=now)]
        # After the day has been summed up.
        self.assertEqual(left, [401, 201, 1, 0])
        self.assertNotIn('ledgerentry"."prompt"', " ".join(one["sql"] for one in asked))
