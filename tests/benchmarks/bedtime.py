"""How long the game stands still when a village falls asleep: `python -m tests.benchmarks.bedtime`.

50 minds with 60 entries each, in a real server, whose hours of sleep begin at the same moment; they
are ticked far more often than in a game, so that a night fits into a minute. `held` is how long a pass of the reactor took, without
the time in which other programs had the processor; `cpu` is what it took of it itself.
"""

import sys
import time

from tests.benchmarks.link import MeasuredGame, progress, run
from tests.benchmarks.stall import SETTLE_SECONDS, percentile

ASSISTANTS, ENTRIES = 50, 60
# Seconds between two ticks of a sleeper, and of one that is awake.
TICK_RATE_SLEEP, TICK_RATE = 5, 2
# Seconds after which somebody who was talked with may sleep; after a start it is not known who was.
ENGAGED_SECONDS = 1


def measure():
    """Return all figures."""
    schedule = {
        # Not yet: all are awake at first.
        "enabled": False,
        "sleep_start_hour": time.gmtime().tm_hour,
        "sleep_duration_hours": 4.0,
        "tick_rate_sleep": TICK_RATE_SLEEP,
    }
    settings = {
        "SLEEP_SCHEDULE": schedule,
        "TICK_RATE": TICK_RATE,
        "ENGAGED_SECONDS": ENGAGED_SECONDS,
    }
    with MeasuredGame(EVENNIA_AI=settings, TIME_ZONE="UTC") as game:
        progress(f"bedtime: building {ASSISTANTS} minds with {ENTRIES} entries each")
        game.call("inside_bedtime.build", count=ASSISTANTS, entries=ENTRIES)
        game.fresh_server()
        # Meanwhile each is ticked once, as in any server that did not start just now.
        game.call("inside_stall.idle", seconds=SETTLE_SECONDS + TICK_RATE)
        idle = game.call("inside_stall.idle", seconds=2)
        found = game.call("inside_bedtime.go_to_bed")
        tracebacks = game.tracebacks()
    late, passes = found["late_ms"], found["passes_ms"]
    return {
        "benchmark": "bedtime",
        "assistants": ASSISTANTS,
        "worst_gap_ms": max(late),
        "p99_gap_ms": percentile(late, 99),
        "worst_held_ms": max(passes["held"]),
        "p99_held_ms": percentile(passes["held"], 99),
        "worst_cpu_ms": max(passes["cpu"]),
        "p99_cpu_ms": percentile(passes["cpu"], 99),
        "longest_cpu": passes["longest"],
        "idle_gap_ms": max(idle),
        "seconds": found["seconds"],
        "failures": len(tracebacks),
        "settings": {"entries": ENTRIES, **settings},
    }


if __name__ == "__main__":
    sys.exit(run(measure))
