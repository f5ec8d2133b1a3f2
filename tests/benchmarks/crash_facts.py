"""Whether facts that a model finds at night stand once: `python -m tests.benchmarks.crash_facts --kills 50`, one JSON line.

A mind sleeps on what it was told, and its process is killed (SIGKILL) again and again: every other time just between
mem0's add and our mark, else anywhere in what follows a request. Each time the model says the same in other words.
"""

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.benchmarks import crash, crash_night
from tests.benchmarks.link import progress, run

KILLS = 50
# Seconds after a request within which a kill comes that may hit anything.
SOON = 0.03
TOLD = "I hid {number} silver coins under the {place}, Mara."
PLACES = "bridge orchard harbour quarry belfry chapel mill".split()
WORDINGS = (
    "{who} hid {number} silver coins under the {place}.",
    "{who} said that {number} silver coins are hidden under the {place}.",
    "{number} silver coins of {who} are hidden under the {place}.",
)


class Finder:
    """A model that finds one fact in each line that it is shown, never in the same words."""

    name, is_model = "finder", True

    def __init__(self, tell):
        self._tell = tell

    def complete(self, request):
        """Answer a request."""
        from twisted.internet.defer import succeed

        from evennia_ai.llm.base import Completion

        shown = "\n".join(one["content"] for one in request.messages)
        facts = [
            random.choice(WORDINGS).format(who=who, number=number, place=place)
            for number, who, place in map(_told, range(10_000))
            if f"hid {number} silver coins" in shown
        ]
        self._tell("begin", "asked")
        return succeed(Completion(json.dumps({"facts": facts}), model=self.name))


def _told(number):
    return number, ("Ann", "Bob")[number % 2], PLACES[number % len(PLACES)]


def build(folder, entries):
    """Make a mind in a new folder that was told so much, two in three things aloud."""
    (folder / "server").mkdir(parents=True)
    crash_night.connect(folder)
    from tests import database_file

    database_file.make_tables()
    from evennia.objects.objects import DefaultRoom
    from evennia.utils.create import create_object

    from evennia_ai.memory import journal
    from evennia_ai.testing import minds

    npc = minds.make_assistant("Mara", location=create_object(DefaultRoom, key="inn", nohome=True))
    journal.set_max_entries(npc, 2 * entries)
    for number, who, place in map(_told, range(entries)):
        entry = journal.add_entry(
            npc,
            TOLD.format(number=number, place=place),
            source_type="direct",
            source_entity=who,
            source_id=who.lower(),
            audience="public" if number % 3 else [who.lower()],
        )
        journal.rescore(npc, {entry.id: 6})


def sleep(folder, dies, tell):
    """Keep what was told, and tell of each request; `dies` just after the next facts were kept."""
    crash_night.connect(folder)
    from evennia_ai import scheduling
    from evennia_ai.llm import base as models
    from evennia_ai.memory import journal
    from evennia_ai.semantic.engine import Mem0Engine
    from evennia_ai.sleep import consolidation
    from tests.benchmarks import crash_world

    models.install("default", Finder(tell))
    npc, script = crash_world.find()
    clock = scheduling.clock()
    extract = Mem0Engine.extract

    def extract_and_die(*args, **kwargs):
        kept = extract(*args, **kwargs)
        tell("end", "kept", kept, 0)
        if dies and kept:
            os.kill(os.getpid(), signal.SIGKILL)
        return kept

    Mem0Engine.extract = extract_and_die
    while journal.count(npc, "ready"):
        done = []
        consolidation.run_sleep_consolidation(script, npc).addBoth(done.append)
        while not done:
            clock.advance(0)
        if "error" in done[0]:
            tell("error", "sleep", done[0]["error"])
            return


def look(folder):
    """Return what is kept: ids of entries, of their copies and of the entries that facts are of, and the facts' texts."""
    crash_night.connect(folder)
    from evennia_ai.memory import journal
    from evennia_ai.semantic import base, journal_sync
    from tests.benchmarks import crash_world

    npc, script = crash_world.find()
    kept = []
    base.get_memory().get_all(assistant_key=script.assistant_key, limit=10**6).addCallback(
        kept.extend
    )
    facts = [one for one in kept if one.metadata["source"] == journal_sync.EXTRACTED]
    return {
        "entries": [one.id for one in journal.entries(npc)],
        "waiting": journal.count(npc, "ready"),
        "copies": [one.entry_id for one in kept if one.metadata["source"] == journal_sync.SOURCE],
        "facts": [one.entry_id for one in facts],
    }


def measure(kills=KILLS, seed=None):
    """Return the figures."""
    chance, killed = random.Random(seed), Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        crash_night.prepare(folder)
        world = folder / "world"
        # A tick keeps five; each kill finds something to do.
        crash.call(build, world, 5 * kills + 5)
        for number in range(kills):
            night = crash.forked(sleep, world, number % 2 == 0)
            if number % 2 == 0:
                night.end()
            else:
                night.wait_for("begin", "asked")
                time.sleep(chance.random() * SOON)
                night.kill()
            killed["after the add" if night.did.get("kept") else "before it was added"] += 1
            if night.errors:
                raise RuntimeError(night.errors)
        crash.forked(sleep, world, False).end()
        found = json.loads(crash.call(look, world))
        progress(f"crash_facts: {dict(killed)}")
    facts, copies = Counter(found["facts"]), Counter(found["copies"])
    return {
        "benchmark": "crash_facts",
        "kills": kills,
        "after_add": killed["after the add"],
        "entries": len(found["entries"]),
        "waiting": found["waiting"],
        "without_fact": len(set(found["entries"]) - set(facts)),
        "facts_twice": sum(count > 1 for count in facts.values()),
        "copies_twice": sum(count > 1 for count in copies.values()),
        "copies_lost": len(set(found["entries"]) - set(copies)),
    }


def main(arguments):
    """Measure as it is said on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kills", type=int, default=KILLS)
    parser.add_argument("--seed", type=int, help="to kill at the same moments again, nearly")
    return run(lambda: measure(**vars(parser.parse_args(arguments))))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
