"""Inside the Server: many minds that remember much, for the pages that show it."""

import random

from evennia.accounts.models import AccountDB
from evennia.objects.models import ObjectDB
from evennia.objects.objects import DefaultRoom
from evennia.utils.create import create_object
from twisted.internet.defer import DeferredList
from twisted.internet.task import cooperate

from evennia_ai.domain.memories.long_term import NewMemory
from evennia_ai.memory import identity, journal, lookup, repository
from evennia_ai.semantic.base import get_memory
from evennia_ai.typeclasses import scripts
from evennia_ai.typeclasses.characters import AssistantCharacter
from tests.benchmarks.noted import NOTED, PEOPLE, THINGS

# Where Keeper stands, and the first NPC beside him.
LIMBO = 2
# One of so many memories is Keeper's.
KEEPERS = 20


def build(count, per_room):
    """Build NPCs with minds, `per_room` to a room; return their ids."""
    made = []

    def steps():
        room = ObjectDB.objects.get(id=LIMBO)
        for number in range(count):
            if number and number % per_room == 0:
                room = create_object(DefaultRoom, key=f"Room {number // per_room}")
            npc = create_object(AssistantCharacter, key=f"Npc{number}", location=room, home=room)
            scripts.attach(npc)
            made.append(npc.id)
            yield

    return cooperate(None for _ in steps()).whenDone().addCallback(lambda _: made)


def remember(ids, entries):
    """Fill the journals and the long-term memories of some NPCs."""
    chance = random.Random(ids[0])
    keeper = identity.identity_of(AccountDB.objects.get(id=1).characters.all()[0])
    items = {npc: [] for npc in ids}

    def steps():
        for npc in map(lookup.object_by_id, ids):
            with repository.together(npc):
                for number in range(entries):
                    _note(npc, chance, keeper if number % KEEPERS == 0 else "")
            items[npc.id] = [_lasting(chance, number) for number in range(entries)]
            yield

    filled = cooperate(None for _ in steps()).whenDone()
    return filled.addCallback(lambda _: _keep(items)).addCallback(lambda _: None)


def _keep(items):
    keys = {npc: identity.identity_of(lookup.object_by_id(npc)) for npc in items}
    memory = get_memory()
    return DeferredList(
        [memory.add_all(items[npc], assistant_key=keys[npc]) for npc in items],
        fireOnOneErrback=True,
    )


def _note(npc, chance, keeper):
    who, words = _said(chance)
    journal.add_entry(
        npc,
        words,
        source_type="direct",
        source_entity="Keeper" if keeper else who,
        source_id=keeper or f"id-of-{who}".casefold(),
        audience="public" if chance.random() < 0.8 else [f"id-of-{who}".casefold()],
        importance=5,
    )


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
