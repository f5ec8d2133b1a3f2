"""What is said where a backend is named whose package is not there."""

from unittest import mock

from django.test import override_settings

from evennia_ai import checks, conf
from evennia_ai.semantic import base
from evennia_ai.semantic.memory_thread import MemoryUnavailable
from tests.semantic.cases import SemanticTestCase

# Backend, its options, the package that it needs, the line that installs it.
BACKENDS = (
    (
        "evennia_ai.semantic.postgres.PostgresMemory",
        {"dsn": "dbname=game"},
        "psycopg",
        'pip install "evennia-ai[postgres]"',
    ),
)


def without(package):
    """Return a `find_spec` for which one package is not installed."""
    return lambda name: None if name == package else mock.sentinel.spec


def named(backend, options):
    """Return a context manager under which this backend is configured."""
    memory = {"default": {"BACKEND": backend, "OPTIONS": options}}
    return override_settings(EVENNIA_AI={**conf.given(), "SEMANTIC": memory})


class MissingTests(SemanticTestCase):
    def problems(self):
        return [
            (problem.id, problem.sentence, problem.line)
            for problem in checks.problems()
            if "SEMANTIC" in problem.sentence
        ]

    def test_the_check_names_the_package_and_how_to_get_it(self):
        for backend, options, package, line in BACKENDS:
            with (
                self.subTest(backend),
                named(backend, options),
                mock.patch("evennia_ai.checks.model_checks.find_spec", without(package)),
            ):
                where = 'EVENNIA_AI["SEMANTIC"]["default"]'
                sentence = f"{where} needs {package}, which is not installed."
                self.assertEqual(self.problems(), [("evennia_ai.E016", sentence, line)])

    def test_what_is_there_is_no_problem(self):
        for backend, options, *_ in BACKENDS:
            with self.subTest(backend), named(backend, options):
                self.assertEqual(self.problems(), [])

    def test_an_option_that_is_missing_or_not_known_is_said(self):
        for backend, options, *_ in BACKENDS:
            for wrong in ({}, {**options, "path": "x"}):
                with self.subTest(backend=backend, options=wrong), named(backend, wrong):
                    [(number, _, _)] = self.problems()
                    self.assertEqual(number, "evennia_ai.E010")

    def test_without_the_package_the_game_plays_on(self):
        for backend, options, package, line in BACKENDS:
            with (
                self.subTest(backend),
                named(backend, options),
                mock.patch("evennia_ai.semantic.base.find_spec", without(package)),
            ):
                base.reset()
                sentence = f"Semantic memory is off: {package} is not installed. Install it with: "
                self.assertEqual(base.describe(), sentence + line)
                added = base.get_memory().add("x", assistant_key="mara", audience="public")
                self.failureResultOf(added, MemoryUnavailable)
