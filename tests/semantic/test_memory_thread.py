"""Tests of the thread that semantic memory works in."""

import threading
from unittest import mock

from twisted.internet.defer import CancelledError

from evennia_ai import scheduling
from evennia_ai.semantic import memory_thread
from evennia_ai.semantic.memory_thread import InlineWorker, MemoryUnavailable, Worker
from tests.semantic.cases import SemanticTestCase


class WorkerTests(SemanticTestCase):
    def setUp(self):
        super().setUp()
        self.handed_over = []
        self.arrived = threading.Event()
        patch = mock.patch("twisted.internet.reactor.callFromThread", self.hand_over)
        patch.start()
        self.addCleanup(patch.stop)
        self.worker = Worker(limit=3)
        self.addCleanup(self.worker.stop)

    def hand_over(self, *call):
        self.handed_over.append((threading.current_thread(), call))
        self.arrived.set()

    def deliver(self):
        """Wait for one result and do what the reactor would."""
        self.assertTrue(self.arrived.wait(60))
        self.arrived.clear()
        thread, (scheduler, function, *arguments) = self.handed_over.pop(0)
        self.assertIs(scheduler, scheduling.go_on_soon)
        function(*arguments)
        return thread

    def test_it_works_in_a_daemon_thread_and_fires_in_a_slice_of_the_reactor(self):
        seen = []
        result = self.worker.run(lambda: seen.append(threading.current_thread()) or 7)
        self.assertNoResult(result)
        thread = self.deliver()
        self.assertEqual(self.successResultOf(result), 7)
        self.assertEqual(seen, [thread])
        self.assertIsNot(thread, threading.current_thread())
        self.assertTrue(thread.daemon)

    def test_an_error_reaches_whoever_asked(self):
        result = self.worker.run(int, "x")
        self.deliver()
        self.failureResultOf(result, ValueError)

    def test_the_queue_is_bounded(self):
        going, hold = threading.Event(), threading.Event()
        self.addCleanup(hold.set)
        first = self.worker.run(lambda: going.set() or hold.wait(60))
        self.assertTrue(going.wait(60))
        waiting = [self.worker.run(int) for _ in range(3)]
        refused = self.failureResultOf(self.worker.run(int), MemoryUnavailable)
        self.assertEqual(refused.getErrorMessage(), "semantic memory is busy: 3 jobs wait.")
        for deferred in (first, *waiting):
            self.assertNoResult(deferred)

    def test_jobs_are_done_in_order_by_one_thread(self):
        done = []
        for number in range(2):
            self.worker.run(lambda number=number: done.append((number, threading.get_ident())))
        self.worker.stop()
        self.assertEqual([number for number, _ in done], [0, 1])
        self.assertEqual(len({thread for _, thread in done}), 1)

    def test_stop_finishes_what_waits_and_the_next_job_starts_another_thread(self):
        done = []
        self.worker.run(done.append, 1)
        ended = self.worker._ended
        self.worker.stop()
        self.assertEqual(done, [1])
        self.assertTrue(ended.is_set())
        self.arrived.clear()
        self.handed_over.clear()
        again = self.worker.run(lambda: 2)
        self.deliver()
        self.assertEqual(self.successResultOf(again), 2)

    def test_stop_does_not_wait_for_ever(self):
        going, hold = threading.Event(), threading.Event()
        self.addCleanup(hold.set)
        self.worker.run(lambda: going.set() or hold.wait(60))
        self.assertTrue(going.wait(60))
        with mock.patch.object(memory_thread, "GRACE", 0.05):
            self.worker.stop()
        self.assertFalse(hold.is_set())

    def test_what_was_cancelled_is_not_done(self):
        going, hold, done = threading.Event(), threading.Event(), []
        self.worker.run(lambda: going.set() or hold.wait(60))
        self.assertTrue(going.wait(60))
        cancelled = self.worker.run(done.append, 1)
        cancelled.cancel()
        hold.set()
        self.worker.stop()
        self.failureResultOf(cancelled, CancelledError)
        self.assertEqual(done, [])

    def test_a_result_that_comes_after_the_cancelling_is_dropped(self):
        result = self.worker.run(int)
        self.assertTrue(self.arrived.wait(60))
        result.cancel()
        self.failureResultOf(result, CancelledError)
        self.deliver()


class RunnerTests(SemanticTestCase):
    def test_the_inline_worker_works_at_once(self):
        inline = InlineWorker()
        self.assertEqual(self.successResultOf(inline.run(lambda: 3)), 3)
        self.failureResultOf(inline.run(int, "x"), ValueError)
        inline.stop()

    def test_a_process_has_one_worker(self):
        memory_thread.set_worker(None)
        self.assertIsInstance(memory_thread.get_worker(), Worker)
        self.assertIs(memory_thread.get_worker(), memory_thread.get_worker())
        memory_thread.stop()
