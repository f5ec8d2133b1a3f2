"""Inside the Server: many minds that remember much, for the pages that show it."""

import functools
import random
from unittest.mock import patch

from evennia.accounts.models import AccountDB
from evennia.commands import cmdsethandler
from evennia.objects.models import ObjectDB
from evennia.objects.objects import DefaultRoom
from evennia.utils.create import create_object
from twisted.internet.defer import DeferredList
from twisted.internet.task import cooperate

from evennia_ai import scheduling
from evennia_ai.core.records import format_time
from evennia_ai.domain.memories.long_term import NewMemory
from evennia_ai.memory import identity, journal_pages, lookup
from evennia_ai.memory.people import entity_profiles
from evennia_ai.semantic.base import get_memory
from evennia_ai.typeclasses import scripts
from evennia_ai.typeclasses.characters import AssistantCharacter
from tests.benchmarks.noted import NOTED, PEOPLE, THINGS

_import_cmdset = cmdsethandler.import_cmdset
# Where Keeper stands, and the first NPC beside him.
LIMBO = 2
# One of so many memories is Keeper's.
KEEPERS = 20


def build(count, per_room):
    """Build NPCs with minds, `per_room` to a room; return their ids.

    Until the reload they share one set of commands: to make it is most of what an NPC takes.
    """
    made = []
    import_once = functools.cache(lambda path: _import_cmdset(path, None))
    sharing = patch.object(cmdsethandler, "import_cmdset", lambda path, *_: import_once(path))

    def steps():
        room = ObjectDB.objects.get(id=LIMBO)
        for number in range(count):
            if number and number % per_room == 0:
                room = create_object(DefaultRoom, key=f"Room {number // per_room}")
            npc = create_object(AssistantCharacter, key=f"Npc{number}", location=room, home=room)
            scripts.attach(npc)
            made.append(npc.id)
            yield

    sharing.start()
    built = cooperate(None for _ in steps()).whenDone().addBoth(_passing, sharing.stop)
    return built.addCallback(lambda _: made)


def _passing(result, function):
    function()
    return result


def remember(ids, entries):
    """Fill the journals and the long-term memories of some NPCs, and let them know people; return Keeper's identity."""
    chance = random.Random(ids[0])
    keeper = identity.identity_of(AccountDB.objects.get(id=1).characters.all()[0])
    kept, memory = [], get_memory()

    def steps():
        for npc in map(lookup.object_by_id, ids):
            _meets(npc, keeper)
            _note(npc, [_entry(chance, "" if at % KEEPERS else keeper) for at in range(entries)])
            lasting = [_lasting(chance, number) for number in range(entries)]
            kept.append(memory.add_all(lasting, assistant_key=identity.identity_of(npc)))
            yield

    filled = cooperate(None for _ in steps()).whenDone()
    filled.addCallback(lambda _: DeferredList(kept, fireOnOneErrback=True))
    return filled.addCallback(lambda _: keeper)


def _meets(npc, keeper):
    """Let an NPC know something of Keeper and of all but one of PEOPLE."""
    people = {keeper: "Keeper"} | {f"id-of-{name}".casefold(): name for name in PEOPLE[1:]}
    for who, name in people.items():
        entity_profiles.create_entity_profile(npc, who, name=name, entity_type="player")
        entity_profiles.update_relationship(npc, who, 0.1, "a talk")
        entity_profiles.add_entity_observation(
            npc, who, f"{name} likes the mill.", audience="public"
        )


def _note(npc, entries):
    """Write a whole journal at once."""
    draft = journal_pages.Draft(npc)
    for fields in entries:
        draft.add(fields)
    draft.write()


def _entry(chance, keeper):
    who, words = _said(chance)
    return {
        "timestamp": format_time(scheduling.now()),
        "content": words,
        "source_type": "direct",
        "source_entity": "Keeper" if keeper else who,
        "source_id": keeper or f"id-of-{who}".casefold(),
        "audience": "public" if chance.random() < 0.8 else [f"id-of-{who}".casefold()],
    }


def _lasting(chance, number):
    who, words = _said(chance)
    return NewMemory(
        text=f"{words} That was day {number}.",
        audience="public",
        metadata={"speaker": who, "timestamp": f"2030-01-01T00:{number % 60:02}:00+00:00"},
    )


def _said(chance):
    who, other = chance.sample(PEOPLE, 2)
    thing, number = chance.choice(THINGS), chance.randint(2, 9000)
    return who, chance.choice(NOTED).format(who=who, other=other, thing=thing, number=number)
