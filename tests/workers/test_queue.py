"""Jobs over a real Postgres: each is done once, and nothing that dies on the way takes an answer with it."""

import asyncio
import dataclasses
import importlib.util
import signal
import time
import unittest
from unittest import SkipTest

from django.test import tag

from evennia_ai.exceptions import LLMUnavailable, TurnEnded
from evennia_ai.llm.base import Caller, Request
from evennia_ai.workers import payload, queue, rows
from tests.semantic import postgres_server

MISSING = "needs the wheel pgserver and procrastinate"
SECONDS = 60


def work(words, *, mind=1, kind="score", version=payload.VERSION):
    """Return work of which the answer repeats the words."""
    request = Request(
        kind, [{"role": "user", "content": words}], caller=Caller(mind, f"mind-{mind}")
    )
    made = payload.work_of(request, alias="default", is_model=True)
    return dataclasses.replace(made, version=version)


@tag("scenario")
class QueueTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not (postgres_server.is_there() and importlib.util.find_spec("procrastinate")):
            raise SkipTest(MISSING)
        from tests.workers.town import Town

        cls.town = Town()
        cls.addClassCleanup(cls.town.close)

    def setUp(self):
        self.town.query(
            "TRUNCATE procrastinate_jobs, procrastinate_workers,"
            " evennia_ai_job, evennia_ai_budget, evennia_ai_ledgerentry CASCADE"
        )
        self.town.query("DELETE FROM server_serverconfig WHERE db_key = 'evennia_ai_started'")
        self.town.asked_file.write_text("")
        self.addCleanup(self.kill_workers)

    def kill_workers(self):
        for worker in self.town.workers:
            worker.kill()
            worker.wait(SECONDS)
            worker.stdout.close()
        self.town.workers.clear()

    def ask(self, *asked, life="a life", meanwhile=None):
        """Ask for work as a server does; return the words of the answers. `meanwhile` is done in a thread."""
        answers = self.answers(*asked, life=life, meanwhile=meanwhile)
        return [payload.read_answer(answer).text for answer in answers]

    def answers(self, *asked, life="a life", meanwhile=None):
        async def main():
            loop = asyncio.get_running_loop()
            office = queue._Office(loop, self.town.values, life)
            try:
                answers = [loop.create_task(office.ask(one)) for one in asked]
                if meanwhile is not None:
                    await loop.run_in_executor(None, meanwhile)
                return await asyncio.wait_for(asyncio.gather(*answers), SECONDS)
            finally:
                office._end()
                await asyncio.sleep(0)

        return asyncio.run(main())

    def outcomes(self, *asked):
        """Ask for work at once; return for each "answer", or the name of the error."""
        return [self.outcome(answer) for answer in self.answers(*asked)]

    def outcome(self, answer):
        try:
            payload.read_answer(answer)
        except TurnEnded as error:
            return type(error).__name__
        return "answer"

    def leave(self, *asked, life="a life that ends"):
        """Ask for work and go away before there is an answer."""

        async def main():
            async with await rows.connect(self.town.values) as connection:
                app = rows.new_app(self.town.values)
                for one in asked:
                    await rows.ensure(connection, app, one, life=life)

        asyncio.run(main())

    def wait_for(self, statement, expected):
        end = time.monotonic() + SECONDS
        while (found := self.town.query(statement)) != expected:
            self.assertLess(time.monotonic(), end, found)
            time.sleep(0.1)

    def test_a_job_is_done_by_a_worker_and_paid_from_the_budget_of_all(self):
        self.town.start_worker()
        self.assertEqual(self.ask(work("hello")), ["hello, you say"])
        self.assertEqual(self.town.asked(), ["hello"])
        self.assertEqual(
            self.town.query("SELECT alias, job, assistant_id, outcome FROM evennia_ai_ledgerentry"),
            [("default", "score", 1, "ok")],
        )
        spent = "SELECT tokens FROM evennia_ai_budget WHERE scope = 'assistant:mind-1'"
        self.assertEqual(self.town.query(spent), [(15,)])
        self.assertEqual(self.town.query("SELECT count(*) FROM procrastinate_jobs"), [(0,)])

    def test_what_a_server_that_died_has_asked_for_is_found_and_not_paid_twice(self):
        self.town.start_worker()
        self.leave(work("hello"))
        self.wait_for("SELECT finished IS NOT NULL FROM evennia_ai_job", [(True,)])
        self.assertEqual(self.ask(work("hello"), life="the next life"), ["hello, you say"])
        self.assertEqual(self.town.asked(), ["hello"])
        # The same life that asks again wants to hear something else.
        self.assertEqual(self.ask(work("hello"), life="the next life"), ["hello, you say"])
        self.assertEqual(self.town.asked(), ["hello", "hello"])

    def test_what_waits_already_is_not_asked_for_twice(self):
        self.leave(work("hello"), work("hello"))
        self.assertEqual(self.town.query("SELECT count(*) FROM procrastinate_jobs"), [(1,)])
        self.assertEqual(
            self.ask(work("hello"), work("hello"), meanwhile=self.town.start_worker),
            ["hello, you say", "hello, you say"],
        )
        self.assertEqual(self.town.asked(), ["hello"])

    def test_the_job_of_a_worker_that_was_killed_is_done_by_another_and_its_mind_goes_on(self):
        """Trap: it stays `doing`, and its lock would block the mind for ever."""
        dying = self.town.start_worker(seconds=30)

        def kill():
            self.town.wait_until_asked(1)
            dying.kill()
            dying.wait(SECONDS)
            self.town.start_worker()

        answers = self.ask(work("first"), work("second"), meanwhile=kill)
        self.assertEqual(answers, ["first, you say", "second, you say"])
        # The one that was killed was asked, too: at least once, and one answer.
        self.assertEqual(sorted(self.town.asked()), ["first", "first", "second"])

    def test_a_job_that_kills_each_worker_is_given_up(self):
        """It stands in the list of what failed, and whoever waits is told."""

        def feed_workers():
            for count in range(1, 6):
                worker = self.town.start_worker()
                self.town.wait_until_asked(count)
                worker.wait(SECONDS)
            self.town.start_worker()

        with self.assertRaisesRegex(LLMUnavailable, "a worker failed"):
            self.ask(work("die"), meanwhile=feed_workers)
        self.wait_for("SELECT status::text FROM procrastinate_jobs", [("failed",)])
        self.assertEqual(self.town.asked(), ["die"] * 5)

    def test_one_mind_does_one_thing_at_a_time_and_others_go_on(self):
        self.town.start_worker(seconds=0.3, concurrency=4)
        asked = [work("a1"), work("a2"), work("b1", mind=2)]
        begun = time.monotonic()
        self.assertEqual(len(self.ask(*asked)), 3)
        self.assertGreater(time.monotonic() - begun, 0.6)
        self.assertLess(self.town.asked().index("b1"), 2)

    def test_many_calls_at_once_do_not_wait_for_connections(self):
        """Trap: a pool that is smaller than what is done at once."""
        self.town.start_worker(seconds=0.5, concurrency=16)
        asked = [work(f"hello {number}", mind=number) for number in range(64)]
        begun = time.monotonic()
        self.assertEqual(len(self.ask(*asked)), 64)
        self.assertLess(time.monotonic() - begun, 30)
        self.assertEqual(len(self.town.asked()), 64)

    def leave_for_another_version(self):
        self.leave(work("newer", mind=2))
        self.town.query("UPDATE procrastinate_jobs SET queue_name = %s", rows.queue_of("9.9"))

    def test_a_job_of_another_version_waits_for_a_worker_of_that_version(self):
        """Trap: a worker outlives a reload with old code, or stands on a machine that nobody brought up to date."""
        self.leave_for_another_version()
        self.town.start_worker()
        self.assertEqual(self.ask(work("older")), ["older, you say"])
        # The answer is told a moment before the job is done.
        self.wait_for(
            "SELECT status::text, queue_name FROM procrastinate_jobs", [("todo", "evennia_ai_9.9")]
        )

    def test_what_a_server_of_another_version_left_ends_when_the_next_starts(self):
        self.leave_for_another_version()
        self.leave(work("own"))
        self.town.start_server()
        self.assertEqual(
            self.town.query("SELECT args->'work'->>'assistant_id' FROM procrastinate_jobs"),
            [("1",)],
        )
        self.assertEqual(
            self.town.query("SELECT assistant_id, finished IS NULL FROM evennia_ai_job ORDER BY 1"),
            [(1, True), (2, False)],
        )

    def test_what_a_worker_of_another_version_was_at_when_it_died_is_given_up_and_deleted(self):
        """Trap: a job that waits where nobody takes it holds up all of its mind."""
        self.leave_for_another_version()
        self.town.query(
            "UPDATE procrastinate_jobs SET status = 'doing', worker_id = NULL WHERE queue_name = %s",
            rows.queue_of("9.9"),
        )
        self.town.start_worker()
        self.wait_for("SELECT status::text FROM procrastinate_jobs", [])
        self.assertEqual(self.town.query("SELECT finished IS NULL FROM evennia_ai_job"), [(False,)])
        self.assertEqual(self.ask(work("after it", mind=2)), ["after it, you say"])

    def test_a_worker_of_another_version_or_clock_or_with_another_budget_does_not_start(self):
        self.town.start_server()
        self.assertEqual(self.town.check(), "All is there that a worker needs.\n")
        self.town.start_server(version="9.9")
        self.assertIn("The server has version 9.9 of evennia_ai, and this", self.town.check())
        self.town.start_server()
        self.assertIn(
            "The clock of this machine is 3600 seconds behind that of the database",
            self.town.check(ahead=-3600),
        )
        self.assertIn(
            'EVENNIA_AI["BUDGET"] is another here than where the server started. evennia reload\n',
            self.town.check(BUDGET={"server": {"tokens": 1000}}),
        )

    def test_a_database_that_takes_nothing_for_a_while_keeps_no_job(self):
        """A standby that is not the first yet, or one whose disk is full."""
        self.town.start_worker(seconds=1.0)

        def let(is_read_only):
            with self.town.connection() as connection:
                connection.execute(
                    f"ALTER SYSTEM SET default_transaction_read_only = {is_read_only}"
                )
                connection.execute("SELECT pg_reload_conf()")

        def refuse():
            self.town.wait_until_asked(1)
            let("on")
            self.addCleanup(let, "off")
            time.sleep(5)
            let("off")

        asked = [work("first"), work("second", mind=2)]
        self.assertEqual(self.ask(*asked, meanwhile=refuse), ["first, you say", "second, you say"])
        self.wait_for("SELECT status::text FROM procrastinate_jobs", [])

    def test_an_error_of_our_own_is_listed_and_told_and_can_be_tried_again(self):
        self.town.start_worker()
        with self.assertRaisesRegex(LLMUnavailable, "a worker failed: ZeroDivisionError"):
            self.ask(work("fail"))
        self.wait_for("SELECT status::text FROM procrastinate_jobs", [("failed",)])
        # Asked for again it is tried again, also by the same life.
        with self.assertRaises(LLMUnavailable):
            self.ask(work("fail"))
        self.assertEqual(self.town.asked(), ["fail", "fail"])

    def test_what_failed_is_forgotten_with_all_that_was_asked(self):
        """Trap: the queue keeps it for a day, so that it can be tried again, and each try under a number of its own."""
        self.town.start_worker()
        for mind in (1, 1, 2):
            with self.assertRaises(LLMUnavailable):
                self.ask(work("fail", mind=mind))
        failed = (
            "SELECT args->'work'->>'assistant_id' FROM procrastinate_jobs WHERE status = 'failed'"
        )
        self.wait_for(f"{failed} ORDER BY id", [("1",), ("1",), ("2",)])
        self.town.forget(1)
        self.assertEqual(self.town.query(failed), [("2",)])
        self.town.forget()
        self.assertEqual(self.town.query("SELECT args FROM procrastinate_jobs"), [])

    def test_the_caps_hold_for_all_workers_together(self):
        """Each call sets aside its 300 tokens of an answer before it is made, in one row for all."""
        cap = {"BUDGET": {"server": {"tokens": 1000, "money": None}}}
        self.town.query("DELETE FROM evennia_ai_budget")
        for _ in range(2):
            self.town.start_worker(concurrency=8, **cap)
        asked = [work(f"{number}", mind=number) for number in range(100)]
        outcomes = self.outcomes(*asked)
        [(tokens,)] = self.town.query("SELECT tokens FROM evennia_ai_budget WHERE scope = 'server'")
        self.assertLessEqual(tokens, 1000)
        self.assertEqual(tokens, 15 * len(self.town.asked()))
        self.assertEqual(set(outcomes), {"answer", "BudgetExceeded"})
        self.assertEqual(outcomes.count("answer"), len(self.town.asked()))

    def test_postgres_restarts_under_both(self):
        self.town.start_worker(seconds=1.0)

        def restart():
            self.town.wait_until_asked(1)
            self.town.server.kill()
            self.town.server.start()

        asked = [work("first"), work("second"), work("third", mind=2)]
        self.assertEqual(
            self.ask(*asked, meanwhile=restart),
            ["first, you say", "second, you say", "third, you say"],
        )

    def test_a_worker_that_the_database_lets_in_no_more_ends_with_an_error(self):
        worker, server = self.town.start_worker(), self.town.server
        rules = server.folder / "data" / "pg_hba.conf"
        self.addCleanup(self.town.server.start)
        self.addCleanup(self.town.server.kill)
        self.addCleanup(rules.write_text, rules.read_text())
        rules.write_text("local all all scram-sha-256")
        server.kill()
        server.start()
        self.assertEqual(worker.wait(SECONDS), 1)
        self.assertIn("no password supplied", self.town.check())

    def test_a_worker_that_is_told_to_stop_ends_what_it_does(self):
        worker = self.town.start_worker(seconds=1.0)

        def stop():
            self.town.wait_until_asked(1)
            worker.send_signal(signal.SIGTERM)

        self.assertEqual(self.ask(work("hello"), meanwhile=stop), ["hello, you say"])
        self.assertEqual(worker.wait(SECONDS), 0)
        self.assertEqual(self.town.query("SELECT count(*) FROM procrastinate_workers"), [(0,)])

    def test_a_worker_starts_anew_with_a_new_server(self):
        """It has the settings and the code of the one before."""
        worker = self.town.start_worker()
        self.assertEqual(self.ask(work("hello")), ["hello, you say"])
        [(before,)] = self.town.query("SELECT id FROM procrastinate_workers")
        self.town.query(
            "INSERT INTO server_serverconfig (db_key, db_value) VALUES ('evennia_ai_started', %s)",
            f"2027-01-01 00:00:00.000000 {payload.VERSION}",
        )
        self.wait_for(f"SELECT count(*) FROM procrastinate_workers WHERE id > {before}", [(1,)])
        self.assertIsNone(worker.poll())
        self.assertEqual(self.ask(work("and again")), ["and again, you say"])

    def test_what_was_done_long_ago_is_deleted(self):
        self.town.start_worker()
        self.ask(work("hello"))
        self.town.query("UPDATE evennia_ai_job SET finished = now() - interval '25 hours'")
        self.wait_for("SELECT count(*) FROM evennia_ai_job", [(0,)])
