"""The closing line counts tests, not subtests, and refuses a skip without an allowed reason."""

import io
import unittest
from itertools import permutations
from types import SimpleNamespace
from unittest.mock import patch

from django.conf import settings
from evennia.commands.cmdset import CmdSet
from evennia.commands.command import Command
from evennia.locks import lockhandler
from evennia.utils.utils import class_from_module

from tests import usual_commands
from tests.counting_runner import ALLOWED_SKIPS, CountingRunner
from tests.runner import CostingResult, cost_lines


class Samples:
    """Hidden in a class, so that no loader takes the samples for tests of the project."""

    class Mixed(unittest.TestCase):
        def test_passes(self):
            self.assertEqual(1, 1)

        def test_passes_with_subtests(self):
            for number in (1, 2):
                with self.subTest(number=number):
                    self.assertGreater(number, 0)

        def test_fails(self):
            self.fail("on purpose")

        def test_has_an_error(self):
            raise ValueError("on purpose")

        def test_fails_in_two_subtests(self):
            for number in (1, 2, 3):
                with self.subTest(number=number):
                    self.assertEqual(number, 2)

        def test_is_skipped(self):
            self.skipTest("the moon is full")

        def test_is_skipped_with_a_reason_that_is_allowed(self):
            self.skipTest(f"{ALLOWED_SKIPS[0]}, which this is not")

        def test_skips_two_subtests(self):
            for number in (1, 2):
                with self.subTest(number=number):
                    self.skipTest("the moon is full")

        @unittest.expectedFailure
        def test_is_known_to_fail(self):
            self.fail("on purpose")

        @unittest.expectedFailure
        def test_is_known_to_fail_and_passes(self):
            self.assertEqual(1, 1)

    class Unready(unittest.TestCase):
        @classmethod
        def setUpClass(cls):
            raise ValueError("the class cannot start")

        def test_never_runs(self):
            self.fail("never runs")

    class Elsewhere(unittest.TestCase):
        @classmethod
        def setUpClass(cls):
            raise unittest.SkipTest(ALLOWED_SKIPS[0])

        def test_never_runs(self):
            self.fail("never runs")


class SuiteResultTests(unittest.TestCase):
    def close(self, *tests):
        """Run tests; return the number of problems and the closing lines."""
        suite, result = unittest.TestSuite(tests), unittest.TestResult()
        suite.run(result)
        runner = CountingRunner(verbosity=0)
        return runner.suite_result(suite, result), list(runner.closing_lines)

    def close_mixed(self, *names):
        return self.close(*(Samples.Mixed(f"test_{name}") for name in names))

    def test_passed_tests_are_counted_and_nothing_else_is_said(self):
        self.assertEqual(
            self.close_mixed("passes", "passes_with_subtests"),
            (0, ["2 passed, 0 failed, 0 skipped"]),
        )

    def test_an_error_counts_as_failed(self):
        self.assertEqual(
            self.close_mixed("passes", "fails", "has_an_error"),
            (2, ["1 passed, 2 failed, 0 skipped"]),
        )

    def test_a_test_with_two_failed_subtests_failed_once(self):
        self.assertEqual(
            self.close_mixed("passes", "fails_in_two_subtests"),
            (1, ["1 passed, 1 failed, 0 skipped"]),
        )

    def test_an_expected_failure_passed_and_an_unexpected_success_failed(self):
        self.assertEqual(
            self.close_mixed("is_known_to_fail", "is_known_to_fail_and_passes"),
            (1, ["1 passed, 1 failed, 0 skipped"]),
        )

    def test_a_skip_with_an_allowed_reason_is_named_and_fails_nothing(self):
        problems, lines = self.close_mixed("passes", "is_skipped_with_a_reason_that_is_allowed")
        self.assertEqual((problems, lines[-1]), (0, "1 passed, 0 failed, 1 skipped"))
        self.assertEqual(len(lines), 2)
        self.assertRegex(
            lines[0],
            r"^Skipped: .*test_is_skipped_with_a_reason_that_is_allowed \(needs Python 3.12 and "
            r"Evennia 6.1, which this is not\)$",
        )

    def test_any_other_skip_fails_the_run(self):
        problems, lines = self.close_mixed("passes", "is_skipped")
        self.assertEqual((problems, lines[-1]), (1, "1 passed, 0 failed, 1 skipped"))
        self.assertRegex(lines[0], r"test_is_skipped \(the moon is full\)$")
        self.assertIn("ALLOWED_SKIPS", lines[1])

    def test_a_test_with_two_skipped_subtests_is_skipped_once(self):
        _, lines = self.close_mixed("passes", "skips_two_subtests")
        self.assertEqual(lines[-1], "1 passed, 0 failed, 1 skipped")

    def test_a_class_that_cannot_start_is_one_failure(self):
        self.assertEqual(
            self.close(Samples.Mixed("test_passes"), Samples.Unready("test_never_runs")),
            (1, ["1 passed, 1 failed, 0 skipped"]),
        )

    def test_a_class_that_is_skipped_is_one_skip(self):
        problems, lines = self.close(
            Samples.Mixed("test_passes"), Samples.Elsewhere("test_never_runs")
        )
        self.assertEqual((problems, lines[-1]), (0, "1 passed, 0 failed, 1 skipped"))

    def test_a_run_without_tests_is_no_success(self):
        self.assertEqual(self.close(), (1, ["0 passed, 0 failed, 0 skipped"]))


class CostTests(unittest.TestCase):
    def test_the_dearest_classes_are_named_and_the_sum_is_said(self):
        seconds = {"tests.a.Slow": 61.2, "tests.a.Quick": 0.6, "tests.b.Slower": 140.0}
        self.assertEqual(
            cost_lines(seconds),
            (
                "   61 s of CPU  tests.a.Slow",
                "  140 s of CPU  tests.b.Slower",
                "  202 s of CPU  all tests",
            ),
        )

    def test_what_is_spent_before_a_test_counts_for_its_class(self):
        result = CostingResult(unittest.runner._WritelnDecorator(io.StringIO()), False, 0)
        spent = iter((11.0, 11.5, 14.0))
        with patch("tests.runner._cpu", lambda: next(spent)):
            result._before = 10.0
            for _ in range(2):
                Samples.Mixed("test_passes")(result)
            result.stopTest(Samples.Elsewhere("test_never_runs"))
        self.assertEqual(
            dict(result.seconds),
            {
                "tests.test_runner.Samples.Mixed": 1.5,
                "tests.test_runner.Samples.Elsewhere": 2.5,
            },
        )


class UsualCommandsTests(unittest.TestCase):
    """Sets of commands are made and united, and locks are read, as Evennia does."""

    def sets(self):
        """Return the demo game's sets, and two whose names overlap in all ways."""
        one, other = CmdSet(), CmdSet()
        one.add(Command(key="look", aliases=["l"]))
        for command in (Command(key="l"), Command(key="get"), Command(key="see", aliases=["look"])):
            other.add(command)
        usual = [class_from_module(getattr(settings, key)) for key in usual_commands.KEYS]
        return [one, other, *(kind() for kind in usual)]

    def test_the_same_commands_are_left_of_two_sets(self):
        for options in ({}, {"duplicates": True}, {"duplicates": True, "priority": 1}):
            for one, other in permutations(self.sets(), 2):
                vars(one).update(options)
                with self.subTest(one=one.key, other=other.key, **options):
                    evennias = usual_commands.UNITE(one, one, other)
                    ours = one._union(one, other)
                    self.assertEqual(*([*map(id, both.commands)] for both in (ours, evennias)))

    def test_a_copied_set_is_like_one_that_is_made_anew(self):
        def shown(commands):
            return [(type(one), one.key, one.aliases, str(one.locks)) for one in commands]

        for copied in self.sets()[2:]:
            anew = object.__new__(type(copied))
            usual_commands.MAKE(anew)
            for name in ("commands", "system_commands"):
                ours, evennias = getattr(copied, name), getattr(anew, name)
                self.assertEqual(shown(ours), shown(evennias))
                self.assertTrue(all(one.cmdset_source is copied for one in ours))
                self.assertTrue({*map(id, ours)}.isdisjoint(map(id, evennias)))
            self.assertEqual(vars(copied).keys(), vars(anew).keys())

    def locked(self, locks):
        return lockhandler.LockHandler(SimpleNamespace(lock_storage=locks))

    def test_locks_are_read_as_they_stand_and_changed_for_one_object_alone(self):
        one, other = (self.locked("cmd:all();edit:false()") for _ in range(2))
        one.add("cmd:false()")
        self.assertEqual(str(one), "cmd:false();edit:false()")
        self.assertEqual(str(other), "cmd:all();edit:false()")
        with self.assertRaises(lockhandler.LockException):
            other.add("cmd:nothing_that_is_there()")

    def test_a_lock_function_that_was_replaced_is_asked_from_then_on(self):
        who = SimpleNamespace()
        self.assertTrue(self.locked("cmd:true()").check(who, "cmd"))
        with patch.dict(lockhandler._LOCKFUNCS, true=lambda *_, **__: False):
            self.assertFalse(self.locked("cmd:true()").check(who, "cmd"))
