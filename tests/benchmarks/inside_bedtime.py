"""Inside the Server: many minds with a full day behind them, which all fall asleep at the same hour."""

import random
import threading
import time
from pathlib import Path

from evennia.objects.objects import DefaultRoom
from evennia.utils.create import create_object
from twisted.internet import reactor
from twisted.internet.defer import inlineCallbacks
from twisted.internet.task import cooperate, deferLater

from evennia_ai import conf
from evennia_ai.memory import journal, lookup
from evennia_ai.memory.state import active_assistants, reflection_state, sleep_state
from evennia_ai.typeclasses import scripts
from evennia_ai.typeclasses.characters import AssistantCharacter
from tests.benchmarks.crash_night import announce_steps
from tests.benchmarks.inside_watch import Watch
from tests.benchmarks.noted import NOTED, PEOPLE, THINGS

# Seconds between two looks at who dreams, and after which who does not will not.
LOOK, PATIENCE = 0.25, 170.0
PER_ROOM = 5
# Passes that are told of by name.
LONGEST = 8


def build(count, entries):
    """Build NPCs with minds, and fill their journals."""
    made = _made(count, entries)
    return cooperate(None for _ in made).whenDone().addCallback(lambda _: None)


def _made(count, entries):
    chance = random.Random(count)
    for number in range(count):
        if number % PER_ROOM == 0:
            room = create_object(DefaultRoom, key=f"Room {number // PER_ROOM}")
        npc = create_object(AssistantCharacter, key=f"Npc{number}", location=room, home=room)
        script = scripts.attach(npc)
        for _ in range(entries):
            reflection_state.note_entry(script, _note(npc, chance))
            yield


def _note(npc, chance):
    who, other = chance.sample(PEOPLE, 2)
    words = chance.choice(NOTED).format(
        who=who, other=other, thing=chance.choice(THINGS), number=chance.randint(2, 9000)
    )
    return journal.add_entry(
        npc,
        words,
        source_type="direct",
        source_entity=who,
        source_id=f"id-of-{who}".casefold(),
        audience="public" if chance.random() < 0.8 else sorted([f"id-of-{who}".casefold()]),
    )


@inlineCallbacks
def go_to_bed():
    """Let it be the hour at which all minds sleep, and wait until each has dreamt and reflected.

    Returns by how much calls came late meanwhile, what each pass of the reactor took, and after how
    many seconds all were asleep, dreamt, and had reflected.
    """
    ids, passes = active_assistants.all_ids(), Passes()
    begun, watch, since = time.monotonic(), Watch(), {}
    conf.get("SLEEP_SCHEDULE")["enabled"] = True
    while len(since) < 3 and time.monotonic() - begun < PATIENCE:
        yield deferLater(reactor, LOOK, lambda: None)
        minds = [lookup.script_by_id(script_id) for script_id in ids]
        for what, reached in (
            ("asleep", sleep_state.is_asleep),
            ("dreaming", lambda script: sleep_state.phase(script) == sleep_state.DREAMING),
            ("reflected", _has_reflected),
        ):
            if what not in since and all(map(reached, minds)):
                since[what] = round(time.monotonic() - begun, 1)
    late = watch.stop()
    return {"late_ms": late, "passes_ms": passes.stop(), "seconds": since}


def _has_reflected(script):
    return bool(reflection_state.reflection_state(script).reflection_count)


class Passes:
    """Notes what each pass of the reactor takes: of the processor, and without waiting for one.

    For a processor one waits because of other programs, which a game has none of beside it; what
    our own threads hold up is not that, and counts.
    """

    def __init__(self):
        self._original = reactor.runUntilCurrent
        self._path = Path(f"/proc/self/task/{threading.get_native_id()}/schedstat")
        self._taken, self._held = [], []
        # What one of the minds did last.
        self._step = ""
        announce_steps(self._note)
        reactor.runUntilCurrent = self._run

    def stop(self):
        """Return both of all passes, in milliseconds, and those that took longest."""
        reactor.runUntilCurrent = self._original
        longest = sorted(self._taken, reverse=True)[:LONGEST]
        taken = [milliseconds for milliseconds, _ in self._taken]
        return {"cpu": taken, "held": self._held, "longest": longest}

    def _run(self):
        begun, waited, used = time.monotonic(), self._waited(), time.thread_time()
        self._original()
        self._taken.append((round((time.thread_time() - used) * 1000, 2), self._step))
        held = time.monotonic() - begun - (self._waited() - waited)
        self._held.append(round(held * 1000, 2))

    def _note(self, what, step, *rest):
        self._step = f"{what} {step}"

    def _waited(self):
        # Of three numbers this is the second, in nanoseconds.
        return int(self._path.read_text().split()[1]) / 1e9
