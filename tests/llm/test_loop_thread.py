import asyncio
import threading
import unittest

from django.core.exceptions import SynchronousOnlyOperation
from django.db import connection
from django.test import SimpleTestCase
from twisted.internet import defer
from twisted.trial import unittest as trial

from evennia_ai.exceptions import LLMUnavailable
from evennia_ai.llm import loop_thread
from tests.real_reactor import forget_what_is_due

# Seconds for what takes none, on a machine that is busy with something else.
PATIENCE = 60.0


async def answer(value="an answer"):
    return value


async def fail():
    raise ValueError("broken")


async def time_out_by_itself():
    raise TimeoutError("its own")


async def touch_the_database():
    connection.ensure_connection()


class InlineRunnerTests(trial.SynchronousTestCase):
    def setUp(self):
        self.runner = loop_thread.InlineRunner()
        self.addCleanup(self.runner.stop)

    def run_now(self, make_coroutine, timeout=PATIENCE):
        return self.runner.run(make_coroutine, timeout=timeout)

    def test_the_result_is_there_at_once(self):
        self.assertEqual(self.successResultOf(self.run_now(answer)), "an answer")

    def test_it_can_be_used_again_and_after_a_stop(self):
        self.successResultOf(self.run_now(answer))
        self.successResultOf(self.run_now(answer))
        self.runner.stop()
        self.runner.stop()
        self.assertEqual(self.successResultOf(self.run_now(answer)), "an answer")

    def test_an_error_of_the_coroutine_arrives_as_it_is(self):
        self.failureResultOf(self.run_now(fail), ValueError)

    def test_an_error_before_the_coroutine_arrives_as_well(self):
        def no_coroutine():
            raise KeyError("no client")

        self.failureResultOf(self.run_now(no_coroutine), KeyError)

    def test_the_deadline_is_told_in_a_sentence(self):
        waiting = self.runner.run(lambda: asyncio.sleep(60), timeout=0.01, what="The oracle")
        failure = self.failureResultOf(waiting, LLMUnavailable)
        self.assertEqual(str(failure.value), "The oracle did not answer within 0.01 seconds")

    def test_a_timeout_of_the_coroutine_itself_is_not_the_deadline(self):
        self.failureResultOf(self.run_now(time_out_by_itself), TimeoutError)

    def test_a_coroutine_that_was_cancelled_counts_as_cancelled(self):
        async def cancelled():
            raise asyncio.CancelledError

        self.failureResultOf(self.run_now(cancelled), defer.CancelledError)


class DatabaseGuardTests(SimpleTestCase):
    databases = {"default"}

    def test_the_database_is_shut_within_and_open_after(self):
        runner = loop_thread.InlineRunner()
        self.addCleanup(runner.stop)
        failures = []
        runner.run(touch_the_database, timeout=PATIENCE).addErrback(failures.append)
        self.assertIs(failures[0].type, SynchronousOnlyOperation)
        seen = []
        runner.run(answer, timeout=PATIENCE).addCallback(lambda _: seen.append(connection.vendor))
        self.assertEqual(seen, ["sqlite"])


class DaemonThreadsTests(unittest.TestCase):
    def test_a_job_runs_in_a_daemon_thread(self):
        threads = loop_thread.DaemonThreads()
        worker = threads.submit(threading.current_thread).result(PATIENCE)
        self.assertTrue(worker.daemon)
        self.assertIsNot(worker, threading.current_thread())

    def test_arguments_results_and_errors_pass_through(self):
        threads = loop_thread.DaemonThreads()
        self.assertEqual(threads.submit(sorted, [2, 1], reverse=True).result(PATIENCE), [2, 1])
        with self.assertRaises(ZeroDivisionError):
            threads.submit(divmod, 1, 0).result(PATIENCE)

    def test_a_job_that_hangs_does_not_hold_up_the_shutdown(self):
        threads, release = loop_thread.DaemonThreads(), threading.Event()
        self.addCleanup(release.set)
        job = threads.submit(release.wait, PATIENCE)
        threads.shutdown(wait=True)
        self.assertFalse(job.done())


class RunnerOfTheProcessTests(unittest.TestCase):
    def setUp(self):
        self.addCleanup(loop_thread.set_runner, None)

    def test_one_loop_thread_serves_all_until_another_is_set(self):
        loop_thread.set_runner(None)
        runner = loop_thread.get_runner()
        self.assertIsInstance(runner, loop_thread.LoopThread)
        self.assertIs(loop_thread.get_runner(), runner)
        inline = loop_thread.InlineRunner()
        loop_thread.set_runner(inline)
        self.assertIs(loop_thread.get_runner(), inline)

    def test_stop_needs_no_runner(self):
        loop_thread.set_runner(None)
        loop_thread.stop()
        loop_thread.get_runner()
        loop_thread.stop()


class LoopThreadTests(trial.TestCase):
    """The real thread under the real reactor."""

    timeout = 3 * PATIENCE

    def setUp(self):
        forget_what_is_due()
        self.runner = loop_thread.LoopThread()
        self.addCleanup(self.runner.stop)

    @defer.inlineCallbacks
    def test_work_is_done_in_one_daemon_thread_and_told_on_the_reactor(self):
        async def whereabouts():
            return threading.current_thread()

        first = yield self.runner.run(whereabouts, timeout=PATIENCE)
        self.assertIs(threading.current_thread(), threading.main_thread())
        second = yield self.runner.run(whereabouts, timeout=PATIENCE)
        self.assertIs(first, second)
        self.assertTrue(first.daemon)
        self.assertIsNot(first, threading.main_thread())

    @defer.inlineCallbacks
    def test_blocking_work_of_asyncio_is_done_in_daemon_threads_too(self):
        def look_up():
            return asyncio.to_thread(threading.current_thread)

        worker = yield self.runner.run(look_up, timeout=PATIENCE)
        self.assertTrue(worker.daemon)

    @defer.inlineCallbacks
    def test_errors_and_deadlines_arrive(self):
        yield self.assertFailure(self.runner.run(fail, timeout=PATIENCE), ValueError)
        waiting = self.runner.run(lambda: asyncio.sleep(60), timeout=0.02)
        yield self.assertFailure(waiting, LLMUnavailable)
        forbidden = self.runner.run(touch_the_database, timeout=PATIENCE)
        yield self.assertFailure(forbidden, SynchronousOnlyOperation)

    @defer.inlineCallbacks
    def test_cancelling_reaches_the_coroutine(self):
        begun, ended = threading.Event(), threading.Event()

        async def wait():
            begun.set()
            try:
                await asyncio.sleep(60)
            finally:
                ended.set()

        waiting = self.runner.run(wait, timeout=2 * PATIENCE)
        self.assertTrue(begun.wait(PATIENCE))
        waiting.cancel()
        yield self.assertFailure(waiting, defer.CancelledError)
        self.assertTrue(ended.wait(PATIENCE))
        # The thread goes on.
        self.assertEqual((yield self.runner.run(answer, timeout=PATIENCE)), "an answer")

    @defer.inlineCallbacks
    def test_stop_cancels_what_hangs_without_waiting_for_it(self):
        ended = []

        async def wait():
            await asyncio.sleep(PATIENCE)
            ended.append("waited for")

        waiting = [self.runner.run(wait, timeout=2 * PATIENCE) for _ in range(50)]
        self.runner.stop()
        self.assertEqual(ended, [])
        for one in waiting:
            yield self.assertFailure(one, defer.CancelledError)
        # Stopping twice is harmless, and the next use begins anew.
        self.runner.stop()
        self.assertEqual((yield self.runner.run(answer, timeout=PATIENCE)), "an answer")

    def test_stop_gives_up_on_a_loop_that_is_busy(self):
        begun, release, ended = threading.Event(), threading.Event(), []
        self.addCleanup(release.set)

        async def block():
            begun.set()
            ended.append(release.wait(PATIENCE))

        waiting = self.runner.run(block, timeout=2 * PATIENCE)
        self.assertTrue(begun.wait(PATIENCE))
        self.runner.stop()
        self.assertEqual(ended, [])
        release.set()
        return waiting.addErrback(lambda failure: failure.trap(defer.CancelledError))
