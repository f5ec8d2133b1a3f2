"""The world of the benchmark of crashes: one assistant with a full day behind it.

It is in the game's database and the default long-term memory, both in one folder.
"""

import itertools
import random
import sqlite3
import uuid
from contextlib import closing
from datetime import datetime, timezone

from tests import database_file
from tests.benchmarks.noted import DONE, NOTED, PEOPLE, THINGS
from tests.domain import lines

ENTRIES = 300
# Of them the first, so old and so unimportant that they may be forgotten.
OLD = 60
# Seconds since 1970 when night falls, and seconds of a day.
EVENING, DAY = 1_900_000_000, 86_400
# Links in the beginning between memories that are gone.
ORPHANS = 250
# Whose talks ended long ago; every third of these is in the journal already.
STALE_PEOPLE = """Ada Ben Cleo Dan Elsa Fay Gus Hal Ida Jon Kim Lea Max Nia Olaf Pia Quin Rosa
    Sven Tess Ute Vic Wim Xenia""".split()
LONG_LINES, STALE_LINES = 54, 6

# What a line tells: who did what to so many things, and where. The number is its own.
WHO = "The miller,Captain Ysolde,Old Tam,The tanner,A pedlar,The abbot,The smith".split(",")
DID = "buried,counted,stole,weighed,painted,burned,washed,repaired,traded,lost,found".split(",")
WHAT = "planks,barrels,coins,goats,candles,lanterns,apples,blankets,horseshoes".split(",")
WHERE = "bridge,orchard,harbour,quarry,belfry".split(",")


def build():
    """Make a world in which everything of a night's work waits; return what there is."""
    database_file.make_tables()
    from evennia.objects.objects import DefaultRoom
    from evennia.utils.create import create_object

    from evennia_ai.memory import journal
    from evennia_ai.sleep import sleep_cycle
    from evennia_ai.testing import minds
    from evennia_ai.typeclasses import scripts

    chance = random.Random(7)
    npc = minds.make_assistant("Mara", location=create_object(DefaultRoom, key="inn", nohome=True))
    script = scripts.find(npc)
    journal.set_max_entries(npc, 4 * ENTRIES)
    _note_people(npc)
    _note_links(script)
    for name in PEOPLE:
        _note_talk(npc, name, LONG_LINES, since=EVENING - 7200)
    for number, name in enumerate(STALE_PEOPLE):
        noted = number % 3 == 0
        _note_talk(npc, name, STALE_LINES, since=EVENING - 3 * DAY, noted=noted)
    _note_entries(npc, script, chance)
    sleep_cycle.transition_mode(script, "sleep", "a benchmark", wake_at=_time(EVENING + DAY))
    return look_at(npc, script)


def _note_people(npc):
    """Begin to know everybody, some of them with enough observations to make something of."""
    from evennia_ai.memory.people import entity_profiles

    for number, name in enumerate([*PEOPLE, *STALE_PEOPLE]):
        who = identity(name)
        entity_profiles.create_entity_profile(npc, who, name=name, entity_type="player")
        for thing in THINGS[: 6 if number % 2 else 3]:
            entity_profiles.add_entity_observation(
                npc,
                who,
                f"I never liked the {thing}.",
                audience="public" if number % 3 else sorted([who, _own(npc)]),
                told_by=who,
                event_id=f"seen-{name}-{thing}",
            )


def _note_entries(npc, script, chance):
    from evennia_ai.memory import journal
    from evennia_ai.memory.state import reflection_state

    for number in range(ENTRIES - journal.size(npc)):
        who, is_seen = chance.choice(PEOPLE), chance.random() < 0.2
        words = chance.choice(DONE if is_seen else NOTED).format(
            who=who,
            other=chance.choice([other for other in PEOPLE if other != who]),
            thing=chance.choice(THINGS),
            number=chance.randint(2, 90),
        )
        is_old = number < OLD
        age = 60 * DAY if is_old else 2 * DAY
        private = sorted([_own(npc), identity(who)])
        entry = journal.add_entry(
            npc,
            # With a number of its own no entry is taken for another one told twice.
            f"{words} That was day {number + 1000}.",
            source_type="observation" if is_seen else "direct",
            source_entity=who,
            source_id=identity(who),
            tags=["pose" if is_seen else "say"],
            importance=2 if is_old else 7 if number % 10 == 0 else None,
            audience=private if number % 7 == 0 else "public",
            event_id=f"event-{number}",
            now=_time(EVENING - age + 500 * number),
        )
        reflection_state.note_entry(script, entry)


def _note_links(script):
    from evennia_ai.core.records import Link
    from evennia_ai.memory import links

    links.save_links(
        script,
        {f"gone-{n}": [Link(id=f"gone-{n + 1}", score=0.9)] for n in range(ORPHANS)},
    )


def _note_talk(npc, name, count, *, since, noted=False):
    """Remember a talk of which half is for the two alone; `noted`: the journal has it as well."""
    from evennia_ai.memory import journal, working_memory

    who, both = identity(name), sorted([_own(npc), identity(name)])
    for number in range(count):
        mine, private = number % 2 == 1, number % 4 == 0
        told = _told(next(_numbers))
        event_id = "" if mine else f"said-{name}-{number}"
        line = lines.line(
            said_by=_own(npc) if mine else who,
            name="Mara" if mine else name,
            text="Is that so?" if mine else told,
            kind="whisper" if private else "say",
            mine=mine,
            audience=both if private else "public",
            timestamp=stamp(since + 30 * number),
            event_id=event_id,
        )
        working_memory.add_line(npc, who, line)
        if noted and not mine:
            journal.add_entry(
                npc, told, source_entity=name, audience=line.audience, event_id=event_id
            )


_numbers = itertools.count(2000)


def _told(number):
    who, did, what, where = (words[number % len(words)] for words in (WHO, DID, WHAT, WHERE))
    return f"{who} {did} {number} {what} near the {where}."


def find():
    """Return the assistant and its mind."""
    from evennia_ai.typeclasses import scripts
    from evennia_ai.typeclasses.characters import AssistantCharacter

    npc = AssistantCharacter.objects.get(db_key="Mara")
    return npc, scripts.find(npc)


def broken_files(folder):
    """Return what is wrong with the files: each of them must be whole."""
    wrong = []
    for path in (folder / "server").glob("*.db3"):
        with closing(sqlite3.connect(path)) as connection:
            found = [row[0] for row in connection.execute("PRAGMA integrity_check")]
            wrong += [f"{path.name}: {one}" for one in found if one != "ok"]
    return wrong


def look_at(npc, script):
    """Return all that an assistant has in mind, as plain data."""
    from django.db import transaction

    from evennia_ai.memory import journal, journal_pages, kinds, links, repository, working_memory
    from evennia_ai.memory.people import entity_backlog, entity_profiles
    from evennia_ai.memory.state import reflection_state, sleep_state
    from evennia_ai.memory.storage import pages
    from evennia_ai.semantic.base import get_memory

    memories = []
    get_memory().get_all(assistant_key=_own(npc), limit=10**6).addCallback(memories.extend)
    entries, head = journal.entries(npc), journal_pages.load_head(npc)
    talks = working_memory.conversations(npc)
    with transaction.atomic():
        # Without a head it is counted anew from the pages; what that writes is taken back.
        repository.remove(npc, kinds.JOURNAL_HEAD)
        counted = journal_pages.load_head(npc)
        transaction.set_rollback(True)
    return {
        "entries": [pages.plain(entry) for entry in entries],
        "head": {"size": head.size, "pages": head.pages},
        "counted": {"size": counted.size, "pages": counted.pages},
        "memories": pages.plain(memories),
        "links": pages.plain(links.memory_links(script)),
        "profiles": pages.plain(entity_profiles.all_profiles(npc)),
        "talks": {who: pages.plain(kept.messages) for who, kept in talks.items()},
        "ripe": entity_backlog.ripe(npc),
        "night": {
            "phase": sleep_state.phase(script),
            "done": sleep_state.done(script),
            "degraded": sleep_state.is_degraded(script),
            "reflections": reflection_state.reflection_state(script).reflection_count,
        },
    }


def identity(name):
    """Return the same identity for a name in each run."""
    return str(uuid.uuid5(uuid.NAMESPACE_OID, name))


def _own(npc):
    from evennia_ai.memory import identity as identities

    return identities.identity_of(npc)


def _time(seconds):
    return datetime.fromtimestamp(seconds, tz=timezone.utc)


def stamp(seconds):
    from evennia_ai.core.records import format_time

    return format_time(_time(seconds))
