"""What a town's night costs, and where: `python -m tests.benchmarks.workers`, one JSON line.

The first row is a game as it comes, one process and SQLite: seconds of CPU of the reactor, of the thread that waits
for models and of the one of long-term memory, and seconds for which calls of the model were waited for, in all. The
others are the same night over Postgres with as many workers as `--workers` says (0: none, a thread of the server),
for each of `--latency`, by minds that are made for it, in one game.
`--at-once` are calls of one worker at once, and of the thread where there is none. With `--faults` a worker is killed
by -9 each five seconds and another started, Postgres is restarted twice and the Server reloaded.

`lost` are entries that are not in long-term memory after the night, `doubled` those that are there twice. With `--cap`
a night may spend so many tokens, with `--money-cap` so many millionths of money; `tokens` and `money` are what the budget
has of it, with what killed workers had set aside, `most` and `most_money` the most that it ever had, `cap` and `money_cap`
what may be, and `counted` the tokens that the ledger has. What is refused is rated by rules, and not `rated` by the model.
`paid_twice` are calls that were made again for a worker that was killed.

`gap_ms` is by how much a call of the reactor was late at most, and `gap_ms_beside` the same of a process that does nothing,
beside it. With `--faults` `gap_ms_without_us` is that of a game of Evennia alone, over a Postgres that restarts as often,
and reloaded, too; `has_database_without_us` says whether a statement of it succeeds at the end. `reload_seconds` are those
from the reload until the new Server answers, of each.
"""

import argparse
import contextlib
import fcntl
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from functools import partial

from tests import model_steps
from tests.benchmarks.link import MeasuredGame, progress, run
from tests.benchmarks.stall import SETTLE_SECONDS, percentile
from tests.model_server import ModelServer

TICK_RATE_SLEEP, TICK_RATE = 1, 1
CONSTANTS = {"evennia_ai.agent.hearing.addressing.ENGAGED_SECONDS": 1}
PATIENCE, LOOK_SECONDS = 600, 0.25
# Seconds between two kills, and of a heartbeat, after three of which a worker counts as dead.
KILL_SECONDS, HEARTBEAT = 5, 1
# Seconds of the night after which Postgres restarts, and the Server is reloaded; of a game without us, all of it.
POSTGRES_AT, RELOAD_AT, PLAIN_SECONDS = (8.0, 20.0), 14.0, 32.0
CAP = 10**9
# Of the scripted model: millionths of money for a token that it reads, and for one that it writes.
PRICE = (1.0, 4.0)
# Prints by how many milliseconds a look that is due each five was late at most, when it is told to end.
BESIDE = """
import signal, time
signal.signal(signal.SIGTERM, lambda *_: exit(print(round(latest * 1000, 2), flush=True)))
latest = 0.0
while True:
    due = time.monotonic() + 0.005
    time.sleep(0.005)
    latest = max(latest, time.monotonic() - due)
"""
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
    if '{"worth"' in text:
        return {"worth": 3 + len(text) % 6}
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
            "PRICES": {"scripted": PRICE},
            "RATE": {"server": None, "assistant": None, "player": None},
            "BUDGET": {
                scope: {"tokens": CAP, "money": None} for scope in ("server", "assistant", "player")
            },
        }
        if is_sqlite:
            made = MeasuredGame(constants=CONSTANTS, EVENNIA_AI=settings, TIME_ZONE="UTC")
        else:
            from tests.benchmarks.workers_town import WorkersTown

            made = WorkersTown(ai=settings, constants=CONSTANTS, TIME_ZONE="UTC")
        with made as game:
            yield game, model


def measure(minds, entries, latency, workers, at_once, faults, skip_first, cap, money_cap):
    """Return the figures of all rows."""
    nights, figures = [], {"benchmark": "workers", "minds": minds, "entries": entries}
    caps = {"tokens": cap, "money": money_cap}
    if not skip_first:
        with town(latency=latency[0], backend="thread", at_once=at_once, is_sqlite=True) as made:
            nights.append({"night": "sqlite", **measure_night(*made, minds, entries, at_once)})
    with town(latency=0, at_once=at_once) as made:
        game, model = made
        for seconds in latency:
            model.latency = seconds
            for count in workers:
                progress(f"workers: {count} workers, a model that takes {seconds} s")
                with faults_in(game, at_once) if faults and count else contextlib.nullcontext():
                    night = measure_night(
                        game, model, minds, entries, at_once, workers=count, caps=caps
                    )
                nights.append({"night": f"{count} workers", "latency": seconds, **night})
                progress(f"workers: {json.dumps(nights[-1])}")
    return {**figures, "nights": nights, **(without_us(minds) if faults else {})}


def without_us(minds):
    """Return how late calls of the reactor come by the same faults in a game of Evennia alone."""
    from tests.benchmarks.workers_town import PlainTown

    progress("workers: the same without us")
    with PlainTown() as game, faults_in(game, 0):
        game.call("inside_plain.build", count=minds)
        with quiet():
            game.call("inside_plain.begin")
            time.sleep(SETTLE_SECONDS)
            late, _ = game.call("inside_plain.end")
            # Before the database is lost: Evennia, which does not connect anew, could not be reloaded then.
            seconds = _reload(game)
            game.call("inside_plain.begin")
            game.at_bedtime()
            time.sleep(PLAIN_SECONDS)
            more, is_answered = game.call("inside_plain.end")
            late += more
        restarted = game.restarted
    return {
        "gap_ms_without_us": max(late),
        "p99_gap_ms_without_us": percentile(late, 99),
        "reload_seconds_without_us": seconds,
        "has_database_without_us": is_answered,
        "postgres_restarted_without_us": restarted,
    }


def _reload(game):
    """Reload the Server; return after how many seconds the new one answers."""
    begun = time.monotonic()
    game.fresh_server()
    return round(time.monotonic() - begun, 1)


def measure_night(game, model, minds, entries, at_once, *, workers=0, caps=None):
    """Return the figures of one night of minds that are made for it; `at_once` are those of one worker."""
    calls = at_once * (workers or 1)
    game.call("inside_workers.rest")
    game.jobs = {"backend": "procrastinate" if workers else "thread", "at_once": calls}
    game.call("inside_workers.use", **game.jobs)
    game.call("inside_bedtime.build", count=minds, entries=entries)
    while workers > len(getattr(game, "workers", ())):
        game.start_worker(concurrency=at_once)
    idle = game.call("inside_workers.idle", seconds=SETTLE_SECONDS + TICK_RATE)
    asked, killed = model.asked, getattr(game, "killed", 0)
    restarted = getattr(game, "restarted", 0)
    before = game.cpu_of_workers() if workers else 0.0
    made = game.call("inside_workers.spent")
    caps = caps or {"tokens": None, "money": None}
    game.is_capped = any(caps.values())
    game.call("inside_workers.cap", **caps)
    with quiet(), beside() as latest:
        progress("workers: the night begins")
        reload_at = RELOAD_AT if getattr(game, "is_harmed", False) else None
        found = sleep(game, minds, reload_at=reload_at)
    late = found.pop("late_ms")
    game.call("inside_workers.cap", tokens=None, money=None)
    for name, unit in (("most", "tokens"), ("most_money", "money")):
        found[name] = max(found[name], found[unit]) - made[unit]
    for name in ("calls", "failed", "waited", "counted", "tokens", "money"):
        found[name] = round(found[name] - made[name], 1)
    asked = model.asked - asked
    return {
        "at_once": calls,
        **found,
        "idle": idle,
        "lost": found["entries"] - found["consolidated"],
        "doubled": game.query(DOUBLED)[0][0] if hasattr(game, "query") else None,
        "cap": caps["tokens"],
        "money_cap": caps["money"],
        "asked": asked,
        "paid_twice": asked - found["calls"],
        "workers_cpu": round(game.cpu_of_workers() - before, 2) if workers else 0.0,
        "killed": getattr(game, "killed", 0) - killed,
        "postgres_restarted": getattr(game, "restarted", 0) - restarted,
        "tracebacks": len(game.tracebacks()),
        "gap_ms": max(late),
        "p99_gap_ms": percentile(late, 99),
        "gap_ms_beside": latest[0],
    }


@contextlib.contextmanager
def beside():
    """Let a process that does nothing note how late it is; give a list, in which it stands at the end."""
    latest = []
    watching = subprocess.Popen(
        [sys.executable, "-c", BESIDE], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        yield latest
    finally:
        watching.terminate()
        latest.append(float(watching.communicate()[0]))


@contextlib.contextmanager
def quiet():
    """Hold what BENCHMARK_LOCK names, a file that others lock who measure, while the block runs."""
    path = os.environ.get("BENCHMARK_LOCK")
    if not path:
        yield
        return
    with open(path, "a", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def sleep(game, minds, *, reload_at=None):
    """Let minds sleep until all are done; return the figures of the night, also over a reload of the Server."""
    parts, begun, most, seconds = [], time.monotonic(), (0, 0), None
    game.call("inside_workers.begin")
    getattr(game, "at_bedtime", lambda: None)()
    while game.call("inside_workers.done") < minds and time.monotonic() - begun < PATIENCE:
        time.sleep(LOOK_SECONDS)
        if getattr(game, "is_capped", False):
            most = tuple(map(max, most, game.spent()))
        if reload_at and time.monotonic() - begun > reload_at:
            reload_at = None
            parts.append(game.call("inside_workers.end"))
            seconds = _reload(game)
            if hasattr(game, "jobs"):
                game.call("inside_workers.use", **game.jobs)
            game.call("inside_workers.begin")
    parts.append(game.call("inside_workers.end"))
    while (found := game.call("inside_workers.found")) is None:
        time.sleep(LOOK_SECONDS)
    cpu = Counter()
    for part in parts:
        cpu.update(part["cpu"])
    return {
        **parts[-1],
        **found,
        "reloaded": len(parts) - 1,
        "reload_seconds": seconds,
        "most": most[0],
        "most_money": most[1],
        "seconds": round(sum(part["seconds"] for part in parts), 1),
        "cpu": {name: round(seconds, 2) for name, seconds in cpu.items()},
        "late_ms": [late for part in parts for late in part["late_ms"]],
    }


@contextlib.contextmanager
def faults_in(game, at_once):
    """Kill a worker each few seconds of a night and start another, and restart Postgres twice."""
    ended = threading.Event()

    def harm():
        restarts, begun = list(POSTGRES_AT), time.monotonic()
        while not ended.wait(KILL_SECONDS):
            had = list(game.workers)
            if had:
                game.kill_worker(had[0])
            if restarts and time.monotonic() - begun > restarts[0]:
                restarts.pop(0)
                game.restart_postgres()
            if had:
                game.start_worker(concurrency=at_once)

    harming = threading.Thread(target=harm)
    game.at_bedtime, game.is_harmed = harming.start, True
    try:
        yield
    finally:
        ended.set()
        harming.join()
        game.is_harmed = False


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minds", type=int, default=200)
    parser.add_argument("--entries", type=int, default=60)
    parser.add_argument(
        "--latency", type=float, nargs="*", default=[0.5], help="seconds of a model's answer"
    )
    parser.add_argument("--workers", type=int, nargs="*", default=[0, 1, 2, 4])
    parser.add_argument("--at-once", type=int, default=4)
    parser.add_argument("--faults", action="store_true")
    parser.add_argument("--cap", type=int, help="tokens that a night may spend")
    parser.add_argument("--money-cap", type=int, help="millionths of money that a night may spend")
    parser.add_argument("--skip-first", action="store_true", help="without the row of SQLite")
    sys.exit(run(partial(measure, **vars(parser.parse_args()))))
