"""Ends a benchmark at a word: every process that it started and all that it wrote go with it.

What measures is a process of its own, in a session and a folder for temporary files of its own. Whoever terminates the one above it
leaves nothing behind, whatever was being done: what is due in a `finally` gets a moment, and the rest is killed.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# The variable that names the folder; all processes of a benchmark have it, and are known by it.
FOLDER = "BENCHMARK_FOLDER"
# After so many seconds, which are for what is due in a `finally` (Twisted may swallow the SystemExit by which it is reached), what is
# left is told to end, so that Postgres gives its shared memory back, and then is killed.
WORDS = ((1.0, signal.SIGINT), (2.0, signal.SIGKILL))


def is_apart():
    """Return whether this process is one that measures."""
    return FOLDER in os.environ


def run_apart():
    """Run this program once more as one that measures; return its exit status.

    Of one that failed by itself the games stay, with their logs.
    """
    exit_when_terminated()
    folder, status = tempfile.mkdtemp(prefix="eai-"), 0
    try:
        # Postgres runs as another user where we are root.
        os.chmod(folder, 0o711)
        measuring = subprocess.Popen(
            [sys.executable, *sys.orig_argv[1:]],
            env={**os.environ, FOLDER: folder, "TMPDIR": folder},
            start_new_session=True,
        )
        status = measuring.wait()
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    finally:
        _end_all(folder)
        if not (status and [*Path(folder).glob("evennia-ai-game-*")]):
            shutil.rmtree(folder, ignore_errors=True)
    return status


def exit_when_terminated():
    """Leave by SystemExit at the first SIGTERM; what cleans up then is not disturbed by another."""

    def leave(*_):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        sys.exit(128 + signal.SIGTERM)

    signal.signal(signal.SIGTERM, leave)


def processes_of(folder):
    """Return the ids of the processes that run and name a folder, the oldest first."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            # Postgres writes its title where its environment stood.
            known = (path / "environ").read_bytes() + (path / "cmdline").read_bytes()
            if str(folder).encode() in known:
                started = int((path / "stat").read_text().rpartition(")")[2].split()[19])
                found.append((started, int(path.name)))
    return [pid for _, pid in sorted(found)]


def _end_all(folder):
    """End the processes of a folder, first by a word to the one that measures."""
    for pid in processes_of(folder)[:1]:
        _send(pid, signal.SIGTERM)
    begun, words = time.monotonic(), [*WORDS]
    while left := processes_of(folder):
        if time.monotonic() - begun > words[0][0]:
            for pid in left:
                _send(pid, words[0][1])
            # The last is said until it was heard by all.
            words = words[1:] or words
        time.sleep(0.02)


def _send(pid, sign):
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, sign)
