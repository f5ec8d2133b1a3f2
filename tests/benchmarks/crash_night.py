"""The night of the benchmark of crashes: what a process does that may be killed at any moment.

A process loads everything, opens the world in a folder, and sleeps; what it begins and ends it tells.
"""

import json
import os
import random
import sys
import time
from contextlib import nullcontext
from functools import partial
from pathlib import Path

from twisted.internet.defer import inlineCallbacks, maybeDeferred, succeed

from tests.benchmarks import crash_world

TICK_SECONDS = 60
# Of a night: 300 entries need 30 ticks to be kept, and 60 to be linked.
MOST_TICKS = 400
# Entries that wait, and that somebody changes while the server is down.
CHANGED = 5


def prepare(folder, broken=""):
    """Load all that a night needs into this process, and leave nothing open.

    `broken` names a safeguard that is taken away.
    """
    os.environ.update(
        # Evennia asks a database while it is imported; this one is empty, and closed again.
        TEST_DB_PATH=str(folder / "empty.db3"),
        DJANGO_SETTINGS_MODULE="server.conf.settings",
        MEM0_TELEMETRY="False",
        MEM0_DIR=str(folder / ".mem0"),
    )
    import django
    from django.conf import settings
    from django.db import connections

    settings.EVENNIA_AI = {
        "LLM": {"default": {"BACKEND": "evennia_ai.llm.offline.OfflineMind"}},
    }
    django.setup()
    import evennia

    evennia._init()
    import mem0  # noqa: F401
    import pydantic  # noqa: F401

    from evennia_ai.llm import offline  # noqa: F401
    from evennia_ai.memory.people import entity_profiles
    from evennia_ai.semantic import mem0 as backend  # noqa: F401
    from evennia_ai.semantic.embedders.sentences import SentenceEmbedder
    from evennia_ai.testing import minds  # noqa: F401

    SentenceEmbedder().embed(["What is in this table is read once."])
    connections.close_all()
    # Else the night lets the oldest observations of a person go, as it should.
    entity_profiles.OBSERVATIONS = 1000
    if broken:
        BREAKS[broken]()


def connect(folder):
    """Let this process, which has opened nothing yet, work on the world in `folder`."""
    from django.conf import settings
    from django.db import connections

    from evennia_ai import scheduling
    from evennia_ai.semantic import memory_thread

    # A random number that its parent has drawn is the same for all of its children.
    random.seed()
    settings.GAME_DIR = str(folder)
    connections["default"].settings_dict["NAME"] = str(folder / "server" / "game.db3")
    with connections["default"].cursor() as cursor:
        for pragma in settings.SQLITE3_PRAGMAS:
            cursor.execute(pragma)
    memory_thread.set_worker(memory_thread.InlineWorker())
    scheduling.set_clock(_clock(crash_world.EVENING))


def build(folder):
    """Make the world in a new folder; return what there is."""
    (folder / "server").mkdir(parents=True)
    connect(folder)
    return crash_world.build()


def look(folder):
    """Return what there is, as a server finds it that has just started; `broken` are its files."""
    connect(folder)
    return {
        **crash_world.look_at(*crash_world.find()),
        "broken": crash_world.broken_files(folder),
    }


def _clock(seconds):
    from twisted.internet.task import Clock

    clock = Clock()
    clock.advance(seconds)
    return clock


def sleep(folder, now, tell):
    """Sleep until the work of the night is done, and tell each step that begins and ends."""
    connect(folder)
    clock = _clock(now)
    _begin(clock, tell)
    done = []
    _all_ticks(clock.advance, tell).addBoth(done.append)
    while not done:
        clock.advance(0)
    if done[0] is not None:
        done[0].raiseException()


def sleep_for_real(folder, now, tell):
    """Do the same with the reactor of a server and the thread of long-term memory."""
    from twisted.internet import reactor

    from evennia_ai.semantic import memory_thread

    connect(folder)
    memory_thread.set_worker(None)
    clock = LaterReactor(now)
    _begin(clock, tell)

    def start():
        sleeping = _all_ticks(clock.advance, tell)
        sleeping.addErrback(lambda failure: failure.printTraceback())
        sleeping.addBoth(lambda _: reactor.stop())

    reactor.callWhenRunning(start)
    reactor.run(installSignalHandlers=False)


class LaterReactor:
    """The reactor, with another time of day."""

    def __init__(self, now):
        from twisted.internet import reactor

        self.callLater = reactor.callLater
        self._reactor = reactor
        self._ahead = now - reactor.seconds()

    def seconds(self):
        """Return the time of day."""
        return self._reactor.seconds() + self._ahead

    def advance(self, seconds):
        """Let time have passed."""
        self._ahead += seconds


def _begin(clock, tell):
    from evennia_ai import scheduling

    scheduling.set_clock(clock)
    announce_steps(tell)
    _change_some(crash_world.find()[0])


@inlineCallbacks
def _all_ticks(advance, tell):
    from evennia_ai.memory.state import sleep_state
    from evennia_ai.sleep import steps

    for _ in range(MOST_TICKS):
        npc, script = crash_world.find()
        if sleep_state.done(script):
            return
        tell("tick")
        result = yield steps.run_sleep_tick(script, npc)
        for name, counts in result["steps"].items():
            if counts.get("error"):
                tell("error", name, counts["error"])
        advance(TICK_SECONDS)


def steps():
    """Return the names of the steps, in their order."""
    from evennia_ai import conf

    return [path.rpartition(".")[2] for paths in conf.get("SLEEP_STEPS").values() for path in paths]


def announce_steps(tell):
    """Let the steps of the settings tell when they begin and end."""
    from evennia_ai import conf

    for path in [path for paths in conf.get("SLEEP_STEPS").values() for path in paths]:
        step = partial(_announced, tell, path.rpartition(".")[2], conf.load(path))
        conf.load.put(step, path)


def _announced(tell, name, step, script, character):
    begun = time.perf_counter()
    tell("begin", name)

    def ended(result):
        did = any(
            bool(value) and not isinstance(value, (bool, str)) for value in (result or {}).values()
        )
        tell("end", name, int(did), round(time.perf_counter() - begun, 6))
        return result

    return maybeDeferred(step, script, character).addCallback(ended)


def _change_some(npc):
    """Write some entries anew that wait, as builders do: their copies must become what they are."""
    from evennia_ai.memory import journal

    day = [entry for entry in journal.entries(npc) if entry.id <= crash_world.ENTRIES]
    for entry in [entry for entry in day if not entry.consolidated][:CHANGED]:
        words = entry.content.partition(" Or so")[0]
        # By another number it is not taken for the same one told twice.
        changed = f"{words} Or so Mara was told {random.getrandbits(40)} times."
        journal.edit_entry(npc, entry.id, content=changed)


def _keep_without_a_look():
    """Copy entries to long-term memory without asking it for them."""
    from evennia_ai.semantic import journal_sync

    journal_sync.find_copies = lambda *args, **kwargs: succeed({})


def _write_apart():
    """Write what belongs together one after the other."""

    from evennia_ai.memory import repository

    repository.together = lambda *objs: nullcontext()


BREAKS = {"consolidation": _keep_without_a_look, "transactions": _write_apart}


def main(folder, now, broken):
    """Sleep in a process of its own, with a real reactor."""
    folder, pipe = Path(folder), os.dup(sys.stdout.fileno())
    # What others print is not for the pipe.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    prepare(folder.parent, broken)
    sleep_for_real(folder, int(now), lambda *told: _tell(pipe, told))


def _tell(pipe, told):
    os.write(pipe, json.dumps(told).encode() + b"\n")
