"""The runner of this project's own tests: it keeps what makes thousands of them cheap, and tells their cost."""

import os
from collections import Counter
from unittest import TextTestResult

from tests.counting_runner import CountingRunner

# So many classes of tests are named at the end, those that took most, if they took so many seconds.
DEAREST = 12
DEAR_SECONDS = 5


class CostingResult(TextTestResult):
    """Adds up how many seconds of CPU each class takes, with its setting up and its processes."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.seconds = Counter()
        self._before = _cpu()

    def stopTest(self, test):  # noqa: N802
        """Note what was spent since the test before."""
        super().stopTest(test)
        now = _cpu()
        self.seconds[f"{type(test).__module__}.{type(test).__qualname__}"] += now - self._before
        self._before = now


class SuiteRunner(CountingRunner):
    """Keeps between tests what none of them changes, and says what they cost."""

    def get_resultclass(self):
        """Return what takes the results."""
        return super().get_resultclass() or CostingResult

    def run_suite(self, suite, **kwargs):
        """Run the tests."""
        # Only now can modules of Evennia be imported.
        from tests import usual_commands, usual_objects

        with usual_commands.kept(), usual_objects.kept():
            return super().run_suite(suite, **kwargs)

    def suite_result(self, suite, result, **kwargs):
        """Return how many tests stand in the way of success, and keep what there is to say."""
        problems = super().suite_result(suite, result, **kwargs)
        self.closing_lines = (*cost_lines(getattr(result, "seconds", {})), *self.closing_lines)
        return problems


def cost_lines(seconds):
    """Return what is said of seconds of CPU: the dearest classes, and the sum."""
    dear = sorted((spent, name) for name, spent in seconds.items() if spent >= DEAR_SECONDS)
    return (
        *(f"{spent:>5.0f} s of CPU  {name}" for spent, name in dear[-DEAREST:]),
        f"{sum(seconds.values()):>5.0f} s of CPU  all tests",
    )


def _cpu():
    """Return the seconds that this process and those that it waited for have spent."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system
