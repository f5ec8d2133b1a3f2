"""What a town's night costs, and where: `python -m tests.benchmarks.workers`, one JSON line.

The first row is a game as it comes, one process and SQLite: seconds of CPU of the reactor, of the thread that waits
for models and of the one of long-term memory, and seconds for which calls of the model were waited for, in all. The
others are the same night over Postgres with as many workers as `--workers` says (0: none, a thread of the server).
`--at-once` are calls of one worker at once, and of the thread where there is none. With `--faults` a worker is killed
by -9 each five seconds and another started, Postgres is restarted twice and the Server reloaded.

`lost` are entries that are not in long-term memory after the night, `doubled` those that are there twice. `tokens` are
what was counted, `cap` what may be; `paid_twice` are calls that were made again for a worker that was killed.
"""

import argparse
import contextlib
import json
import re
import sys
import threading
import time
from collections import Counter
from functools import partial

from evennia_ai.testing import model_steps
from evennia_ai.testing.model_server import ModelServer
from tests.benchmarks.link import MeasuredGame, progress, run
from tests.benchmarks.stall import SETTLE_SECONDS, percentile

TICK_RATE_SLEEP, TICK_RATE = 2, 2
ENGAGED_SECONDS = 1
PATIENCE, LOOK_SECONDS = 600, 1.0
# Seconds between two kills, and of a heartbeat, after three of which a worker counts as dead.
KILL_SECONDS, HEARTBEAT = 5, 1
# Seconds of the night after which Postgres restarts, and the Server is reloaded.
POSTGRES_AT, RELOAD_AT = (8.0, 20.0), 14.0
CAP = 10**9
ENTRY = re.compile(r"^(\d+)(?: \(only others say so\))?: ", re.M)
# How many entries of a journal stand in long-term memory more than once.
DOUBLED = (
    "SELECT count(*) FROM (SELECT 1 FROM evennia_ai.facts"
    " WHERE metadata::jsonb ? 'entry_id'"
    " GROUP BY assistant, metadata::jsonb ->> 'entry_id' HAVING count(*) > 1) twice"
)


class Model:
    """The scripted model, which answers each job of the night as one that is asked would."""

    def __init__(self, latency):
        self.latency, self.asked = latency, 0
        self.server = ModelServer(self._answer)

    def _answer(self, body):
        self.asked += 1
        return model_steps.text(json.dumps(answer_to(body))).after(self.latency)


def answer_to(body):
    """Return what a model would answer to a request of the night, by what it is asked for."""
    text = "\n".join(str(message["content"]) for message in body["messages"])
    numbers = [int(number) for number in ENTRY.findall(text)]
    if '{"scores"' in text:
        return {"scores": [{"id": number, "score": 3 + number % 6} for number in numbers]}
    if '{"attributes"' in text:
        value = f"Likes number {numbers[0]}"
        return {"attributes": [{"type": "trait", "value": value, "evidence": numbers[:3]}]}
    if '{"questions"' in text:
        return {"questions": ["What happened at the mill?", "Who owes whom?", "What is sold?"]}
    if '{"insights"' in text:
        return {"insights": [{"insight": "Debts are many this season.", "evidence": [1, 2]}]}
    return {"summary": "They talked of the mill and of debts."}


@contextlib.contextmanager
def town(*, latency, backend="procrastinate", at_once=4, is_sqlite=False):
    """Give a game whose nights are done by `backend`, and its model."""
    model = Model(latency)
    with model.server as server:
        options = {"model": "scripted", "base_url": server.base_url}
        settings = {
            "LLM": {
                "default": {
                    "BACKEND": "evennia_ai.llm.openai.OpenAIBackend",
                    "OPTIONS": {**options, "concurrency": 64},
                }
            },
            "JOBS": {"BACKEND": backend, "HEARTBEAT": HEARTBEAT},
            "SLEEP_CONCURRENCY": at_once,
            "SLEEP_SCHEDULE": {
                # Not yet: all are awake at first.
                "enabled": False,
                "sleep_start_hour": time.gmtime().tm_hour,
                "sleep_duration_hours": 4.0,
                "tick_rate_sleep": TICK_RATE_SLEEP,
            },
            "TICK_RATE": TICK_RATE,
            "ENGAGED_SECONDS": ENGAGED_SECONDS,
            "RATE": {"server": None, "assistant": None, "player": None},
            "BUDGET": {
                scope: {"tokens": CAP, "money": None} for scope in ("server", "assistant", "player")
            },
        }
        if is_sqlite:
            made = MeasuredGame(EVENNIA_AI=settings, TIME_ZONE="UTC")
        else:
            from tests.benchmarks.workers_town import WorkersTown

            made = WorkersTown(ai=settings, TIME_ZONE="UTC")
        with made as game:
            yield game, model


def measure(minds, entries, latency, workers, at_once, faults, skip_first):
    """Return the figures of all rows."""
    nights = [
        measure_night(minds, entries, latency, count, at_once, faults=faults and bool(count))
        for count in ([] if skip_first else [None]) + workers
    ]
    return {"benchmark": "workers", "minds": minds, "entries": entries, "nights": nights}


def measure_night(minds, entries, latency, workers, at_once, *, faults):
    """Return the figures of one night; `workers` is None in SQLite."""
    named = "sqlite" if workers is None else f"{workers} workers"
    progress(f"workers: {named}: building {minds} minds with {entries} entries each")
    backend = "procrastinate" if workers else "thread"
    calls = at_once * (workers or 1)
    made = town(latency=latency, backend=backend, at_once=calls, is_sqlite=workers is None)
    with made as (game, model):
        game.call("inside_bedtime.build", count=minds, entries=entries)
        game.fresh_server()
        for _ in range(workers or 0):
            game.start_worker(concurrency=at_once)
        game.call("inside_stall.idle", seconds=SETTLE_SECONDS + TICK_RATE)
        progress(f"workers: {named}: the night begins")
        with _faults(game, at_once) if faults else contextlib.nullcontext():
            found = sleep(game, minds, reload_at=RELOAD_AT if faults else None)
        doubled = None if workers is None else game.query(DOUBLED)[0][0]
        cpu = game.cpu_of_workers() if workers else 0.0
        failures = len(game.tracebacks())
        killed = getattr(game, "killed", 0)
    late = found.pop("late_ms")
    return {
        "night": named,
        "at_once": calls,
        **found,
        "lost": found["entries"] - found["consolidated"],
        "doubled": doubled,
        "cap": CAP,
        "asked": model.asked,
        "paid_twice": model.asked - found["calls"],
        "workers_cpu": cpu,
        "killed": killed,
        "tracebacks": failures,
        "gap_ms": max(late),
        "p99_gap_ms": percentile(late, 99),
    }


def sleep(game, minds, *, reload_at=None):
    """Let minds sleep until all are done; return the figures of the night, also over a reload of the Server."""
    parts, begun = [], time.monotonic()
    game.call("inside_workers.begin")
    while game.call("inside_workers.done") < minds and time.monotonic() - begun < PATIENCE:
        time.sleep(LOOK_SECONDS)
        if reload_at and time.monotonic() - begun > reload_at:
            reload_at = None
            parts.append(game.call("inside_workers.end"))
            game.fresh_server()
            game.call("inside_workers.begin")
    parts.append(game.call("inside_workers.end"))
    cpu = Counter()
    for part in parts:
        cpu.update(part["cpu"])
    return {
        **parts[-1],
        "seconds": round(sum(part["seconds"] for part in parts), 1),
        "cpu": {name: round(seconds, 2) for name, seconds in cpu.items()},
        "late_ms": [late for part in parts for late in part["late_ms"]],
    }


@contextlib.contextmanager
def _faults(game, at_once):
    """Kill a worker each few seconds and start another, and restart Postgres twice, while the block runs."""
    ended = threading.Event()
    begun = time.monotonic()

    def harm():
        restarts = list(POSTGRES_AT)
        while not ended.wait(KILL_SECONDS):
            game.kill_worker(game.workers[0])
            if restarts and time.monotonic() - begun > restarts[0]:
                restarts.pop(0)
                game.restart_postgres()
            game.start_worker(concurrency=at_once)

    harming = threading.Thread(target=harm)
    harming.start()
    try:
        yield
    finally:
        ended.set()
        harming.join()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minds", type=int, default=200)
    parser.add_argument("--entries", type=int, default=60)
    parser.add_argument("--latency", type=float, default=0.5, help="seconds of a model's answer")
    parser.add_argument("--workers", type=int, nargs="*", default=[0, 1, 2, 4])
    parser.add_argument("--at-once", type=int, default=4)
    parser.add_argument("--faults", action="store_true")
    parser.add_argument("--skip-first", action="store_true", help="without the row of SQLite")
    sys.exit(run(partial(measure, **vars(parser.parse_args()))))
