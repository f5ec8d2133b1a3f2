"""The reactor and the threads of ours compute one after the other, and nobody waits for long."""

import threading
import time
import unittest
from unittest import mock

from evennia_ai.core import processor
from evennia_ai.core.processor import Processor

# Seconds for what takes none, on a machine that is busy with something else.
PATIENCE = 60.0


class ProcessorTests(unittest.TestCase):
    def setUp(self):
        self.processor = Processor()

    def patience(self, *, slice=PATIENCE, thread=PATIENCE):
        for name, seconds in (("SLICE_PATIENCE", slice), ("THREAD_PATIENCE", thread)):
            patched = mock.patch.object(processor, name, seconds)
            patched.start()
            self.addCleanup(patched.stop)

    def thread(self):
        """Return a thread that takes the turn, what it got, and what lets it give that back."""
        got, may_go, taken = [], threading.Event(), threading.Event()

        def work():
            got.append(self.processor.take())
            taken.set()
            may_go.wait(PATIENCE)
            if got[0]:
                self.processor.give_back()

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        self.addCleanup(thread.join, PATIENCE)
        self.addCleanup(may_go.set)
        return thread, got, taken, may_go

    def test_a_slice_waits_until_a_thread_is_through(self):
        self.patience()
        thread, got, taken, may_go = self.thread()
        self.assertTrue(taken.wait(PATIENCE))
        self.assertEqual(got, [True])
        self.assertIsNone(self.processor.take_for_slice())
        may_go.set()
        thread.join(PATIENCE)
        self.assertIs(self.processor.take_for_slice(), True)

    def test_a_slice_goes_on_beside_a_thread_for_which_it_has_waited_and_waits_no_more_for_it(self):
        self.patience(slice=0.01)
        thread, _, taken, may_go = self.thread()
        self.assertTrue(taken.wait(PATIENCE))
        self.assertIsNone(self.processor.take_for_slice())
        time.sleep(0.02)
        self.assertIs(self.processor.take_for_slice(), False)
        self.assertIs(self.processor.take_for_slice(), False)
        may_go.set()
        thread.join(PATIENCE)
        # For the next it does again.
        _, _, taken, _ = self.thread()
        self.assertTrue(taken.wait(PATIENCE))
        self.assertIsNone(self.processor.take_for_slice())

    def test_a_thread_waits_until_a_slice_is_through_and_goes_before_the_next(self):
        self.patience()
        self.assertIs(self.processor.take_for_slice(), True)
        _, got, taken, may_go = self.thread()
        while not self.processor._waiting:
            time.sleep(0.001)
        self.assertEqual(got, [])
        self.processor.give_back()
        # Whether it has the turn by now or is about to.
        self.assertIsNone(self.processor.take_for_slice())
        self.assertTrue(taken.wait(PATIENCE))
        self.assertEqual(got, [True])
        may_go.set()

    def test_a_thread_goes_on_beside_what_takes_too_long_and_waits_no_more_for_it(self):
        self.patience(thread=0.01)
        self.assertIs(self.processor.take_for_slice(), True)
        self.assertIs(self.processor.take(), False)
        self.patience(thread=PATIENCE)
        self.assertIs(self.processor.take(), False)
        self.processor.give_back()
        self.assertIs(self.processor.take(), True)
