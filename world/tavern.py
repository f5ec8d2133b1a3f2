"""The Crooked Lantern: three rooms, two minds, and a few things to look at."""

from pathlib import Path

import yaml
from evennia.objects.models import ObjectDB
from evennia.objects.objects import DefaultExit, DefaultObject, DefaultRoom
from evennia.utils.create import create_object

from evennia_ai import api

MINDS = Path(__file__).parent / "minds"

# Evennia makes this room itself and puts everybody there who is new: it becomes the common room.
LIMBO = 2

COMMON_ROOM = (
    "Low beams, a long counter and a fire that somebody always feeds. Over the door hangs the "
    "lantern that gave the house its name, as crooked as they say. The kitchen is behind the "
    "counter; a heavy door leads out to the yard."
)
KITCHEN = (
    "It smells of mutton and thyme. Pots hang from the ceiling in the order in which somebody "
    "reaches for them, and a black kettle mutters to itself over the embers."
)
YARD = (
    "Cobbles, puddles, and a deep old well with a rope worn smooth. A wooden gate stands open to "
    "the river road. Through the tavern's small windows falls a warm light."
)

THINGS = {
    "mirror": "A tall mirror in a gilded frame, a little too grand for the wall that it hangs on.",
    "mug": "A stoneware mug with a chipped rim. Somebody has scratched TAM into its bottom.",
    "lantern": "An iron lantern, hanging crooked. It gives a good light all the same.",
}


def build():
    """Build the tavern; called once, when the database is new."""
    common_room = ObjectDB.objects.get(id=LIMBO)
    common_room.key = "The Common Room"
    common_room.db.desc = COMMON_ROOM
    kitchen = _room("The Kitchen", KITCHEN)
    yard = _room("The Yard", YARD)
    _way(common_room, kitchen, there="kitchen", back="common room")
    _way(common_room, yard, there="yard", back="tavern")
    for key, desc in THINGS.items():
        thing = create_object(DefaultObject, key=key, location=common_room, home=common_room)
        thing.db.desc = desc
        thing.locks.add("get:perm(Builder)" if key != "mug" else "get:all()")
    settle("innkeeper", common_room)
    settle("guard", common_room)


def settle(mind, location):
    """Put an NPC with a mind somewhere, as its file in `world/minds` describes it; return it."""
    written = yaml.safe_load((MINDS / f"{mind}.yaml").read_text(encoding="utf-8"))
    npc = create_object(
        api.AssistantCharacter,
        key=written["name"],
        aliases=written["aliases"],
        location=location,
        home=location,
    )
    npc.db.desc = written["desc"]
    api.save_persona(npc, written["persona"])
    api.save_lore(npc, written["lore"])
    api.attach(npc)
    return npc


def _room(key, desc):
    room = create_object(DefaultRoom, key=key)
    room.db.desc = desc
    return room


def _way(here, away, *, there, back):
    """Join two rooms by an exit each way, named by where it leads."""
    create_object(DefaultExit, key=there, location=here, destination=away, home=here)
    create_object(DefaultExit, key=back, location=away, destination=here, home=away)
