"""A real game in Postgres with two workers: a night to its end, while one worker is killed by -9."""

import importlib.util
import signal
import threading
import time
import unittest
from unittest import SkipTest

from django.test import tag

from tests.semantic import postgres_server

MISSING = "needs the wheel pgserver and procrastinate"
MINDS, ENTRIES, PATIENCE = 3, 20, 150
# Jobs that the worker which was started first is at.
BUSY = (
    "SELECT count(*) FROM procrastinate_jobs WHERE status = 'doing'"
    " AND worker_id = (SELECT min(id) FROM procrastinate_workers)"
)
ANSWERED = """answer LIKE '{"answer"%'"""


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
            waiting = town.call("inside_workers.queue_up", patience=60)
            dying, other = [town.start_worker(concurrency=1) for _ in range(2)]
            killing = threading.Thread(target=self.kill, args=(town, dying))
            killing.start()
            night = workers.sleep(town, MINDS)
            killing.join()
            retried = town.call("inside_workers.fail_and_retry", patience=60)
            tracebacks, log = town.tracebacks(), town.log("server")
            answered = town.query(f"SELECT count(*) FROM evennia_ai_job WHERE {ANSWERED}")
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
        self.assertEqual(self.left_behind, [(1,)])
        # A call in the middle of which a worker is killed is made twice, and stands in the ledger once.
        self.assertLessEqual(night["calls"], model.asked)
        self.assertGreater(answered[0][0], MINDS)

    def kill(self, town, worker):
        """Kill a worker while it is at a job: it is stopped first, so that it cannot end it meanwhile."""
        end = time.monotonic() + PATIENCE
        worker.send_signal(signal.SIGSTOP)
        while town.query(BUSY) != [(1,)] and time.monotonic() < end:
            worker.send_signal(signal.SIGCONT)
            time.sleep(0.05)
            worker.send_signal(signal.SIGSTOP)
        town.kill_worker(worker)
        self.left_behind = town.query(BUSY)
