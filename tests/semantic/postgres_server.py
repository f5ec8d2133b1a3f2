"""A real Postgres with pgvector for tests, from the programs in the wheel `pgserver`.

Only its programs: its Python would make a user of the system and open up the folders above it.
"""

import atexit
import importlib.util
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

# The reason of a skip, as the test runner knows it.
MISSING = "needs the wheel pgserver, which Python 3.13 does not have yet"
# Who runs it where we are root, which Postgres refuses to be.
SERVANT = "nobody"
# Nothing has to outlive a test; no time is spent on seeing to that.
OPTIONS = ("fsync=off", "full_page_writes=off", "listen_addresses=", "shared_buffers=32MB")
START_SECONDS = 120


def is_there():
    """Return whether the programs are installed."""
    return importlib.util.find_spec("pgserver") is not None


class PostgresServer:
    """A server in a temporary folder; `dsn` says where it listens."""

    def __init__(self):
        # Short, and with a name that all may enter: the path of a socket has 107 letters at most.
        self.folder = Path(
            tempfile.mkdtemp(prefix="eai-pg-", dir=os.environ.get("BENCHMARK_FOLDER", "/tmp"))
        )
        self.dsn = f"host={self.folder} user=postgres dbname=postgres"
        self._user = None
        self._process = None
        # Also where a test run is broken off.
        atexit.register(self.close)
        self._copy_programs()
        if os.geteuid() == 0:
            self._user = SERVANT
            shutil.chown(self.folder, SERVANT)
        self._call(
            "initdb",
            "--no-sync",
            "--auth=trust",
            "--username=postgres",
            "--encoding=utf8",
            "--locale=C",
        )
        self.start()

    def start(self):
        """Start it, and wait until it answers."""
        arguments = [part for option in OPTIONS for part in ("-c", option)]
        self._process = subprocess.Popen(
            [self._program("postgres"), *self._data, "-k", self.folder, *arguments],
            user=self._user,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        end = time.monotonic() + START_SECONDS
        while subprocess.run(
            [self._program("pg_isready"), "--quiet", "-h", self.folder], check=False
        ).returncode:
            if time.monotonic() > end or self._process.poll() is not None:
                raise RuntimeError("the Postgres of the tests does not start.")
            time.sleep(0.05)

    def kill(self):
        """End it at once, as a crash would; the next start recovers what was committed."""
        self._call("pg_ctl", "stop", "--mode=immediate")
        self._process.wait(START_SECONDS)

    def close(self):
        """End it and delete its folder."""
        atexit.unregister(self.close)
        if self._process is not None and self._process.poll() is None:
            self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def extension(self, name):
        """Return the file by which the server knows an extension."""
        return self._programs / "share" / "postgresql" / "extension" / f"{name}.control"

    @property
    def _data(self):
        return "-D", self.folder / "data"

    def _program(self, name):
        return self._programs / "bin" / name

    def _call(self, name, *arguments):
        subprocess.run(
            [self._program(name), *self._data, *arguments],
            user=self._user,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=True,
        )

    def _copy_programs(self):
        """Take them out of the environment, which may lie where only root may look."""
        [package] = importlib.util.find_spec("pgserver").submodule_search_locations
        self._programs = self.folder / "programs" / "pgserver" / "pginstall"
        shutil.copytree(Path(package, "pginstall"), self._programs)
        libraries = Path(package).with_name("pgserver.libs")
        shutil.copytree(libraries, self.folder / "programs" / libraries.name)
