"""The runner of this project's own tests: the one for games, and what makes five thousand tests cheap."""

from evennia_ai.testing.runner import CountingRunner


class SuiteRunner(CountingRunner):
    """Keeps between tests what none of them changes."""

    def run_suite(self, suite, **kwargs):
        """Run the tests."""
        # Only now can modules of Evennia be imported.
        from tests import usual_commands

        with usual_commands.kept():
            return super().run_suite(suite, **kwargs)
