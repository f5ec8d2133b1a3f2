"""A real game for scenarios: a copy of the demo in a directory of its own, on free ports."""

import contextlib
import fcntl
import functools
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# What a game directory needs of ours; the package itself comes along as it is now.
PARTS = ("server", "world", "evennia_ai")
# What Python has compiled comes along, or each game would compile it again; what it is just compiling
# (*.pyc.1234) would be gone before it is copied.
LEAVE_OUT = shutil.ignore_patterns(
    "*.pid", "*.db3*", "*.log*", "*.pyc.*", ".static", ".media", "secret_settings.py"
)

DATABASE = Path("server") / "evennia.db3"

SUPERUSER = ("Keeper", "lantern-and-broom")

# After so many seconds something hangs; a busy machine is slow.
COMMAND_SECONDS = 300
STOP_SECONDS = 60
# Seconds in which whoever adopts programs has buried one that was killed.
BURIED_SECONDS = 30
# On its first start Evennia sets up the database and then starts its Server a second time.
FIRST_START_SECONDS = 300
# How often the launcher is run again that gave up, and what it says then.
LAUNCHES, LAUNCH_FAILED = 3, "Connection to Evennia timed out"
# From where ports are looked for, and from where on the system takes those of lines out, if it does not say.
LOWEST_PORT, FIRST_PORT_OF_LINES_OUT = 10_000, 32_768
# Lines of the server's log that are shown when it does not start.
TAIL = 25

# What our hook says at each start, whichever mind thinks.
_STARTED = re.compile("evennia_ai: (?:assistants think|no language model)")
_TRACEBACK = re.compile(r"^.*(?:Traceback \(most recent call last\)|Unhandled error).*$", re.M)
_WHO_LEFT = re.compile(
    r"^.*Traceback \(most recent call last\):\n(?:[ \t]+(?!Traceback).*\n)*?"
    r"[ \t]+File .*twisted/web/proxy\.py.*\n(?:[ \t]+(?!Traceback).*\n)*?"
    r".*Request\.finish called on a request after its connection was lost",
    re.M,
)


# As in `tests/__init__.py`, where it says why.
_QUICK_START = """import typeguard

typeguard.typechecked = lambda function: function
"""


# A Server that stops holds its port until the process is over, and the Portal starts the next one before: one that
# loads as quickly as ours finds it taken.
_WAIT_FOR_PORT = """import socket
import sys
import time

if any(one.endswith("evennia/server/server.py") for one in sys.argv):
    for _ in range(600):
        with socket.socket() as tried:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                tried.bind(("127.0.0.1", WEBSERVER_PORTS[0][1]))
                break
            except OSError:
                time.sleep(0.05)
"""


_CONSTANTS = """from importlib import import_module


def at_server_init():
    for path, value in {}.items():
        module, _, name = path.rpartition(".")
        setattr(import_module(module), name, value)
"""


class GameError(Exception):
    """The game did not do what it was told; the text says what it printed."""


class Game:
    """A server of its own, with `settings` on top of those of the demo.

    As a context manager it sets up the database and starts; at the end everything that it started
    is stopped. The directory is deleted unless `keep` is set or the block failed.
    """

    def __init__(self, *, constants=None, **settings):
        """`constants` of the package, by dotted path, have other values in the server."""
        self.keep, self._constants = False, constants
        if constants:
            hooks = settings.get("AT_SERVER_STARTSTOP_MODULE", ["evennia_ai.hooks"])
            settings["AT_SERVER_STARTSTOP_MODULE"] = [*hooks, "server.conf.constants"]
        self.directory = Path(tempfile.mkdtemp(prefix="evennia-ai-game-"))
        ports, self._lock_of_ports = _free_ports(6)
        self.settings = {**_loopback(ports), **settings}
        self._environment = {
            **os.environ,
            "EVENNIA_SUPERUSER_USERNAME": SUPERUSER[0],
            "EVENNIA_SUPERUSER_PASSWORD": SUPERUSER[1],
            # The launcher starts other programs of its environment by name.
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        }

    def __enter__(self):
        try:
            self.prepare()
            self.start(times=2)
        except BaseException as error:
            self.close(keep=isinstance(error, Exception))
            raise
        return self

    def __exit__(self, kind, *details):
        self.close(keep=self.keep or (kind is not None and issubclass(kind, Exception)))

    @property
    def port(self):
        """Where players connect."""
        return self.settings["TELNET_PORTS"][0]

    def prepare(self):
        """Copy the game and make its database; that of the first game serves all of this process."""
        for part in PARTS:
            shutil.copytree(ROOT / part, self.directory / part, ignore=LEAVE_OUT)
        (self.directory / "server" / "conf" / "constants.py").write_text(
            _CONSTANTS.format(self._constants)
        )
        self.configure()
        self.make_database()

    def make_database(self):
        """Make the database, or copy the one that was made first."""
        made = Path(_made().name) / DATABASE.name
        if made.exists():
            shutil.copy(made, self.directory / DATABASE)
        else:
            self.run("migrate")
            shutil.copy(self.directory / DATABASE, made)

    def configure(self, **settings):
        """Write settings that hold from the next start or reload on."""
        self.settings.update(settings)
        lines = [f"{name} = {value!r}" for name, value in self.settings.items()]
        path = self.directory / "server" / "conf" / "secret_settings.py"
        path.write_text("\n".join([_QUICK_START, *lines, _WAIT_FOR_PORT]), encoding="utf-8")

    def run(self, *arguments, seconds=COMMAND_SECONDS):
        """Run the launcher and return what it printed."""
        done = subprocess.run(
            ["evennia", *arguments],
            cwd=self.directory,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=seconds,
            text=True,
            check=False,
            # Ctrl-C is for us: we stop the game, in order.
            start_new_session=True,
        )
        if done.returncode:
            raise GameError(f"evennia {' '.join(arguments)} failed:\n{done.stdout}")
        return done.stdout

    def start(self, *, times=1):
        """Start what does not run, and wait until the minds are awake."""
        before = self.starts()
        printed = self.run("start")
        for _ in range(LAUNCHES):
            # On a busy machine the launcher gives up before the Portal has heard that it is to start a Server.
            if LAUNCH_FAILED in printed:
                printed = self.run("start")
        until = time.monotonic() + FIRST_START_SECONDS
        while self.starts() < before + times:
            if time.monotonic() > until:
                tail = "\n".join(self.log().splitlines()[-TAIL:])
                raise GameError(f"the game in {self.directory} did not start:\n{printed}\n{tail}")
            time.sleep(0.1)

    def starts(self):
        """Return how often the Server has started so far: each time our hook says so."""
        return len(_STARTED.findall(self.log("server")))

    def server_pid(self):
        """Return the number of the Server's process."""
        return self._pid("server")

    def kill_server(self):
        """Kill the Server as a crash does, and leave the Portal with the players' lines."""
        pid = self.server_pid()
        os.kill(pid, signal.SIGKILL)
        # The launcher takes one that waits to be buried for one that runs.
        until = time.monotonic() + BURIED_SECONDS
        while _is_alive(pid) or (_is_there(pid) and time.monotonic() < until):
            time.sleep(0.02)

    def log(self, *names):
        """Return what the logs say, of all programs or of those named."""
        logs = self.directory / "server" / "logs"
        paths = [logs / f"{name}.log" for name in names or ("portal", "server")]
        texts = [path.read_text("utf-8", "replace") for path in paths if path.exists()]
        return "\n".join(texts)

    def said(self, pattern):
        """Return whether a line of the server's log fits `pattern`."""
        return re.search(pattern, self.log("server")) is not None

    def tracebacks(self):
        """Return the lines of the logs at which a traceback begins.

        What Twisted's proxy says of a browser that left before its answer came is no fault of the game.
        """
        return _TRACEBACK.findall(_WHO_LEFT.sub("", self.log()))

    def stop(self):
        """Stop Portal and Server; what does not stop is killed."""
        if self._programs():
            with contextlib.suppress(GameError, subprocess.TimeoutExpired):
                self.run("stop", seconds=STOP_SECONDS)
        until = time.monotonic() + STOP_SECONDS
        while self._programs() and time.monotonic() < until:
            time.sleep(0.05)
        while left := self._programs():
            for pid in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.05)

    def close(self, *, keep=False):
        """Stop and delete the game; with `keep` its directory stays, with the logs."""
        self.stop()
        self._let_go_of_ports()
        if not keep:
            shutil.rmtree(self.directory, ignore_errors=True)

    def _let_go_of_ports(self):
        if self._lock_of_ports is not None:
            os.close(self._lock_of_ports)
            self._lock_of_ports = None

    def _programs(self):
        """Return the ids of our programs that run, the Portal's first, which starts the Server."""
        pids = [pid for pid in map(self._pid, ("portal", "server")) if pid]
        # A program that was started a moment ago has not written its id yet.
        mark = f"--pidfile={self.directory}".encode()
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(OSError):
                if mark in path.read_bytes():
                    pids.append(int(path.parent.name))
        return [pid for pid in dict.fromkeys(pids) if _is_alive(pid)]

    def _pid(self, program):
        path = self.directory / "server" / f"{program}.pid"
        try:
            return int(path.read_text())
        except (OSError, ValueError):
            return 0


@functools.cache
def _made():
    """Return a folder that is there as long as this process."""
    return tempfile.TemporaryDirectory(prefix="evennia-ai-made-")


def _is_there(pid):
    """Return whether there is a program of that number, if only one that waits to be buried."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def _is_alive(pid):
    """Return whether a program runs; one that only waits to be buried does not."""
    if not _is_there(pid):
        return False
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        # No /proc here: something of that number is there.
        return True


def _free_ports(count):
    """Return ports that nobody else has as long as the lock is open that is returned with them.

    A Server that reloads lets go of its port for a moment. One that the system chose could be taken
    meanwhile, by any line that goes out; so they are below those, and other games see a lock.
    """
    firsts = list(range(LOWEST_PORT, _first_port_of_lines_out() - count, count))
    random.shuffle(firsts)
    for first in firsts:
        ports = list(range(first, first + count))
        # One place for all, also for those who have a folder of their own for what is temporary.
        path = Path("/tmp") / f"evennia-ai-ports-{first}"
        try:
            lock = os.open(path, os.O_CREAT | os.O_RDWR)
        except PermissionError:
            # Somebody else's.
            continue
        with contextlib.suppress(OSError), contextlib.ExitStack() as tried:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            for port in ports:
                tried.enter_context(socket.create_server(("127.0.0.1", port)))
            return ports, lock
        os.close(lock)
    raise GameError("no ports are free for a game")


def _first_port_of_lines_out():
    try:
        first = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    except OSError:
        return FIRST_PORT_OF_LINES_OUT
    # Where they begin below ours, some risk is left.
    return first if first > LOWEST_PORT + 1000 else FIRST_PORT_OF_LINES_OUT


def _loopback(ports):
    telnet, proxy, web, websocket, amp, ssh = ports
    return {
        "TELNET_PORTS": [telnet],
        "WEBSERVER_PORTS": [(proxy, web)],
        "WEBSOCKET_CLIENT_PORT": websocket,
        "AMP_PORT": amp,
        "SSH_PORTS": [ssh],
        # Nobody's secrets are here, and good hashes take their time.
        "PASSWORD_HASHERS": ["django.contrib.auth.hashers.MD5PasswordHasher"],
        "SECRET_KEY": "only for the loopback of one scenario",
    }
