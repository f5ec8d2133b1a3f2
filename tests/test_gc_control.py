"""Tests of when all objects are looked through for garbage."""

import gc
import sys
import unittest
from unittest import mock

import evennia
from twisted.internet.task import Clock

from evennia_ai import gc_control, scheduling
from evennia_ai.core import volatile


class CollectorTests(unittest.TestCase):
    def setUp(self):
        self.clock = Clock()
        scheduling.set_clock(self.clock)
        self.addCleanup(scheduling.set_clock, None)
        # Whoever tried the hooks of the server has taken over, too.
        volatile.forget_all()
        self.before = gc.get_threshold()
        self.addCleanup(volatile.forget_all)
        # To look through all that the tests have loaded takes long.
        with mock.patch.object(gc, "collect"):
            gc_control.take_over()

    def look(self, made, *, busy=False):
        """Return whether it collects after so many collections of the middle generation."""
        if busy:
            scheduling.call_soon(scheduling.now)
        counted = mock.patch.object(gc, "get_count", return_value=(0, 0, made))
        with counted, mock.patch.object(gc, "collect") as collect:
            # Before the slice of the same pass: what waits still waits.
            gc_control._look()
        return collect.called

    def test_what_is_loaded_is_exempt(self):
        self.assertGreater(gc.get_freeze_count(), 10_000)

    def test_python_makes_no_full_collection_of_its_own_any_more(self):
        self.assertEqual(gc.get_threshold()[2], 800)
        self.assertGreater(gc.get_threshold()[2], gc_control.AT_LATEST)

    def test_it_is_made_when_it_is_due_and_nobody_waits(self):
        for made, busy, expected in (
            (0, False, False),
            (1, False, True),
            (1, True, False),
            (399, True, False),
            (400, True, True),
        ):
            with self.subTest(made=made, busy=busy):
                self.assertEqual(self.look(made, busy=busy), expected)

    def test_what_is_left_of_it_is_exempt_then_and_all_is_looked_through_where_memory_has_grown(
        self,
    ):
        made = {"collect": [], "freeze": [], "unfreeze": []}
        for name, calls in made.items():
            self.enterContext(mock.patch.object(gc, name, lambda calls=calls: calls.append(1)))
        in_use = self.enterContext(mock.patch.object(sys, "getallocatedblocks"))
        gc_control._state.blocks_then = 100
        found = {}
        for connected in (1, 0):
            gc_control._state.blocks_then = 100
            with mock.patch.object(evennia, "SESSION_HANDLER", {1: None} if connected else {}):
                for in_use.return_value in (199, 200, 399, 400, 799, 800):
                    found.setdefault(connected, []).append(self.collects(made))
        self.assertEqual(found[1], ["some", "some", "some", "all", "some", "some"])
        # Each time counted from the last.
        self.assertEqual(found[0], ["some", "all", "some", "all", "some", "all"])
        self.assertEqual(len(made["collect"]), len(made["freeze"]))

    def collects(self, made):
        before = len(made["unfreeze"])
        gc_control._collect()
        return "all" if len(made["unfreeze"]) > before else "some"

    def test_it_looks_four_times_a_second(self):
        due = mock.patch.object(gc, "get_count", return_value=(0, 0, 40))
        with due, mock.patch.object(gc, "collect") as collect:
            self.clock.advance(0.2)
            self.assertEqual(collect.call_count, 0)
            self.clock.pump([0.1, 0.25, 0.25])
        self.assertEqual(collect.call_count, 3)

    def test_taken_over_twice_it_looks_once(self):
        with mock.patch.object(gc, "collect"):
            gc_control.take_over()
        self.assertEqual(len(self.clock.getDelayedCalls()), 1)

    def test_given_back_python_does_it_again(self):
        volatile.forget_all()
        self.assertEqual(gc.get_threshold(), self.before)
        self.assertEqual(self.clock.getDelayedCalls(), [])
