"""Inside a Server without us: as many characters as a town has minds, one of which changes each second."""

import itertools
import sys

from django.db import Error as DatabaseError
from evennia.objects.models import ObjectDB
from evennia.objects.objects import DefaultCharacter, DefaultRoom
from evennia.scripts.tickerhandler import TICKER_HANDLER
from evennia.utils.create import create_object

from tests.benchmarks.inside_watch import Watch

_watches: list[Watch] = []
_turns = itertools.count()


def build(count):
    """Build characters, and let one after the other be written each second."""
    room = create_object(DefaultRoom, key="Room")
    for number in range(count):
        create_object(DefaultCharacter, key=f"Npc{number}", location=room, home=room)
    TICKER_HANDLER.add(1, change_one, "plain", True)


def change_one():
    """Write an Attribute of the next character, as what heals or grows does."""
    npcs = ObjectDB.objects.filter(db_key__startswith="Npc").order_by("id")
    npc = npcs[next(_turns) % npcs.count()]
    npc.db.health = (npc.db.health or 0) + 1


def begin():
    """Measure from now on."""
    _watches.append(Watch())


def end():
    """Return how late calls of the reactor came, and whether the database still answers to Evennia."""
    assert "evennia_ai" not in sys.modules
    late = _watches.pop().stop()
    try:
        ObjectDB.objects.count()
    except DatabaseError:
        return late, False
    return late, True
