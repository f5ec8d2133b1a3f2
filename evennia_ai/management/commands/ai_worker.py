"""`evennia ai_worker`: does nights and calls of models for a server, in a process of its own; see docs/scaling.md."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError, connection
from twisted.internet.error import ReactorNotRunning

from evennia_ai import hooks
from evennia_ai.checks import worker_checks
from evennia_ai.llm import ledger, loop_thread
from evennia_ai.semantic import base as semantic
from evennia_ai.workers import rows
from evennia_ai.workers.worker import Worker

# On the machine of the server, players come first. Nothing that a server waits for hangs on it: what a worker locks,
# it locks for one statement.
NICENESS = 10
# Linux weighs the processes of one session by their niceness, and sessions by what stands here.
SESSION = Path("/proc/self/autogroup")


class Command(BaseCommand):
    """Take jobs off the queue and do them, until it is told to stop (Ctrl-C)."""

    help = __doc__

    def add_arguments(self, parser: Any) -> None:
        """Take how many jobs are done at once, or whether only to look."""
        parser.add_argument("--concurrency", type=int, default=4, help="jobs at once (4)")
        parser.add_argument("--check", action="store_true", help="only say what is missing")

    def handle(self, *args: Any, **options: Any) -> None:
        """Work, or say what is missing."""
        if not options["check"]:
            _step_back()
        _reach_database()
        problems = list(worker_checks.check_workers(is_worker=True))
        for problem in problems:
            self.stdout.write(f"{problem.sentence} {problem.line}".strip())
        if problems:
            raise CommandError("A worker cannot work here.")
        if options["check"]:
            self.stdout.write("All is there that a worker needs.")
            return
        if self._work(options["concurrency"]):
            # The server is a new one, with other settings or code perhaps.
            os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])

    def _work(self, concurrency: int) -> bool:
        """Work until the end; return whether to start anew."""
        from twisted.internet import reactor

        worker = Worker(concurrency=concurrency, values=rows.connection_values())

        def begin() -> None:
            # Its first job does not wait for what is loaded once.
            done = hooks.warm_up_nights().addCallback(lambda _: work())
            reactor.addSystemEventTrigger("before", "shutdown", _finish, worker, done)
            done.addErrback(lambda failure: self.stderr.write(failure.getTraceback()))
            done.addCallback(lambda _: _stop(reactor))

        def work() -> Any:
            self.stdout.write(f"A worker with {concurrency} jobs at once has started.")
            self.stdout.flush()
            return worker.run()

        reactor.callWhenRunning(begin)
        reactor.run()
        ledger.finish()
        semantic.close()
        if worker.refusal:
            raise CommandError(f"The database does not let this worker in: {worker.refusal}")
        return worker.is_outdated


def _reach_database() -> None:
    """Say why a database that gives no connection does so, before its tables are missed."""
    try:
        connection.ensure_connection()
    except OperationalError as error:
        raise CommandError(f"A worker cannot reach the database: {error}".strip()) from None


def _step_back() -> None:
    """Let others go first: in this session (the terminal, or the unit of systemd), and this session among others."""
    # It is called again at each new start of a worker, which is the same process.
    os.setpriority(os.PRIO_PROCESS, 0, max(NICENESS, os.getpriority(os.PRIO_PROCESS, 0)))
    with contextlib.suppress(OSError):
        SESSION.write_text(str(NICENESS))


def _stop(reactor: Any) -> None:
    """Stop, unless that is why the worker has ended."""
    with contextlib.suppress(ReactorNotRunning):
        reactor.stop()


def _finish(worker: Worker, done: Any) -> Any:
    """Let a worker end what it does; the reactor waits for the Deferred."""
    worker.stop()
    return done.addCallback(lambda _: loop_thread.stop())
