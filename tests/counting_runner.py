"""The test runner: Evennia's own, with a closing line that can be read by a machine."""

import faulthandler
import gc
import sys
from contextlib import contextmanager
from functools import partial
from types import SimpleNamespace
from unittest import TestCase

from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from evennia.server.tests.testrunner import EvenniaTestSuiteRunner

# How the reason of a skip may begin; any other skipped test fails the run.
ALLOWED_SKIPS = (
    "needs Python 3.12 and Evennia 6.1",
    "needs the wheel pgserver",
    "needs a browser",
)
# Seconds after which a run that hangs says where, and ends; the whole suite takes a few minutes.
HANG_SECONDS = 3600


class CountingRunner(EvenniaTestSuiteRunner):
    """Ends a run with the line `N passed, N failed, N skipped`.

    A run fails when a test fails, when one is skipped without an allowed reason, and when there
    was none to run.
    """

    closing_lines = ()

    def setup_databases(self, **kwargs):
        """Make the test databases; where tables come from the models, all migrations count as done."""
        with _no_full_collections():
            databases = super().setup_databases(**kwargs)
        for connection, _, _ in databases:
            if not connection.settings_dict["TEST"]["MIGRATE"]:
                recorder = MigrationRecorder(connection)
                for app, name in MigrationLoader(connection).disk_migrations:
                    recorder.record_applied(app, name)
        return databases

    def run_suite(self, suite, **kwargs):
        """Run the tests without a full garbage collection after each."""
        gc.collect()
        gc.freeze()
        # A collection comes with each test anyway.
        usual = gc.get_threshold()
        gc.set_threshold(100_000, 50, 1000)
        try:
            with _no_full_collections():
                return super().run_suite(suite, **kwargs)
        finally:
            # The process ends soon: what the tests left behind is not looked through once more.
            gc.freeze()
            gc.set_threshold(*usual)

    def suite_result(self, suite, result, **kwargs):
        """Return how many tests stand in the way of success, and keep what there is to say."""
        failed = _cases(
            [test for test, _ in result.failures + result.errors] + result.unexpectedSuccesses
        )
        skipped = _cases(test for test, _ in result.skipped) - failed
        # What fails or skips before a class starts stands for no test that was counted as run.
        counted = sum(isinstance(case, TestCase) for case in failed | skipped)
        passed = result.testsRun - counted
        refused = [
            (case, reason)
            for case, reason in result.skipped
            if not reason.startswith(ALLOWED_SKIPS)
        ]
        self.closing_lines = (
            *_skip_lines(result.skipped, refused),
            f"{passed} passed, {len(failed)} failed, {len(skipped)} skipped",
        )
        return len(failed) + len(refused) or int(not result.testsRun)

    def run_tests(self, test_labels, **kwargs):
        """Run the tests; return how many stand in the way of success."""
        faulthandler.dump_traceback_later(HANG_SECONDS, exit=True)
        try:
            problems = super().run_tests(test_labels, **kwargs)
        finally:
            faulthandler.cancel_dump_traceback_later()
        sys.stderr.flush()
        print(*self.closing_lines, sep="\n", flush=True)
        return problems


@contextmanager
def _no_full_collections():
    """Let Evennia collect young garbage alone when it flushes its cache, at each test and each migrated app.

    With the hundreds of modules that stay loaded a full collection takes up to half a second.
    """
    from evennia.utils.idmapper import models as idmapper

    idmapper.gc = SimpleNamespace(collect=partial(gc.collect, 1))
    try:
        yield
    finally:
        idmapper.gc = gc


def _cases(tests):
    """Return the test cases of which these are tests or subtests."""
    return {getattr(test, "test_case", test) for test in tests}


def _skip_lines(skipped, refused):
    lines = []
    if skipped:
        names = (f"{test.id()} ({reason})" for test, reason in skipped)
        lines.append(f"Skipped: {', '.join(names)}")
    if refused:
        lines.append("A skipped test fails the run unless ALLOWED_SKIPS names its reason.")
    return lines
