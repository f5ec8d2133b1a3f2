"""A game to measure: a real server with our code for it inside, which a benchmark calls.

What runs in the server are the modules `inside_*`; they come along with the copy of the game. The
server calls the benchmark at its start, so that nothing has to poll.
"""

import contextlib
import json
import shutil
import socket
import sys
from pathlib import Path

from tests.benchmarks import ending
from tests.scenarios.game import LEAVE_OUT, ROOT, Game, GameError

# After so many seconds something hangs; a busy machine is slow.
CALL_SECONDS, CONNECT_SECONDS = 600, 300
HOOKS = ["evennia_ai.hooks", "tests.benchmarks.inside_link"]
# What is of one process, and no part of a world.
LEAVE_BEHIND = shutil.ignore_patterns("__pycache__", "*.pid", "logs")


class MeasuredGame(Game):
    """An empty game that does what `call` asks for, in its Server process."""

    def __init__(self, **settings):
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._listening.settimeout(CONNECT_SECONDS)
        self._line = None
        super().__init__(
            **{"AT_SERVER_STARTSTOP_MODULE": HOOKS, **settings},
            AT_INITIAL_SETUP_HOOK_MODULE="",
            BENCHMARK_PORT=self._listening.getsockname()[1],
            # Accounts are made by the hundred; how their passwords are kept is not measured.
            PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
        )

    def prepare(self):
        """Copy the benchmarks too."""
        tests = self.directory / "tests"
        tests.mkdir()
        for name in ("__init__.py", "database_file.py"):
            shutil.copy(ROOT / "tests" / name, tests)
        # What is noted in the worlds of crashes is made of the lines of a test.
        for part in ("benchmarks", "domain"):
            shutil.copytree(ROOT / "tests" / part, tests / part, ignore=LEAVE_OUT)
        super().prepare()

    def fresh_server(self):
        """Replace the Server by a new process, as `evennia reload` does; memory starts empty."""
        old = self._connected_pid()
        self._hang_up()
        self.run("reload")
        self._connect(but_not=old)

    def keep_world(self):
        """Stop, and keep the world as it is now for `fresh_world`."""
        self._hang_up()
        self.stop()
        shutil.copytree(self.directory / "server", self._kept, ignore=LEAVE_BEHIND)

    def fresh_world(self):
        """Start in the world that was kept; whatever has happened since has not."""
        self._hang_up()
        self.stop()
        for path in (self.directory / "server").glob("*.db3*"):
            path.unlink()
        shutil.copytree(self._kept, self.directory / "server", dirs_exist_ok=True)
        self.start()
        self._connect()

    def start_anew(self, *, crash=False):
        """Stop, or die of kill -9, and start."""
        self._hang_up()
        if crash:
            self.kill_server()
        else:
            self.stop()
        self.start()

    def call(self, function, **arguments):
        """Call `function` ("inside_stall.burst") in the Server; return what it returns."""
        if self._line is None:
            self._connect()
        request = {"function": f"tests.benchmarks.{function}", "arguments": arguments}
        self._line.write(json.dumps(request) + "\n")
        self._line.flush()
        try:
            answer = self._line.readline()
        except TimeoutError as error:
            raise GameError(f"{function} does not end:\n{self.log('server')[-2000:]}") from error
        if not answer:
            raise GameError(
                f"the server went away during {function}:\n{self.log('server')[-2000:]}"
            )
        answer = json.loads(answer)
        if "error" in answer:
            raise GameError(f"{function} failed in the server:\n{answer['error']}")
        return answer["result"]

    def close(self, *, keep=False):
        """Hang up and stop."""
        self._hang_up()
        self._listening.close()
        super().close(keep=keep)

    def _connect(self, *, but_not=0):
        """Wait until the Server that runs now has called; of its predecessors nothing is left."""
        while True:
            try:
                connection, _ = self._listening.accept()
            except TimeoutError as error:
                raise GameError(f"no server calls:\n{self.log()[-2000:]}") from error
            connection.settimeout(CALL_SECONDS)
            self._line = connection.makefile("rw", encoding="utf-8")
            connection.close()
            hello = self._line.readline()
            if hello and json.loads(hello)["pid"] == self._connected_pid() != but_not:
                return
            self._hang_up()

    @property
    def _kept(self):
        return self.directory / "kept"

    def _connected_pid(self):
        return int((Path(self.directory) / "server" / "server.pid").read_text())

    def _hang_up(self):
        if self._line is not None:
            with contextlib.suppress(OSError):
                self._line.close()
            self._line = None


def progress(text):
    """Tell whoever waits what is going on; the result alone goes to stdout."""
    print(text, file=sys.stderr, flush=True)


def run(measure):
    """Print what `measure()` returns as one line of JSON; return the exit status.

    It is measured in a process apart, which ends with all that it started when this one is interrupted or terminated.
    """
    if not ending.is_apart():
        return ending.run_apart()
    ending.exit_when_terminated()
    # Evennia writes a line or two of its own.
    with contextlib.redirect_stdout(sys.stderr):
        result = measure()
    print(json.dumps(result), flush=True)
    return 0
