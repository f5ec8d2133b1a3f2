"""What a journal costs, on SQLite in a file: `python -m tests.benchmarks.journal`, one JSON line.

Each time is that of one call on the reactor, in milliseconds. A journal is measured while it grows
(nothing has to go) and when it is full (every note lets another entry go).
"""

import gc
import os
import random
import sys
import tempfile
import time
import tracemalloc
from datetime import datetime, timedelta, timezone
from pathlib import Path

from tests.benchmarks.link import progress, run

SIZES = (100, 1_000, 10_000)
WRITES = 200
SEARCHES = 20
START = datetime(2030, 1, 1, tzinfo=timezone.utc)

WORDS = """goat crown well tavern king debt secret road bridge storm harvest thief song letter
    barrel sword market silver wolf garden ship prayer stranger lantern winter""".split()
PEOPLE = "Ann Bob Cid Dora Eve Finn Greta Hugo".split()


def measure(sizes=SIZES, writes=WRITES, searches=SEARCHES):
    """Return all figures."""
    with tempfile.TemporaryDirectory() as folder:
        _start_evennia(Path(folder) / "game.db3")
        figures = {str(size): _measure_size(size, writes, searches) for size in sizes}
    return {"benchmark": "journal", "sizes": figures, "unit": "ms", "writes": writes}


def _start_evennia(database):
    """Make Evennia and an empty database usable in this process, with the server's own pragmas."""
    os.environ.update(TEST_DB_PATH=str(database), DJANGO_SETTINGS_MODULE="server.conf.settings")
    import django
    from django.conf import settings
    from django.core.management import call_command
    from django.db import connection

    django.setup()
    import evennia

    evennia._init()
    progress("journal: making a database")
    call_command("migrate", verbosity=0)
    if connection.vendor == "sqlite":
        for pragma in settings.SQLITE3_PRAGMAS:
            connection.cursor().execute(pragma)


def _measure_size(size, writes, searches):
    from evennia.objects.objects import DefaultObject
    from evennia.utils.create import create_object

    from evennia_ai.storage import journal

    progress(f"journal: {size} entries")
    chance = random.Random(size)
    npc = create_object(DefaultObject, key=f"npc of {size}", nohome=True)
    journal.set_max_entries(npc, 2 * size)
    growing = [_note(npc, number, chance) for number in range(size)]
    figures = {"add": _summary(growing[-writes:])}
    figures["edit"] = _summary([_edit(npc, chance.randint(1, size)) for _ in range(writes)])
    figures.update(_reads(npc, size, searches, chance))
    figures["memory_mb"] = _memory(npc)
    journal.set_max_entries(npc, size)
    full = [_note(npc, size + number, chance) for number in range(writes)]
    figures["add_when_full"] = _summary(full)
    figures["entries"] = journal.size(npc)
    return figures


def _note(npc, number, chance):
    from evennia_ai.storage import journal

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
    from evennia_ai.storage import journal

    return _timed(lambda: journal.edit_entry(npc, entry_id, consolidated=True))


def _reads(npc, size, searches, chance):
    """Return how long it takes to look for a word that is nowhere, and to recall a week."""
    from evennia_ai.domain import episodic
    from evennia_ai.storage import journal

    now = START + timedelta(minutes=size)

    def search():
        return [one for one in journal.newest_first(npc) if "dragon" in one["content"].casefold()]

    def recall():
        entries = journal.entries(npc)
        return episodic.search_episodic_memory(entries, " ".join(chance.choices(WORDS)), now=now)

    return {
        "read_all": _summary([_timed(lambda: journal.entries(npc)) for _ in range(searches)]),
        "search_without_a_hit": _summary([_timed(search) for _ in range(searches)]),
        "recall": _summary([_timed(recall) for _ in range(searches)]),
    }


def _memory(npc):
    """Return the megabytes that stay in memory when every page has been read."""
    from evennia.typeclasses.attributes import Attribute

    from evennia_ai.storage import journal

    for attribute in Attribute.objects.filter(objectdb=npc):
        attribute.flush_from_cache(force=True)
    npc.attributes.reset_cache()
    gc.collect()
    tracemalloc.start()
    for _ in journal.newest_first(npc):
        pass
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
