"""Tests of how much one pass of the reactor may do."""

import threading
import time
import unittest
from datetime import datetime, timezone
from unittest import mock

from twisted.internet.defer import CancelledError
from twisted.internet.task import Clock

from evennia_ai import scheduling
from evennia_ai.core import volatile


class PassingClock(Clock):
    """A clock that makes one pass at a time, as the reactor does.

    `Clock.advance` also runs what is asked for meanwhile.
    """

    def one_pass(self):
        """Call what is due now, and nothing that is added by it."""
        due = [call for call in self.getDelayedCalls() if call.getTime() <= self.seconds()]
        for call in due:
            self.calls.remove(call)
            call.called = 1
            call.func(*call.args, **call.kw)


class SchedulingTestCase(unittest.TestCase):
    def setUp(self):
        self.clock = PassingClock()
        scheduling.set_clock(self.clock)
        self.addCleanup(scheduling.set_clock, None)
        self.done = []

    def work(self, name, *, seconds=0.0):
        """Be busy for a while, and note it."""
        until = time.perf_counter() + seconds
        while time.perf_counter() < until:
            pass
        self.done.append(name)

    def fail_at(self, name):
        self.done.append(name)
        raise RuntimeError(name)


class ClockTests(SchedulingTestCase):
    def test_the_time_of_day_is_the_clocks_in_utc(self):
        self.clock.advance(86_400.5)
        moment = datetime(1970, 1, 2, 0, 0, 0, 500_000, tzinfo=timezone.utc)
        self.assertEqual(scheduling.now(), moment)
        self.assertEqual(scheduling.now().tzinfo, timezone.utc)

    def test_without_a_clock_of_a_test_it_is_the_reactor(self):
        from twisted.internet import reactor

        scheduling.set_clock(None)
        self.assertIs(scheduling.clock(), reactor)

    def test_another_clock_forgets_what_waited(self):
        scheduling.call_soon(self.work, "old")
        fresh = Clock()
        scheduling.set_clock(fresh)
        self.assertEqual(scheduling.waiting(), 0)
        scheduling.call_soon(self.work, "new")
        fresh.advance(0)
        self.clock.advance(0)
        self.assertEqual(self.done, ["new"])


class SliceTests(SchedulingTestCase):
    def test_nothing_is_done_at_once(self):
        scheduling.call_soon(self.work, "a")
        self.assertEqual((self.done, scheduling.waiting()), ([], 1))
        self.clock.one_pass()
        self.assertEqual((self.done, scheduling.waiting()), (["a"], 0))

    def test_the_order_of_asking_is_kept(self):
        for number in range(100):
            scheduling.call_soon(self.done.append, number)
        while scheduling.waiting():
            self.clock.one_pass()
        self.assertEqual(self.done, list(range(100)))

    def test_what_of_the_game_came_due_in_a_slice_is_called_before_the_next_slice(self):
        def work_on():
            scheduling.call_soon(self.work, "next slice")
            self.clock.rightNow += 0.005
            raise RuntimeError("ends the slice")

        scheduling.call_soon(work_on)
        self.clock.callLater(0.003, self.done.append, "the game")
        with self.assertRaises(RuntimeError):
            self.clock.one_pass()
        self.clock.one_pass()
        self.assertEqual(self.done, ["the game", "next slice"])

    def test_many_calls_are_one_pass_in_the_reactor(self):
        for _ in range(100):
            scheduling.call_soon(self.work, "a")
        self.assertEqual(len(self.clock.getDelayedCalls()), 1)

    def test_who_clears_the_reactor_does_not_keep_what_is_asked_later_from_being_done(self):
        scheduling.call_soon(self.work, "a")
        for call in self.clock.getDelayedCalls():
            call.cancel()
        scheduling.call_soon(self.work, "b")
        self.clock.one_pass()
        self.assertEqual(self.done, ["a", "b"])

    @mock.patch.object(scheduling, "SLICE_MS", 5)
    def test_a_slice_ends_when_its_time_is_up_and_goes_on_in_the_next_pass(self):
        for name in "abc":
            scheduling.call_soon(self.slow, name)
        self.clock.one_pass()
        self.assertEqual((self.done, scheduling.waiting()), (["a"], 2))
        self.clock.one_pass()
        self.assertEqual((self.done, scheduling.waiting()), (["a", "b"], 1))
        self.clock.one_pass()
        self.assertEqual((self.done, self.clock.getDelayedCalls()), (["a", "b", "c"], []))

    def slow(self, name):
        self.work(name, seconds=0.006)

    @mock.patch.object(scheduling, "SLICE_MS", 10_000)
    def test_what_is_quick_shares_a_slice(self):
        for name in "abc":
            scheduling.call_soon(self.work, name)
        self.clock.one_pass()
        self.assertEqual(self.done, ["a", "b", "c"])

    @mock.patch.object(scheduling, "SLICE_MS", 0)
    def test_without_any_time_one_thing_is_done_in_each_pass(self):
        for name in "abc":
            scheduling.call_soon(self.work, name)
        self.clock.one_pass()
        self.assertEqual(self.done, ["a"])

    @mock.patch.object(scheduling, "SLICE_MS", 20)
    def test_what_would_not_fit_into_the_rest_of_a_slice_waits_for_the_next(self):
        for name in "abc":
            scheduling.call_soon(self.work_long, name)
        self.clock.one_pass()
        self.assertEqual((self.done, scheduling.waiting()), (["a"], 2))

    @mock.patch.object(scheduling, "SLICE_MS", 10)
    def test_a_quick_one_between_two_long_ones_does_not_let_them_share_a_slice(self):
        scheduling.call_soon(self.work_long, "long")
        scheduling.call_soon(self.work, "quick")
        scheduling.call_soon(self.work_long, "as long")
        self.clock.one_pass()
        self.clock.one_pass()
        # All but nothing of the second slice is over, and what comes next may take all of it and more.
        self.assertEqual(self.done, ["long", "quick"])
        self.clock.one_pass()
        self.assertEqual(self.done, ["long", "quick", "as long"])

    def work_long(self, name):
        self.work(name, seconds=0.012)

    def test_what_is_asked_for_meanwhile_comes_behind_what_waits(self):
        scheduling.call_soon(lambda: (self.work("a"), scheduling.call_soon(self.work, "c")))
        scheduling.call_soon(self.work, "b")
        for _ in range(3):
            self.clock.one_pass()
        self.assertEqual((self.done, scheduling.waiting()), (["a", "b", "c"], 0))

    @mock.patch.object(scheduling, "SLICE_MS", 0)
    def test_what_has_begun_is_done_before_what_has_not(self):
        for name in "AB":
            scheduling.call_soon(self.begin, name)
        self.clock.advance(0)
        self.clock.advance(0)
        self.assertEqual(self.done, ["A begins", "A ends", "B begins", "B ends"])

    def begin(self, name):
        self.done.append(f"{name} begins")
        going_on = scheduling.yield_to_reactor(first=True)
        going_on.addCallback(lambda _: self.done.append(f"{name} ends"))

    @mock.patch.object(scheduling, "SLICE_MS", 0)
    def test_who_always_asks_again_does_not_hold_up_the_reactor(self):
        def again():
            self.work("again")
            scheduling.call_soon(again)

        scheduling.call_soon(again)
        for _ in range(3):
            self.clock.one_pass()
        self.assertEqual(self.done, ["again"] * 3)

    @mock.patch.object(scheduling, "SLICE_MS", 10_000)
    def test_an_error_surfaces_and_what_stands_behind_it_still_runs(self):
        scheduling.call_soon(self.work, "a")
        scheduling.call_soon(self.fail_at, "b")
        scheduling.call_soon(self.work, "c")
        with self.assertRaisesRegex(RuntimeError, "^b$"):
            self.clock.one_pass()
        self.assertEqual((self.done, scheduling.waiting()), (["a", "b"], 1))
        self.clock.one_pass()
        self.assertEqual(self.done, ["a", "b", "c"])
        # And the queue is open as before.
        scheduling.call_soon(self.work, "d")
        self.clock.one_pass()
        self.assertEqual(self.done, ["a", "b", "c", "d"])


class YieldTests(SchedulingTestCase):
    @mock.patch.object(scheduling, "SLICE_MS", 10_000)
    def test_what_pauses_goes_on_behind_what_waits(self):
        scheduling.call_soon(self.work, "a")
        pause = scheduling.yield_to_reactor().addCallback(lambda _: self.done.append("b"))
        self.assertFalse(pause.called)
        self.clock.one_pass()
        self.assertEqual((self.done, pause.called), (["a", "b"], True))

    def test_steps_that_nobody_waits_for_have_pauses_between_them_and_an_error_ends_them(self):
        failures = []
        self.enterContext(mock.patch.object(scheduling, "STEPS_SECONDS", 0.0))

        def steps():
            self.done.append("one")
            yield
            self.done.append("two")
            yield
            raise ZeroDivisionError

        scheduling.step_by_step(steps()).addErrback(lambda failure: failures.append(failure.type))
        self.assertEqual(self.done, ["one"])
        scheduling.call_soon(self.done.append, "b")
        self.clock.advance(0.003)
        self.assertEqual(self.done, ["one", "b"])
        self.clock.advance(0.001)
        self.assertEqual((self.done, failures), (["one", "b", "two"], []))
        self.clock.advance(0.004)
        self.assertEqual((self.done, failures), (["one", "b", "two"], [ZeroDivisionError]))

    def test_as_many_steps_as_fit_into_a_millisecond_are_taken_before_a_pause(self):
        steps = [0.0006, 0.0006, 0.0]
        scheduling.step_by_step(self.work(seconds, seconds=seconds) for seconds in steps)
        self.assertEqual(self.done, steps[:2])
        self.clock.advance(0.004)
        self.assertEqual(self.done, steps)

    def test_what_was_cancelled_meanwhile_does_not_go_on(self):
        pause, failures = scheduling.yield_to_reactor(), []
        pause.addCallbacks(self.done.append, lambda failure: failures.append(failure.type))
        pause.cancel()
        self.clock.one_pass()
        self.assertEqual((self.done, failures), ([], [CancelledError]))


class DrainTests(SchedulingTestCase):
    @mock.patch.object(scheduling, "SLICE_MS", 0)
    def test_all_that_waits_is_done_at_once_and_what_it_asks_for_as_well(self):
        scheduling.call_soon(lambda: scheduling.call_soon(self.work, "c"))
        scheduling.call_soon(self.work, "b")
        scheduling.drain()
        self.assertEqual((self.done, scheduling.waiting()), (["b", "c"], 0))
        # The pass that was asked for finds nothing to do, and the next call gets one of its own.
        self.clock.one_pass()
        scheduling.call_soon(self.work, "d")
        self.clock.one_pass()
        self.assertEqual(self.done, ["b", "c", "d"])

    def test_an_error_surfaces_when_the_rest_is_done(self):
        for name in "abcd":
            scheduling.call_soon(self.fail_at if name in "bc" else self.work, name)
        with self.assertRaisesRegex(RuntimeError, "^c$") as caught:
            scheduling.drain()
        self.assertEqual(str(caught.exception.__context__), "b")
        self.assertEqual((self.done, scheduling.waiting()), (["a", "b", "c", "d"], 0))

    def test_nothing_to_do_is_no_error(self):
        scheduling.drain()
        self.assertEqual(self.done, [])


class UnderWayTests(unittest.TestCase):
    def test_work_begins_once_until_it_is_over(self):
        self.addCleanup(volatile.forget_all)
        self.assertTrue(scheduling.begin("tick", 1))
        self.assertFalse(scheduling.begin("tick", 1))
        self.assertTrue(scheduling.begin("tick", 2))
        scheduling.end("tick", 1)
        self.assertEqual(
            [scheduling.is_under_way("tick", number) for number in (1, 2)], [False, True]
        )
        self.assertTrue(scheduling.begin("tick", 1))


class ThreadTests(unittest.TestCase):
    def test_who_starts_a_thread_does_not_wait_until_it_runs(self):
        is_its_turn, start, done = threading.Event(), threading.Thread.start, []

        def start_late(thread):
            is_its_turn.wait(5)
            start(thread)

        with mock.patch.object(threading.Thread, "start", start_late):
            ended = scheduling.start_thread(done.append, "worked")
            self.assertEqual((done, ended.is_set()), ([], False))
            is_its_turn.set()
            self.assertTrue(ended.wait(60))
        self.assertEqual(done, ["worked"])
