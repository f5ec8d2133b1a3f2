"""Runs Python and Evennia's launcher in processes of their own, as a shell would."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LAUNCHER = "from evennia.server.evennia_launcher import main; main()"


def run_python(code, *arguments, environment=None):
    """Run code in a new interpreter at the root of the project; return the finished process."""
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        check=False,
    )


def run_tests(*labels):
    """Run tests with the settings of the test suite; return the finished process."""
    return run_python(LAUNCHER, "test", "--settings", "test_settings", *labels)
