"""A game in Postgres, with workers beside it, which may be killed, and a database that may restart."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time

from tests.benchmarks.link import MeasuredGame
from tests.scenarios.game import GameError
from tests.semantic.postgres_server import PostgresServer

START_SECONDS = 300
# Seconds in which Evennia has started its tickers, after it called us.
STARTED_SECONDS = 1.5
STARTED = re.compile("Server successfully (?:started|restarted|reloaded)")
APPS = ["evennia_ai", "procrastinate.contrib.django"]


class WorkersTown(MeasuredGame):
    """A measured game over a Postgres of its own; `ai` are settings of ours."""

    def __init__(self, *, ai, **settings):
        from evennia import settings_default

        self.postgres = PostgresServer()
        self.workers = []
        self.killed = self.restarted = 0
        # Held by whoever restarts the database, and by who cannot do without.
        self._database = threading.Lock()
        database = {
            "ENGINE": "django.db.backends.postgresql",
            "HOST": str(self.postgres.folder),
            "USER": "postgres",
            "NAME": "postgres",
        }
        memory = {
            "BACKEND": "evennia_ai.semantic.postgres.PostgresMemory",
            "OPTIONS": {"dsn": self.postgres.dsn},
        }
        super().__init__(
            DATABASES={"default": database},
            INSTALLED_APPS=[*settings_default.INSTALLED_APPS, *APPS],
            EVENNIA_AI={"SEMANTIC": {"default": memory}, **ai},
            **settings,
        )

    def make_database(self):
        """Make it in Postgres, each time anew."""
        self.run("migrate")

    def start_worker(self, *, concurrency=4):
        """Start a worker and wait until it works; return its process."""
        with open(self.directory / "worker.log", "ab") as log:
            worker = subprocess.Popen(
                [sys.executable, "-c", LAUNCH, "ai_worker", f"--concurrency={concurrency}"],
                cwd=self.directory,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                # As in a terminal, or a unit of systemd, of its own.
                start_new_session=True,
            )
        self.workers.append(worker)
        end = time.monotonic() + START_SECONDS
        while "has started" not in (line := worker.stdout.readline()):
            if not line or time.monotonic() > end:
                raise GameError(f"the worker does not start: {line}\n{self.worker_log()[-2000:]}")
        # It starts anew with the server, and says so each time.
        threading.Thread(target=_read_on, args=(worker.stdout,), daemon=True).start()
        return worker

    def worker_log(self):
        """Return what all workers have said."""
        return (self.directory / "worker.log").read_text("utf-8", "replace")

    def kill_worker(self, worker):
        """Kill one by -9."""
        self.workers.remove(worker)
        worker.send_signal(signal.SIGKILL)
        worker.wait()
        self.killed += 1

    def restart_postgres(self):
        """Let the database crash, and start it."""
        with self._database:
            self.postgres.kill()
            self.postgres.start()
            self.restarted += 1

    def fresh_server(self):
        """Reload, while the database stays: neither the launcher nor a start of Evennia does without one."""
        self._database.acquire()
        try:
            super().fresh_server()
        finally:
            # The new Server is measured from its first moment on.
            threading.Timer(STARTED_SECONDS, self._database.release).start()

    def close(self, *, keep=False):
        """End workers, game and database, in this order."""
        for worker in self.workers:
            worker.kill()
            worker.wait()
        super().close(keep=keep)
        self.postgres.close()

    def query(self, statement):
        """Return the rows of a statement, in a connection of its own."""
        import psycopg

        with psycopg.connect(self.postgres.dsn) as connection:
            return connection.execute(statement).fetchall()

    def spent(self):
        """Return tokens and money that the budget of the server has at this moment, with what is set aside."""
        with self._database:
            [used] = self.query(
                "SELECT coalesce(max(tokens), 0), coalesce(max(money), 0) FROM evennia_ai_budget"
                " WHERE scope = 'server'"
            )
        return used

    def cpu_of_workers(self):
        """Return the seconds of CPU of the workers that live, and of Postgres."""
        with contextlib.suppress(OSError):
            return round(sum(_cpu(worker.pid) for worker in self.workers), 2)
        return 0.0


class PlainTown(WorkersTown):
    """The same game over the same Postgres, of Evennia alone."""

    def __init__(self):
        from evennia import settings_default

        super().__init__(ai={}, TIME_ZONE="UTC")
        self.settings.update(
            {
                "INSTALLED_APPS": settings_default.INSTALLED_APPS,
                "CMDSET_ACCOUNT": "evennia.commands.default.cmdset_account.AccountCmdSet",
                "CMDSET_CHARACTER": "evennia.commands.default.cmdset_character.CharacterCmdSet",
                "ROOT_URLCONF": "evennia.web.urls",
                "AT_SERVER_STARTSTOP_MODULE": ["tests.benchmarks.inside_link"],
                "TYPECLASS_PATHS": ["evennia"],
            }
        )

    def starts(self):
        """Return how often the Server has started so far, by what Evennia says of it."""
        return len(STARTED.findall(self.log("server")))


LAUNCH = "from evennia.server.evennia_launcher import main; main()"


def _cpu(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _read_on(stream):
    for _ in stream:
        pass
