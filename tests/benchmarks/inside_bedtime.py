"""Inside the Server: many minds with a full day behind them."""

import random

from evennia.objects.objects import DefaultRoom
from evennia.utils.create import create_object
from twisted.internet.task import cooperate

from evennia_ai.memory import journal
from evennia_ai.memory.state import reflection_state
from evennia_ai.typeclasses import scripts
from evennia_ai.typeclasses.characters import AssistantCharacter
from tests.benchmarks.noted import NOTED, PEOPLE, THINGS

PER_ROOM = 5


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
