"""`AITestCase` looks at what a test returns, at what was logged, and leaves nothing behind."""

import unittest
import warnings
from types import SimpleNamespace

import evennia
from django.test import tag
from twisted.internet import reactor
from twisted.internet.defer import Deferred, fail, inlineCallbacks, succeed

from evennia_ai import conf, scheduling
from evennia_ai.llm import base
from evennia_ai.testing import AITestCase
from tests.counting_runner import CountingRunner
from tests.processes import run_tests


class WrongCoroutineTests(unittest.TestCase):
    @tag("scenario")
    def test_wrong_coroutine_tests_fail_in_a_real_run(self):
        process = run_tests("tests.data.wrong_coroutines")
        self.assertEqual(process.returncode, 1, process.stdout)
        self.assertEqual(
            process.stdout.splitlines()[-1], "1 passed, 2 failed, 0 skipped", process.stdout
        )
        self.assertIn("1 != 2", process.stdout)
        self.assertIn("a Deferred that has not fired", process.stdout)

    def test_one_test_can_be_chosen_by_its_name(self):
        runner = CountingRunner(verbosity=0, test_name_patterns=["*is_right*"])
        suite = runner.build_suite(["tests.data.wrong_coroutines"])
        result = unittest.TestResult()
        suite.run(result)
        self.assertEqual(runner.suite_result(suite, result), 0)
        self.assertEqual(runner.closing_lines, ("1 passed, 0 failed, 0 skipped",))


class SampleTests:
    """Hidden in a class, so that no loader takes the samples for tests of the project."""

    class Sample(AITestCase):
        # The samples are about what a test returns and logs: they make no objects.
        def create_nothing(self):
            """Stand in for the objects that are not needed here."""

        create_accounts = create_rooms = create_objs = create_chars = create_nothing
        create_script = teardown_accounts = create_nothing

        def setup_session(self):
            self.session = SimpleNamespace(sessid=99)
            evennia.SESSION_HANDLER[99] = self.session

        def test_returns_nothing(self):
            pass

        def test_returns_a_fired_deferred(self):
            return succeed("anything")

        def test_returns_a_failed_deferred(self):
            return fail(ValueError("broken"))

        def test_returns_a_pending_deferred(self):
            return Deferred()

        def test_returns_a_value(self):
            return 7

        async def test_is_a_coroutine(self):
            self.fail("never runs")

        def test_is_a_generator(self):
            yield

        @inlineCallbacks
        def test_waits_for_the_clock_and_advances_it(self):
            waiting = Deferred()
            self.clock.callLater(60, waiting.callback, "late")
            self.clock.advance(60)
            self.assertEqual((yield waiting), "late")

        def test_loses_a_failure(self):
            fail(ValueError("nobody took it"))

        def test_takes_a_lost_failure(self):
            fail(ValueError("nobody took it"))
            self.assertEqual(len(self.flushLoggedErrors(ValueError)), 1)

        def test_has_subtests(self):
            for number in (1, 2, 3):
                with self.subTest(number=number):
                    self.assertEqual(number, 2)

        @unittest.expectedFailure
        def test_is_known_to_fail(self):
            self.assertEqual(1, 2)

        @unittest.skip("not today")
        def test_is_skipped(self):
            self.fail("never runs")


class InheritedTests:
    """A contract that test classes take in by inheritance."""

    def test_of_the_mixin(self):
        return Deferred()


def run_sample(name, case=SampleTests.Sample):
    """Run one sample; return its result."""
    result = unittest.TestResult()
    case(name).run(result)
    return result


class ReturnedValueTests(unittest.TestCase):
    def failure_of(self, name, case=SampleTests.Sample):
        """Return the text of the one thing that is wrong with a sample."""
        result = run_sample(name, case)
        [(_, text)] = result.failures + result.errors
        return text

    def test_nothing_and_a_fired_deferred_are_fine(self):
        for name in (
            "test_returns_nothing",
            "test_returns_a_fired_deferred",
            "test_waits_for_the_clock_and_advances_it",
        ):
            with self.subTest(name):
                self.assertTrue(run_sample(name).wasSuccessful())

    def test_the_failure_of_a_deferred_is_raised(self):
        self.assertIn("ValueError: broken", self.failure_of("test_returns_a_failed_deferred"))

    def test_a_pending_deferred_fails_with_what_to_do(self):
        text = self.failure_of("test_returns_a_pending_deferred")
        self.assertIn("has not fired. Advance self.clock", text)

    def test_any_other_value_fails(self):
        self.assertIn("The test returned 7.", self.failure_of("test_returns_a_value"))

    def test_a_coroutine_and_a_generator_never_ran_and_fail(self):
        for name in ("test_is_a_coroutine", "test_is_a_generator"):
            with self.subTest(name):
                self.assertIn("never ran", self.failure_of(name))

    def test_methods_of_mixins_are_looked_at_as_well(self):
        case = type("Mixed", (InheritedTests, SampleTests.Sample), {})
        self.assertIn("has not fired", self.failure_of("test_of_the_mixin", case))


class LoggedFailureTests(unittest.TestCase):
    def test_a_failure_that_nobody_took_fails_the_test(self):
        result = run_sample("test_loses_a_failure")
        [(_, text)] = result.errors
        self.assertIn("ValueError: nobody took it", text)

    def test_a_failure_that_the_test_fetched_does_not(self):
        self.assertTrue(run_sample("test_takes_a_lost_failure").wasSuccessful())


class UnittestTests(unittest.TestCase):
    """What trial's own `run` would lose."""

    def test_each_subtest_is_reported(self):
        result = run_sample("test_has_subtests")
        self.assertEqual(
            [dict(test.params) for test, _ in result.failures], [{"number": 1}, {"number": 3}]
        )

    def test_an_expected_failure_is_no_failure(self):
        result = run_sample("test_is_known_to_fail")
        self.assertEqual((len(result.expectedFailures), len(result.failures)), (1, 0))

    def test_a_skipped_test_keeps_its_reason(self):
        [(_, reason)] = run_sample("test_is_skipped").skipped
        self.assertEqual(reason, "not today")

    def test_the_class_itself_holds_no_test(self):
        loader = unittest.TestLoader()
        self.assertEqual(list(loader.loadTestsFromTestCase(AITestCase)), [])


class SurroundingsTests(AITestCase):
    def test_evennias_objects_are_there(self):
        self.assertEqual(
            (self.char1.key, self.char1.location, self.obj1.location),
            ("Char", self.room1, self.room1),
        )

    def test_the_clock_of_the_package_is_the_clock_of_the_test(self):
        calls = []
        scheduling.call_soon(calls.append, "done")
        self.assertEqual(calls, [])
        self.clock.advance(0)
        self.assertEqual((scheduling.clock(), calls), (self.clock, ["done"]))

    def test_the_clock_is_given_back(self):
        run_sample("test_returns_nothing")
        self.assertIs(scheduling.clock(), reactor)

    def test_trials_assertions_are_there(self):
        self.assertEqual(self.successResultOf(succeed(3)), 3)
        self.assertEqual(str(self.failureResultOf(fail(KeyError("x"))).value), "'x'")
        self.assertNoResult(Deferred())

    def test_assert_raises_and_assert_warns_are_context_managers(self):
        with self.assertRaises(ValueError, msg="unittest's own takes a message") as caught:
            raise ValueError("seen")
        self.assertEqual(str(caught.exception), "seen")
        with self.assertWarns(UserWarning):
            warnings.warn("seen", UserWarning, stacklevel=1)

    def test_settings_are_merged_with_those_of_the_run_and_come_back(self):
        with self.settings_ai(MAX_STEPS=2):
            self.assertEqual(conf.get("MAX_STEPS"), 2)
            self.assertIs(conf.get("ALLOW_MODEL_REQUESTS"), False)
            with self.settings_ai(TURN_DEADLINE=1.0):
                self.assertEqual((conf.get("MAX_STEPS"), conf.get("TURN_DEADLINE")), (2, 1.0))
        self.assertEqual(conf.get("MAX_STEPS"), 5)

    def test_backends_are_forgotten_between_tests(self):
        first = base.get_alias("default")
        self.assertIs(base.get_alias("default"), first)
        run_sample("test_returns_nothing")
        self.assertIsNot(base.get_alias("default"), first)
