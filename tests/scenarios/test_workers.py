"""A real game in Postgres with two workers: a night to its end, while one worker is killed by -9."""

import importlib.util
import signal
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from unittest import SkipTest

from django.test import tag

from tests.scenarios.game import GameError
from tests.semantic import postgres_server

MISSING = "needs the wheel pgserver and procrastinate"
# After PATIENCE seconds something hangs; a busy machine is slow.
MINDS, ENTRIES, PATIENCE = 3, 20, 250
# How many workers are at a job, and how many jobs were answered.
BUSY = "SELECT count(DISTINCT worker_id) FROM procrastinate_jobs WHERE status = 'doing'"
COUNT = """SELECT count(*) FROM evennia_ai_job WHERE answer LIKE '{"answer"%'"""
# The hooks of a start, with the places at which the database may be lost.
LOST = "tests.benchmarks.inside_lost"
HOOKS = [LOST, "evennia_ai.hooks", LOST, "tests.benchmarks.inside_link"]


@tag("scenario")
class WorkersTests(unittest.TestCase):
    def setUp(self):
        if not (postgres_server.is_there() and importlib.util.find_spec("procrastinate")):
            raise SkipTest(MISSING)

    def test_a_night_ends_though_a_worker_is_killed(self):
        from tests.benchmarks import workers

        with workers.town(latency=1.0) as (town, model):
            town.call("inside_bedtime.build", count=MINDS, entries=ENTRIES)
            town.fresh_server()
            waiting = town.call("inside_workers.queue_up", patience=PATIENCE)
            with ThreadPoolExecutor(2) as beside:
                starting = [beside.submit(town.start_worker, concurrency=1) for _ in range(2)]
                dying, other = [one.result() for one in starting]
                killing = beside.submit(self.kill, town, dying)
                night = workers.sleep(town, MINDS)
                was_busy = killing.result()
            retried = town.call("inside_workers.fail_and_retry", patience=PATIENCE)
            tracebacks, log = town.tracebacks(), town.log("server")
            answered = town.query(COUNT)
            doubled = town.query(workers.DOUBLED)
            self.assertIsNone(other.poll())
        self.assertRegex(waiting["doctor"][0], r"^No worker runs, and \d jobs wait for one\.$")
        self.assertRegex(
            waiting["dropped"][0], f"^Job {waiting['number']} is dropped; the night asks"
        )
        self.assertRegex(
            waiting["summed_up"][0], "^0 workers live. \\d jobs wait, 0 run, 0 failed;"
        )
        self.assertIn(f"dropped job {waiting['number']}", log)
        # What failed is listed, tried again by a word of staff, and done; what did not fail is not.
        number = retried["number"]
        self.assertRegex(
            retried["summed_up"][0], r"^1 worker lives\. 0 jobs wait, 0 run, 1 failed;"
        )
        self.assertEqual(retried["said"], [f"Job {number} is tried again."])
        self.assertRegex(retried["again"][0], "^There is no job that failed of the number")
        self.assertTrue(retried["is_answered"])
        self.assertIn(f"let job {number} be tried again", log)
        # What was dropped was asked for again.
        self.assertEqual(night["done"], MINDS)
        self.assertEqual(night["consolidated"], night["entries"])
        self.assertEqual(night["rated"], night["entries"])
        self.assertEqual(tracebacks, [], log)
        self.assertEqual(doubled, [(0,)])
        self.assertEqual(town.killed, 1)
        self.assertTrue(was_busy)
        # A call in the middle of which a worker is killed is made twice, and stands in the ledger once.
        self.assertLessEqual(night["calls"], model.asked)
        self.assertGreater(answered[0][0], MINDS)

    def test_a_night_ends_though_the_database_is_lost_while_the_reloaded_server_starts(self):
        from tests.benchmarks import workers

        with workers.town(latency=0) as (town, _):
            town.configure(AT_SERVER_STARTSTOP_MODULE=HOOKS)
            town.fresh_server()
            town.start_worker(concurrency=MINDS)
            # Before our hook; and between it and what Evennia does last, as it reads its tickers.
            for place in (1, 2):
                with self.subTest(place=place):
                    town.call("inside_workers.rest")
                    town.call("inside_bedtime.build", count=MINDS, entries=ENTRIES)
                    town.call("inside_lost.lose_at", place=place)
                    [[before]] = town.query(COUNT)
                    town.fresh_server()
                    self.wait_for_database(town)
                    night = workers.sleep(town, MINDS)
                    # Evennia's own start was broken off each time.
                    self.assertEqual(town.log("server").count("AMP caught exception"), place)
                    self.assertEqual(night["done"], MINDS)
                    self.assertEqual(night["consolidated"], night["entries"])
                    self.assertGreaterEqual(town.query(COUNT)[0][0], before + MINDS)

    def wait_for_database(self, town):
        """Wait until the Server has its database again."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                town.call("inside_workers.done")
                return
            except GameError:
                if time.monotonic() > end:
                    raise
            time.sleep(0.5)

    def kill(self, town, worker):
        """Kill one of two workers while both are at a job; return whether they were.

        It is stopped first, so that it cannot end the job meanwhile.
        """
        end, is_busy = time.monotonic() + PATIENCE, False
        while not is_busy and time.monotonic() < end:
            time.sleep(0.05)
            if town.query(BUSY) == [(2,)]:
                worker.send_signal(signal.SIGSTOP)
                is_busy = town.query(BUSY) == [(2,)]
                worker.send_signal(signal.SIGKILL if is_busy else signal.SIGCONT)
        town.kill_worker(worker)
        return is_busy
