"""Inside the Server: the scene of the benchmark with a real model, built by what every game may use."""

from evennia.objects.models import ObjectDB
from evennia.objects.objects import DefaultExit, DefaultObject, DefaultRoom
from evennia.utils.create import create_object

from evennia_ai import api

# Evennia makes this room itself and puts everybody there who is new.
LIMBO = 2
HERE = "A low room with a fire, a long table and a counter. A door leads north to the yard."
THERE = "Cobbles, puddles and an old well. The door to the south leads back into the warmth."
PERSONA = ("description", "background", "manner")


def build(npcs):
    """Build two rooms that exits join, and NPCs with minds in the first."""
    here = ObjectDB.objects.get(id=LIMBO)
    here.key, here.db.desc = "The Common Room", HERE
    there = create_object(DefaultRoom, key="The Yard")
    there.db.desc = THERE
    for key, start, end in (("north", here, there), ("south", there, here)):
        create_object(DefaultExit, key=key, location=start, destination=end, home=start)
    for one in npcs:
        npc = create_object(api.AssistantCharacter, key=one["name"], location=here, home=here)
        npc.db.desc = one["description"]
        api.save_persona(npc, {key: one[key] for key in PERSONA if one.get(key)})
        api.save_lore(npc, one.get("lore") or [])
        api.attach(npc)


def hand_out(holds):
    """Put things into the hands of players who have come in."""
    for player, things in holds.items():
        [body] = ObjectDB.objects.filter(db_key=player)
        for thing in things:
            create_object(DefaultObject, key=thing, location=body, home=body)
