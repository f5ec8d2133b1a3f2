"""What workers lack is said, with the line that mends it."""

from io import StringIO
from types import SimpleNamespace
from unittest import mock

from django.core.checks import WARNING
from django.core.management import CommandError, call_command
from django.test import SimpleTestCase, TestCase, override_settings

from evennia_ai import checks
from evennia_ai.checks import worker_checks
from evennia_ai.llm import base
from evennia_ai.llm.base import Request
from evennia_ai.workers import worker

MIND = {"default": {"BACKEND": "tests.workers.test_carrier.Mind"}}


class CheckTests(TestCase):
    def told(self, jobs):
        with override_settings(EVENNIA_AI={"JOBS": jobs}):
            return [problem.sentence for problem in checks.problems() if "JOBS" in problem.sentence]

    def test_a_backend_and_a_job_that_there_are_not(self):
        self.assertEqual(
            self.told({"BACKEND": "celery", "KEEP": ["reply", "dance"]}),
            [
                'EVENNIA_AI["JOBS"]["BACKEND"] must be one of thread, procrastinate, not \'celery\'.',
                'EVENNIA_AI["JOBS"]["KEEP"] lists \'dance\'; the jobs are reply, score, consolidate, '
                "questions, insights, summarise, extract, reflect, moderate, night.",
            ],
        )

    def test_the_default_has_nothing_to_complain_about(self):
        self.assertEqual(self.told({"BACKEND": "thread"}), [])

    def test_a_worker_says_what_it_lacks_and_does_not_start(self):
        """Also that a game in SQLite, or one that has no use for it, has none."""
        said = StringIO()
        with self.assertRaisesRegex(CommandError, "A worker cannot work here."):
            call_command("ai_worker", check=True, stdout=said)
        self.assertIn('EVENNIA_AI["JOBS"] = {"BACKEND": "procrastinate"}', said.getvalue())

    def test_tables_that_are_missing_do_not_keep_migrate_from_making_them(self):
        """Django runs no command where a check has an error."""
        postgres = SimpleNamespace(vendor="postgresql")
        with (
            mock.patch.object(worker_checks, "connection", postgres),
            mock.patch.object(worker_checks.apps, "is_installed", lambda app: True),
            mock.patch.object(worker_checks, "lacks_tables", lambda: True),
        ):
            [problem] = worker_checks.check_workers()
        self.assertEqual((problem.level, problem.line), (WARNING, "evennia migrate"))

    def test_django_that_has_psycopg2_alone_is_told_of(self):
        with (
            mock.patch.object(worker_checks, "connection", SimpleNamespace(vendor="postgresql")),
            mock.patch.object(worker_checks, "_has_psycopg_3", lambda: False),
        ):
            [problem] = worker_checks.check_workers()
        self.assertEqual(
            (problem.sentence, problem.line),
            (
                "Workers need psycopg 3; Django finds only psycopg2.",
                'pip install "evennia-ai[workers]"',
            ),
        )

    def test_without_postgres_the_night_is_refused_and_not_broken(self):
        settings = {"LLM": MIND, "JOBS": {"BACKEND": "procrastinate"}}
        outcome = []
        with override_settings(EVENNIA_AI=settings):
            base.get_llm("score").complete(Request("score", [])).addBoth(outcome.append)
        self.assertIn("ai_worker --check", outcome[0].getErrorMessage())


class VersionTests(SimpleTestCase):
    def test_a_server_that_started_before_versions_were_noted_has_none(self):
        for noted, version in (
            ("", ""),
            ("2026-11-27 11:00:00.123456", ""),
            ("2026-11-27 11:00:00.123456 0.2.0", "0.2.0"),
            ("2026-11-27 11:00:00.123456 0.3.0 BUDGET=0123 PRICES=4567", "0.3.0"),
        ):
            with mock.patch.object(worker, "server_started", return_value=noted):
                self.assertEqual(worker.server_version(), version)


class LikenessTests(TestCase):
    def test_what_nights_and_spending_hang_on_is_to_be_as_it_was_where_the_server_started(self):
        worker.note_start()
        for settings, unlike in (
            ({}, []),
            ({"TICK_RATE": 7}, []),
            ({"BUDGET": {"server": {"tokens": 7}}}, ["BUDGET"]),
            (
                {"PRICES": {"some": (1.0, 4.0)}, "SLEEP_STEPS": {"light": []}},
                ["SLEEP_STEPS", "PRICES"],
            ),
        ):
            with self.subTest(settings), override_settings(EVENNIA_AI=settings):
                self.assertEqual(worker.unlike_settings(), unlike)

    def test_a_server_that_noted_no_settings_is_unlike_nobody(self):
        for noted in ("", "2026-11-27 11:00:00.123456 0.2.0"):
            with mock.patch.object(worker, "server_started", return_value=noted):
                self.assertEqual(worker.unlike_settings(), [])
