"""All benchmarks, one after the other: `python -m tests.benchmarks`, a line or more of JSON for each.

Each is a process of its own, since some set up Evennia in theirs. It takes about twenty minutes. `tests.benchmarks.model`
is left out: it needs a model.
"""

import subprocess
import sys

from tests.benchmarks import ending

# With the arguments by which the figures of the documentation were made.
BENCHMARKS = (
    ("hostile",),
    ("stall",),
    ("idle", "--routine"),
    ("crash",),
    ("crash_life",),
    ("crash_facts",),
    ("secrets",),
    ("recall",),
    ("life",),
    ("year",),
    ("village", "--npcs", "20", "--days", "7"),
    ("talk",),
    ("workers", "--minds", "20", "--workers", "0", "2"),
    ("replay", "--n", "1200", "--seed", "2026"),
)


def main():
    """Run them all; return the worst exit status."""
    if not ending.is_apart():
        return ending.run_apart()
    ending.exit_when_terminated()
    commands = (
        [sys.executable, "-m", f"tests.benchmarks.{name}", *arguments]
        for name, *arguments in BENCHMARKS
    )
    return max(subprocess.run(command, check=False).returncode for command in commands)


if __name__ == "__main__":
    sys.exit(main())
