"""The bridge: what comes back, what was given up, and that nothing is both done and denied."""

import threading
from unittest import mock
from unittest.mock import patch

from twisted.internet import reactor
from twisted.internet.defer import Deferred, fail, succeed
from twisted.trial.unittest import SynchronousTestCase

from evennia_ai.testing import AITestCase
from evennia_ai.web import bridge
from evennia_ai.web.bridge import Errand, GameBusy, StillGoing, making
from tests.web.cases import call_here


class ErrandTests(SynchronousTestCase):
    def test_it_gives_back_what_comes_of_it(self):
        for function in (lambda: 7, lambda: succeed(7)):
            errand = Errand(function)
            errand.begin()
            self.assertEqual(errand.wait(0), 7)

    def test_an_error_comes_back_too(self):
        for function in (lambda: {}["x"], lambda: fail(KeyError("x"))):
            errand = Errand(function)
            errand.begin()
            with self.assertRaises(KeyError):
                errand.wait(0)

    def test_what_was_given_up_is_never_done(self):
        done = []
        errand = Errand(lambda: done.append(1))
        with self.assertRaises(GameBusy):
            errand.wait(0)
        errand.begin()
        self.assertEqual(done, [])

    def test_what_has_begun_is_not_said_to_be_undone(self):
        going = Deferred()
        errand = Errand(lambda: going)
        errand.begin()
        with self.assertRaises(StillGoing):
            errand.wait(0)
        going.callback(None)

    def test_a_failure_that_nobody_waits_for_is_logged(self):
        going = Deferred()
        errand = Errand(lambda: going)
        errand.begin()
        with self.assertRaises(StillGoing):
            errand.wait(0)
        going.errback(KeyError("late"))
        self.assertEqual(len(self.flushLoggedErrors(KeyError)), 1)

    def test_many_threads_are_told_the_truth(self):
        for _ in range(300):
            done = []
            errand = Errand(lambda done=done: done.append(1))
            thread = threading.Thread(target=errand.begin, daemon=True)
            thread.start()
            try:
                errand.wait(0)
                told = [1]
            except StillGoing:
                told = [1]
            except GameBusy:
                told = []
            thread.join()
            self.assertEqual(done, told)


class EachTests(AITestCase):
    def setUp(self):
        super().setUp()
        self.patch(bridge, "call", call_here)
        self.portions = []

    def doubled(self, by, numbers):
        self.portions.append([])
        for number in numbers:
            self.portions[-1].append(number)
            yield number * by

    def test_all_are_asked_for_once_in_as_many_portions_as_the_game_likes(self):
        for limit, portions in ((0, [[1], [2], [3]]), (60_000, [[1, 2, 3]])):
            self.portions = []
            with mock.patch("evennia_ai.scheduling.SLICE_MS", limit):
                self.assertEqual(list(bridge.each(self.doubled, 2, of=[1, 2, 3])), [2, 4, 6])
            self.assertEqual(self.portions, portions)
        self.assertEqual(list(bridge.each(self.doubled, 2, of=[])), [])


class MakingTests(SynchronousTestCase):
    def test_one_page_at_a_time_is_made_and_another_one_while_it_waits_for_the_game(self):
        made = threading.Event()

        def make():
            with making():
                made.set()

        thread = threading.Thread(target=make, daemon=True)
        with making():
            thread.start()
            self.assertFalse(made.wait(0.05))
            # The game never has time.
            never = patch.object(reactor, "callFromThread")
            with never, patch.object(bridge, "SECONDS", 1), self.assertRaises(GameBusy):
                bridge.call(lambda: None)
            self.assertTrue(made.is_set())
        thread.join()

    def test_a_page_that_others_keep_waiting_for_too_long_is_told_that_the_game_is_busy(self):
        found = []

        def make():
            try:
                with making():
                    found.append("made")
            except GameBusy:
                found.append("busy")

        with patch.object(bridge, "IN_LINE_SECONDS", 0.05):
            with making():
                thread = threading.Thread(target=make, daemon=True)
                thread.start()
                thread.join()
            with making():
                found.append("made after it")
        self.assertEqual(found, ["busy", "made after it"])

    def test_what_came_of_a_call_is_told_even_if_another_page_takes_long_meanwhile(self):
        taken, ended = threading.Event(), threading.Event()

        def make():
            with making():
                taken.set()
                ended.wait(10)

        def begin_later(_, begin):
            threading.Thread(target=lambda: taken.wait(5) and begin(), daemon=True).start()

        with patch.object(bridge, "IN_LINE_SECONDS", 0.5), making():
            thread = threading.Thread(target=make, daemon=True)
            thread.start()
            with patch.object(reactor, "callFromThread", begin_later):
                self.assertEqual(bridge.call(lambda: 7), 7)
        ended.set()
        thread.join()
        with making():
            pass
