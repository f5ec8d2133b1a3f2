"""What memory costs, on SQLite in a file: `python -m tests.benchmarks.journal`, one JSON line.

Each time is that of one call on the reactor, in milliseconds. A journal is measured while it grows
(nothing has to go) and when it is full (every note lets another entry go); then what an NPC knows of
a thousand people; then long-term memory (`tests.benchmarks.memories`).
"""

import gc
import random
import sys
import tempfile
import time
import tracemalloc
import uuid
from datetime import timedelta
from pathlib import Path

from tests.benchmarks import memories
from tests.benchmarks.link import progress, run
from tests.benchmarks.memories import PEOPLE, START, WORDS
from tests.database_file import start_evennia
from tests.domain import lines

SIZES = (100, 1_000, 10_000)
KNOWN_PEOPLE = 1_000
WRITES = 200
SEARCHES = 20


def measure(sizes=SIZES, writes=WRITES, searches=SEARCHES, people=KNOWN_PEOPLE):
    """Return all figures."""
    with tempfile.TemporaryDirectory() as folder:
        progress("journal: making a database")
        start_evennia(Path(folder) / "game.db3")
        figures = {str(size): _measure_size(size, writes, searches) for size in sizes}
        known = _measure_people(people, writes, searches)
        remembered = memories.measure(Path(folder))
    return {
        "benchmark": "journal",
        "sizes": figures,
        "people": {str(people): known},
        "memories": remembered,
        "unit": "ms",
        "writes": writes,
    }


def _measure_size(size, writes, searches):
    from evennia.objects.objects import DefaultObject
    from evennia.utils.create import create_object

    from evennia_ai.memory import journal

    progress(f"journal: {size} entries")
    chance = random.Random(size)
    npc = create_object(DefaultObject, key=f"npc of {size}", nohome=True)
    journal.set_max_entries(npc, 2 * size)
    growing = [_note(npc, number, chance) for number in range(size)]
    figures = {"add": _summary(growing[-writes:])}
    figures["edit"] = _summary([_edit(npc, chance.randint(1, size)) for _ in range(writes)])
    figures.update(_reads(npc, size, searches, chance))
    figures["memory_mb"] = _memory(npc, lambda: list(journal.newest_first(npc)))
    journal.set_max_entries(npc, size)
    full = [_note(npc, size + number, chance) for number in range(writes)]
    figures["add_when_full"] = _summary(full)
    figures["entries"] = journal.size(npc)
    return figures


def _measure_people(people, writes, searches):
    """Return what it costs to deal with one of many people whom an NPC knows."""
    from evennia.objects.objects import DefaultObject
    from evennia.utils.create import create_object

    from evennia_ai.memory import working_memory
    from evennia_ai.memory.people import entity_profiles

    progress(f"journal: {people} known people")
    npc = create_object(DefaultObject, key="innkeeper", nohome=True)
    chance = random.Random(people)
    everybody = [str(uuid.UUID(int=chance.getrandbits(128))) for _ in range(people)]
    met = [_meet(npc, who, number) for number, who in enumerate(everybody)]

    def timed(times, function):
        return _summary([_timed(lambda: function(chance.choice(everybody))) for _ in range(times)])

    return {
        "meet": _summary(met[-writes:]),
        "notice": timed(
            writes,
            lambda who: entity_profiles.add_entity_observation(
                npc, who, f"Likes {' '.join(chance.choices(WORDS, k=8))}.", audience="public"
            ),
        ),
        "regard": timed(writes, lambda who: entity_profiles.update_relationship(npc, who, 0.01)),
        "hear": timed(writes, lambda who: working_memory.add_line(npc, who, _line(who, chance))),
        "find_one": timed(writes, lambda who: entity_profiles.find_profile(npc, who)),
        "find_by_name": timed(searches, lambda who: entity_profiles.find_by_name(npc, "Guest7")),
        "memory_mb": _memory(npc, lambda: entity_profiles.all_profiles(npc)),
    }


def _meet(npc, who, number):
    from evennia_ai.memory.people import entity_profiles

    return _timed(
        lambda: entity_profiles.create_entity_profile(
            npc, who, name=f"Guest{number}", entity_type="player"
        )
    )


def _line(who, chance):
    return lines.line(
        said_by=who,
        name="Guest",
        text=" ".join(chance.choices(WORDS, k=12)),
        kind="say",
        audience="public",
        timestamp=START.isoformat(),
    )


def _note(npc, number, chance):
    from evennia_ai.memory import journal

    words = " ".join(chance.choices(WORDS, k=40))
    who, moment = chance.choice(PEOPLE), START + timedelta(minutes=number)
    return _timed(
        lambda: journal.add_entry(
            npc,
            f"{who} spoke of {words}.",
            tags=[chance.choice(WORDS)],
            source_type="direct",
            source_entity=who,
            source_id="0f8fad5b-d9cb-469f-a165-70867728950e",
            # Some are trivial, so that a full journal has something to let go.
            importance=chance.randint(1, 10),
            now=moment,
        )
    )


def _edit(npc, entry_id):
    from evennia_ai.memory import journal

    return _timed(lambda: journal.edit_entry(npc, entry_id, consolidated=True))


def _reads(npc, size, searches, chance):
    """Return how long it takes to look for a word that is nowhere, and to recall a week."""
    from evennia_ai.memory import episodic, journal

    now = START + timedelta(minutes=size)

    def search():
        return [one for one in journal.newest_first(npc) if "dragon" in one.content.casefold()]

    def recall():
        entries = journal.entries(npc)
        return episodic.search_episodic_memory(entries, " ".join(chance.choices(WORDS)), now=now)

    return {
        "read_all": _summary([_timed(lambda: journal.entries(npc)) for _ in range(searches)]),
        "search_without_a_hit": _summary([_timed(search) for _ in range(searches)]),
        "recall": _summary([_timed(recall) for _ in range(searches)]),
    }


def _memory(npc, read):
    """Return the megabytes that stay in memory when everything has been read."""
    from evennia.typeclasses.attributes import Attribute

    from evennia_ai.memory.storage import own_attributes

    for attribute in Attribute.objects.filter(objectdb=npc):
        attribute.flush_from_cache(force=True)
    own_attributes.drop_cached(npc)
    gc.collect()
    tracemalloc.start()
    read()
    gc.collect()
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return round(used / 1e6, 2)


def _timed(function):
    begun = time.perf_counter()
    function()
    return (time.perf_counter() - begun) * 1000


def _summary(times):
    ordered = sorted(times)
    return {
        "p50": round(ordered[len(ordered) // 2], 3),
        "p95": round(ordered[int(len(ordered) * 0.95)], 3),
    }


if __name__ == "__main__":
    sys.exit(run(measure))
