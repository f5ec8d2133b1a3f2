"""Inside the Server: what a town's night costs the reactor, our threads, and whoever waits."""

import json
import os
import threading
import time
from dataclasses import dataclass

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection
from evennia.objects.models import ObjectDB
from twisted.internet import reactor
from twisted.internet.defer import inlineCallbacks, maybeDeferred
from twisted.internet.task import deferLater

from evennia_ai import conf, models, tick
from evennia_ai.checks import worker_checks
from evennia_ai.core import volatile
from evennia_ai.llm import caps, ledger
from evennia_ai.memory import journal, lookup
from evennia_ai.memory.state import active_assistants, assistant, sleep_state
from evennia_ai.memory.storage import whole_minds
from evennia_ai.sleep import night_jobs
from evennia_ai.workers import executors, job_control, payload
from tests.benchmarks.inside_watch import Watch

# Seconds between two looks at who is done.
LOOK = 0.5
# What our threads are called, and what they do.
THREADS = {"evennia_ai": "models", "evennia_ai memory": "memory"}
TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")


@dataclass
class _Night:
    begun: float
    watch: Watch
    cpu: dict[str, float]


_nights: list[_Night] = []


def rest():
    """Let the minds that there are do nothing any more."""
    conf.get("SLEEP_SCHEDULE")["enabled"] = False
    for script_id in active_assistants.all_ids():
        mind = lookup.script_by_id(script_id)
        assistant.enable(mind, enabled=False)
        active_assistants.leave(mind)


def use(backend, at_once):
    """Let nights be done by `backend`, so many at once."""
    executors.stop()
    settings.EVENNIA_AI["JOBS"]["BACKEND"] = backend
    settings.EVENNIA_AI["SLEEP_CONCURRENCY"] = at_once
    volatile.forget_all(from_settings=True)


def cap(tokens, money):
    """Let the server spend so many tokens and millionths of money more today, and as many as it likes of what is None."""
    if tokens is None and money is None:
        caps.set_cap("server", None)
        return
    used = spent()
    most = None if money is None else (used["money"] + money) / 1e6
    caps.set_cap(
        "server", {"tokens": None if tokens is None else used["tokens"] + tokens, "money": most}
    )


@inlineCallbacks
def idle(seconds):
    """Return how many seconds of CPU each thread has in a second in which all are awake and nothing happens."""
    begun, before = time.monotonic(), cpu()
    watch = Watch()
    yield deferLater(reactor, seconds, watch.stop)
    took = time.monotonic() - begun
    return {name: round((now - before.get(name, 0.0)) / took, 4) for name, now in cpu().items()}


def begin():
    """Let it be the hour at which all minds sleep, and measure from now on."""
    _nights.append(_Night(time.monotonic(), Watch(), cpu()))
    conf.get("SLEEP_SCHEDULE")["enabled"] = True
    # What is idle is looked at in every sixth tick, and would fall asleep one after the other.
    tick._idle.clear()


def done():
    """Return how many minds have done the work of the night; none, as long as the database is away."""
    minds = [lookup.script_by_id(script_id) for script_id in active_assistants.all_ids()]
    try:
        return sum(sleep_state.is_asleep(mind) and sleep_state.done(mind) for mind in minds)
    except (InterfaceError, OperationalError):
        return 0


def end():
    """Return seconds, those of CPU of each thread, how late calls of the reactor came, and how many are done."""
    night = _nights.pop()
    seconds, late = time.monotonic() - night.begun, night.watch.stop()
    used = {name: round(now - night.cpu.get(name, 0.0), 2) for name, now in cpu().items()}
    return {"seconds": round(seconds, 1), "done": done(), "late_ms": late, "cpu": used}


def found():
    """Return what became of the night; None, as long as the database is away."""
    try:
        return kept(active_assistants.all_ids())
    except (InterfaceError, OperationalError):
        return None


@inlineCallbacks
def queue_up(patience):
    """Let minds fall asleep while no worker is there; return what staff see of it, and drop a job."""
    begun = time.monotonic()
    conf.get("SLEEP_SCHEDULE")["enabled"] = True
    while not job_control.state().waiting and time.monotonic() - begun < patience:
        yield deferLater(reactor, LOOK, lambda: None)
    doctor = [problem.sentence for problem in worker_checks.check_running()]
    number = job_control.listed("waiting")[0]["number"]
    said = yield command(f"@aiadmin/jobs {number} = drop")
    summed_up = yield command("@aiadmin/jobs")
    return {"doctor": doctor, "number": number, "dropped": said, "summed_up": summed_up}


@inlineCallbacks
def fail_and_retry(patience):
    """Give the workers a night that they cannot read, mend it, and let staff retry it; return what they see."""
    npc = lookup.script_by_id(active_assistants.all_ids()[0]).obj
    work = payload.work_of_night(npc.id, {"body": npc.id})
    yield executors.executor_for(work.kind).run(work, seconds=patience)
    begun = time.monotonic()
    while not job_control.listed("failed") and time.monotonic() - begun < patience:
        yield deferLater(reactor, LOOK, lambda: None)
    number = job_control.listed("failed")[0]["number"]
    summed_up = yield command("@aiadmin/jobs")
    script = lookup.mind_of(npc)
    seen = whole_minds.fingerprint(npc.id, script.id)
    fit = {"body": npc.id, "mind": script.id, "name": npc.key, "shown": npc.key, "seen": seen}
    fit["memory"] = night_jobs._place_of_memory()
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE procrastinate_jobs SET args = jsonb_set(args, '{work,asked}', to_jsonb(%s::text))"
            " WHERE id = %s",
            [json.dumps(fit), number],
        )
    said = yield command(f"@aiadmin/jobs {number} = retry")
    again = yield command(f"@aiadmin/jobs {number} = retry")
    kept = models.Job.objects.filter(number=number)
    while not kept.get().answer and time.monotonic() - begun < patience:
        yield deferLater(reactor, LOOK, lambda: None)
    return {
        "number": number,
        "summed_up": summed_up,
        "said": said,
        "again": again,
        "is_answered": payload.is_answer(kept.get().answer),
    }


def command(line):
    """Return what the superuser is told who types a line."""
    who, said = ObjectDB.objects.get(id=1), []
    who.msg = lambda text=None, **kwargs: said.append(text[0] if isinstance(text, tuple) else text)
    return maybeDeferred(who.execute_cmd, line).addCallback(lambda _: said)


def cpu():
    """Return the seconds of CPU of each of our threads, and of the process."""
    used = {"reactor": time.thread_time(), "process": time.process_time()}
    for thread in threading.enumerate():
        if thread.name in THREADS:
            used[THREADS[thread.name]] = _cpu_of(thread.native_id)
    return used


def _cpu_of(thread_id):
    with open(f"/proc/self/task/{thread_id}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_A_SECOND


def kept(ids):
    """Return what minds have of their day, and what was spent on it."""
    npcs = [lookup.script_by_id(script_id).obj for script_id in ids]
    entries = [entry for npc in npcs for entry in journal.entries(npc)]
    noted = [entry for entry in entries if entry.source_type == "direct"]
    return {
        "entries": len(noted),
        "consolidated": sum(entry.consolidated for entry in noted),
        "rated": sum(entry.importance_method == "llm" for entry in noted),
        **spent(),
    }


def spent():
    """Return what the ledger and the budget of the server have of all nights so far."""
    ledger.flush()
    calls = models.LedgerEntry.objects.all()
    budget = models.Budget.objects.filter(scope="server").values_list("tokens", "money")
    tokens, money = next(iter(budget), (0, 0))
    return {
        "calls": calls.count(),
        "failed": calls.exclude(outcome="ok").count(),
        "counted": sum(
            (asked or 0) + (written or 0)
            for asked, written in calls.values_list("prompt_tokens", "completion_tokens")
        ),
        "waited": round(sum(calls.values_list("latency_ms", flat=True)) / 1000, 1),
        "tokens": tokens,
        "money": money,
    }
