"""Inside the Server: what it costs to be there, and to have a day."""

import random
import resource

from evennia.objects.objects import DefaultExit, DefaultRoom
from evennia.utils.create import create_object
from twisted.internet import reactor
from twisted.internet.task import cooperate, deferLater

from evennia_ai.life import day
from evennia_ai.memory import persona, routine
from evennia_ai.typeclasses.characters import AssistantCharacter
from tests.benchmarks.inside_watch import Watch
from tests.benchmarks.inside_world import DESCRIPTION

# Rooms of a village, which stand in a ring.
VILLAGE = 10
PARTS, MINUTES, LOCKED = 4, 24 * 60, 0.2


def cpu_share(seconds):
    """Return the share of one core that this process uses in the next `seconds`."""
    before = _cpu_seconds()
    return deferLater(reactor, seconds, lambda: round((_cpu_seconds() - before) / seconds, 5))


def late(seconds):
    """Return by how much calls of the reactor come too late, and how long its thread works in one go, at most."""
    watch = Watch()
    return deferLater(reactor, seconds, _stop, watch)


def _stop(watch):
    late = sorted(watch.stop())
    return {
        "gap_ms": late[-1],
        "gap_p99_ms": late[len(late) * 99 // 100],
        "held_ms": round(max(watch.worked) * 1000, 2),
    }


def give_days(seed):
    """Join the rooms to villages, and give each NPC a day in its own; of one in five a part hangs on a lock."""
    steps = _give_days(random.Random(seed))
    return cooperate(None for _ in steps).whenDone().addCallback(lambda _: None)


def where():
    """Return in which room each NPC is."""
    return {str(npc.id): npc.location.id for npc in AssistantCharacter.objects.all_family()}


def kept():
    """Return the share of NPCs that are where their day wants them."""
    found = [
        day.is_there(npc, now.slot)
        for npc in AssistantCharacter.objects.all_family()
        if (now := routine.present(npc)) is not None
    ]
    return sum(found) / len(found)


def _give_days(chance):
    rooms = sorted(DefaultRoom.objects.filter(db_key__startswith="Room "), key=lambda room: room.id)
    villages = [rooms[at : at + VILLAGE] for at in range(0, len(rooms), VILLAGE)]
    for village in villages:
        for here, there in zip(village, [*village[1:], village[0]], strict=True):
            create_object(DefaultExit, key="on", location=here, destination=there)
            create_object(DefaultExit, key="back", location=there, destination=here)
            yield
        for npc in [one for room in village for one in room.contents if not one.destination]:
            persona.save_persona(
                npc, {"description": DESCRIPTION, "routine": _day(village, chance)}
            )
            yield


def _day(village, chance):
    lines = []
    for minute in sorted(chance.sample(range(MINUTES), PARTS)):
        place = chance.choice(village).key
        lines.append(f"{minute // 60:02}:{minute % 60:02} {place}: looks after things")
    if chance.random() < LOCKED:
        lines[-1] += " [unless tag(ill)]"
    return lines


def _cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
