"""Checks of what workers need: the package, its tables, the game's database in Postgres, a way out of the wrappers."""

from __future__ import annotations

import pkgutil
import time
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from django.apps import apps
from django.db import Error as DatabaseError
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from evennia_ai import __version__, conf
from evennia_ai.checks.problem import Problem, default_line, error, warning
from evennia_ai.llm import base
from evennia_ai.workers import executors, payload

APP = "procrastinate.contrib.django"
CARRIER = "evennia_ai.workers.carrier.Carrier"
QUEUE = "procrastinate"
# Seconds by which the clock of a worker may be another than that of the database.
SKEW_SECONDS = 30.0
# What may be kept: calls of models, and nights as a whole.
JOBS = (*base.JOBS, payload.NIGHT)
LINE = f'EVENNIA_AI["JOBS"] = {{"BACKEND": "{QUEUE}"}}'


def check_jobs(given: dict[Any, Any]) -> Iterator[Problem]:
    jobs = given.get("JOBS")
    backend = jobs.get("BACKEND", executors.THREAD) if isinstance(jobs, dict) else executors.THREAD
    if backend not in executors.BACKENDS:
        known = ", ".join(executors.BACKENDS)
        yield error(
            "E022",
            f'EVENNIA_AI["JOBS"]["BACKEND"] must be one of {known}, not {backend!r}.',
            default_line("JOBS"),
        )
    elif backend == QUEUE:
        yield from check_workers()
    kept = jobs.get("KEEP") if isinstance(jobs, dict) else None
    for job in kept if isinstance(kept, (list, tuple)) else ():
        if job is not ... and job not in JOBS:
            known = ", ".join(JOBS)
            sentence = f'EVENNIA_AI["JOBS"]["KEEP"] lists {job!r}; the jobs are {known}.'
            yield error("E023", sentence, default_line("JOBS"))


def check_workers(*, is_worker: bool = False) -> Iterator[Problem]:
    """Yield what is missing for jobs to be done by workers; for a worker also whether they are meant to."""
    if is_worker and executors.chosen() != QUEUE:
        yield error("E030", "The settings have no use for workers.", LINE)
    if find_spec("procrastinate") is None:
        line = 'pip install "evennia-ai[workers]"'
        yield error("E024", "Workers need procrastinate, which is not installed.", line)
        return
    if connection.vendor != "postgresql":
        yield error(
            "E025",
            f"Workers need the game's database to be Postgres; it is {connection.vendor}.",
            'DATABASES = {"default": {"ENGINE": "django.db.backends.postgresql", "NAME": "…"}}',
        )
        return
    if not _has_psycopg_3():
        line = 'pip install "evennia-ai[workers]"'
        yield error("E034", "Workers need psycopg 3; Django finds only psycopg2.", line)
        return
    if not apps.is_installed(APP):
        line = f'INSTALLED_APPS = INSTALLED_APPS + ["{APP}"]'
        yield error("E026", f"INSTALLED_APPS lacks {APP}, which has the tables of the queue.", line)
    elif lacks_tables():
        # An error would keep `evennia migrate` from making them.
        yield warning("W027", "The database lacks the tables of the queue.", "evennia migrate")
    if CARRIER not in conf.get("LLM_WRAPPERS"):
        line = default_line("LLM_WRAPPERS")
        sentence = f'EVENNIA_AI["LLM_WRAPPERS"] lacks {CARRIER}, so that nothing goes to workers.'
        yield error("E028", sentence, line)
    if is_worker and not lacks_tables():
        yield from _check_likeness()


def _check_likeness() -> Iterator[Problem]:
    """Yield in what a worker is unlike the server."""
    # Imported late: it has tables, and Django is not ready for them when the checks are registered.
    from evennia_ai.workers import worker

    theirs = worker.server_version()
    if theirs not in ("", __version__):
        yield error(
            "E032",
            f"The server has version {theirs} of evennia_ai, and this worker {__version__}.",
            f'pip install "evennia-ai[workers]=={theirs}"',
        )
    for name in worker.unlike_settings():
        sentence = f'EVENNIA_AI["{name}"] is another here than where the server started.'
        yield error("E037", sentence, "evennia reload")
    with connection.cursor() as cursor:
        cursor.execute("SELECT extract(epoch FROM clock_timestamp())::float")
        ahead = time.time() - cursor.fetchone()[0]
    if abs(ahead) > SKEW_SECONDS:
        yield error(
            "E033",
            f"The clock of this machine is {abs(ahead):.0f} seconds {'ahead of' if ahead > 0 else 'behind'} "
            "that of the database, so that days of the budget would be others.",
            "timedatectl set-ntp true",
        )


def _has_psycopg_3() -> bool:
    # Only there where Django has one of the two.
    from django.db.backends.postgresql.psycopg_any import is_psycopg3

    return bool(is_psycopg3)


def lacks_tables() -> bool:
    """Return whether the tables of the queue were not made yet, or are those of an earlier procrastinate."""
    try:
        done = MigrationRecorder(connection).applied_migrations()
    except DatabaseError:
        return True
    steps = pkgutil.iter_modules(import_module(f"{APP}.migrations").__path__)
    return any(("procrastinate", step.name) not in done for step in steps)


def check_running() -> Iterator[Problem]:
    """Yield what is wrong with workers just now: for a server that runs."""
    # Imported late: it has tables, and Django is not ready for them when the checks are registered.
    from evennia_ai.workers import job_control

    if executors.chosen() != QUEUE or any(check_workers()):
        return
    state = job_control.state()
    if not state.workers:
        yield error(
            "E029",
            f"No worker runs, and {state.waiting} jobs wait for one.",
            "evennia ai_worker",
        )
    if state.failed:
        yield warning("W031", f"{state.failed} jobs failed.", "@aiadmin/jobs failed")
