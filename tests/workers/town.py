"""A Postgres with the tables of the queue, and workers on it: processes that a test may kill.

Run as a program, this file is one of them: `migrate`, `forget`, `check`, a start of a server, or a worker.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.processes import ROOT
from tests.semantic.postgres_server import PostgresServer

SECONDS = 60


class Town:
    """A database, and the workers that were started on it."""

    def __init__(self, **jobs):
        self.server = PostgresServer()
        self.values = {"host": str(self.server.folder), "user": "postgres", "dbname": "postgres"}
        # What the mind of the workers was asked, a line each.
        self.asked_file = Path(tempfile.mkstemp(prefix="eai-asked-")[1])
        self._jobs = {"BACKEND": "procrastinate", "HEARTBEAT": 1, **jobs}
        self.workers = []
        subprocess.run(self._command("migrate"), cwd=ROOT, check=True, timeout=300)

    def close(self):
        """End all of it."""
        for worker in self.workers:
            with contextlib.suppress(ProcessLookupError):
                worker.kill()
            worker.wait(SECONDS)
        self.server.close()
        self.asked_file.unlink(missing_ok=True)

    def start_worker(self, *, seconds=0.0, concurrency=2, **settings):
        """Start one whose mind takes so long for an answer; wait until it works."""
        command = self._command("worker", str(seconds), str(concurrency), json.dumps(settings))
        worker = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        self.workers.append(worker)
        while "has started" not in (line := worker.stdout.readline()):
            if not line:
                raise RuntimeError("the worker does not start.")
        return worker

    def forget(self, mind=0):
        """Let what was asked for a mind (0: for all) be forgotten, as a server does."""
        subprocess.run(self._command("forget", str(mind)), cwd=ROOT, check=True, timeout=SECONDS)

    def start_server(self, *, version=""):
        """Let a server start, of this version or another, as far as workers see it."""
        subprocess.run(self._command("serve", version), cwd=ROOT, check=True, timeout=SECONDS)

    def check(self, *, ahead=0.0, **settings):
        """Return what a worker says of itself, and of why it ends, whose clock is ahead by so many seconds."""
        command = self._command("check", str(ahead), "0", json.dumps(settings))
        checked = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, timeout=SECONDS, check=False
        )
        return checked.stdout + checked.stderr

    def connection(self):
        """Return a connection of its own, in which each statement stands for itself."""
        import psycopg

        return psycopg.connect(**self.values, autocommit=True)

    def asked(self):
        """Return what the minds of all workers were asked so far."""
        return self.asked_file.read_text().splitlines()

    def wait_until_asked(self, count):
        """Wait until minds were asked so often."""
        end = time.monotonic() + SECONDS
        while len(self.asked()) < count:
            if time.monotonic() > end:
                raise RuntimeError(f"{self.asked()} was asked, and no more.")
            time.sleep(0.02)

    def query(self, statement, *values):
        """Return the rows of a statement, in a connection of its own."""
        import psycopg

        with psycopg.connect(**self.values) as connection:
            found = connection.execute(statement, values)
            return found.fetchall() if found.description else []

    def _command(self, task, *arguments):
        return [
            sys.executable,
            "-m",
            "tests.workers.town",
            task,
            json.dumps([self.values, self._jobs, str(self.asked_file)]),
            *arguments,
        ]


def set_up_django(values, jobs, **settings):
    """Configure the least of Django that a worker needs."""
    import django
    from django.conf import settings as django_settings
    from evennia import settings_default

    defaults = {name: value for name, value in vars(settings_default).items() if name.isupper()}
    own = {
        "INSTALLED_APPS": [
            *settings_default.INSTALLED_APPS,
            "evennia_ai",
            "procrastinate.contrib.django",
        ],
        "DATABASES": {
            "default": {
                "ENGINE": "django.db.backends.postgresql",
                "HOST": values["host"],
                "USER": values["user"],
                "NAME": values["dbname"],
            }
        },
        "EVENNIA_AI": {
            "JOBS": jobs,
            "LLM": {"default": {"BACKEND": "tests.workers.town.Mind"}},
            **settings,
        },
    }
    django_settings.configure(**{**defaults, **own})
    django.setup()


class Mind:
    """Answers with what it was asked, after some seconds, and writes down that it was."""

    name, is_model = "town", True

    def complete(self, request):
        """Answer."""
        from twisted.internet import reactor
        from twisted.internet.task import deferLater

        from evennia_ai.llm.base import Completion

        words = str(request.messages[-1]["content"])
        with open(os.environ["ASKED"], "a", encoding="utf-8") as file:
            file.write(f"{words}\n")
        if words == "fail":
            raise ZeroDivisionError
        if words == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        answer = Completion(f"{words}, you say", prompt_tokens=10, completion_tokens=5)
        return deferLater(reactor, float(os.environ["SECONDS"]), lambda: answer)


def _main(task, described, seconds="0", concurrency="2", settings="{}"):
    values, jobs, asked_file = json.loads(described)
    os.environ.update(ASKED=asked_file, SECONDS=seconds)
    set_up_django(values, jobs, **json.loads(settings))
    from django.core.management import call_command

    if task == "migrate":
        call_command("migrate", verbosity=0)
    elif task == "serve":
        from evennia_ai import hooks
        from evennia_ai.workers import worker

        worker.__version__ = seconds or worker.__version__
        hooks._call_workers()
    elif task == "check":
        clock = time.time
        time.time = lambda: clock() + float(seconds)
        call_command("ai_worker", check=True)
    elif task == "forget":
        from evennia_ai.workers import job_control

        job_control.forget(int(seconds) or None)
    else:
        call_command("ai_worker", concurrency=int(concurrency))


if __name__ == "__main__":
    _main(*sys.argv[1:])
