"""How many sleepers are at work at once, and who comes next."""

from twisted.internet.defer import Deferred, TimeoutError

from evennia_ai import scheduling
from evennia_ai.sleep import sleep_slots
from evennia_ai.testing import AITestCase


class PlaceTests(AITestCase):
    def setUp(self):
        super().setUp()
        self.begun, self.jobs = [], {}

    def work(self, script_id):
        def job():
            self.begun.append(script_id)
            self.jobs[script_id] = Deferred()
            return self.jobs[script_id]

        return sleep_slots.work(script_id, job)

    def test_four_work_and_the_others_wait_their_turn(self):
        outcomes = [self.work(number) for number in range(50)]
        self.clock.advance(0)
        self.assertEqual(self.begun, [0, 1, 2, 3])
        self.assertTrue(sleep_slots.is_working(3))
        self.assertFalse(sleep_slots.is_working(4))
        self.jobs[2].callback("slept well")
        self.clock.advance(0)
        self.assertEqual(self.begun, [0, 1, 2, 3, 4])
        self.assertEqual(self.successResultOf(outcomes[2]), "slept well")
        self.assertFalse(sleep_slots.is_working(2))

    def test_a_hundred_that_end_at_once_all_get_their_turn(self):
        done = [sleep_slots.work(number, lambda: self.begun.append(1)) for number in range(100)]
        for _ in range(200):
            self.clock.advance(0)
        self.assertEqual(len(self.begun), 100)
        for one in done:
            self.assertIsNone(self.successResultOf(one))

    def test_each_begins_in_a_slice_of_its_own(self):
        for number in range(4):
            self.work(number)
        self.assertEqual((self.begun, scheduling.waiting()), ([], 4))
        self.clock.advance(0)
        self.assertEqual(self.begun, [0, 1, 2, 3])

    def test_a_failure_frees_the_place_and_is_told(self):
        with self.settings_ai(SLEEP_CONCURRENCY=1):
            outcomes = [self.work(1), self.work(2)]
            self.clock.advance(0)
            self.jobs[1].errback(ZeroDivisionError())
            self.failureResultOf(outcomes[0], ZeroDivisionError)
            self.clock.advance(0)
            self.assertEqual(self.begun, [1, 2])

    def test_one_that_takes_too_long_loses_its_place(self):
        with self.settings_ai(SLEEP_CONCURRENCY=1):
            outcomes = [self.work(1), self.work(2)]
            self.clock.advance(0)
            self.clock.advance(600)
            self.failureResultOf(outcomes[0], TimeoutError)
            self.clock.advance(0)
            self.assertEqual(self.begun, [1, 2])
            # The time in the queue does not count.
            self.clock.advance(599)
            self.assertNoResult(outcomes[1])
            self.jobs[2].callback(None)
