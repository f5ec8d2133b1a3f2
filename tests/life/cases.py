"""What tests of days share: a street of rooms, and a game's clock that is set by hand."""

import itertools

from evennia.objects.objects import DefaultExit, DefaultRoom
from evennia.utils.create import create_object

from evennia_ai import tick
from evennia_ai.memory import persona, routine
from evennia_ai.memory.state import assistant
from evennia_ai.typeclasses import scripts
from tests.agent.cases import MindTestCase

HOUR = 3600


class Hands:
    """The clock of the game: the day, and the seconds into it."""

    day, seconds, length = 100, 0.0, 24.0 * HOUR


def clock():
    """What GAME_CLOCK is in these tests."""
    return Hands.day, Hands.seconds, Hands.length


class DayTestCase(MindTestCase):
    """Mara lives in a row of rooms: inn (room1), lane, square, market, joined both ways."""

    routine = ("06:00 inn: kneads dough", "13:00 market: buys eels", "22:00 inn [sleep]")

    def setUp(self):
        super().setUp()
        self.configure(GAME_CLOCK="tests.life.cases.clock")
        self.patch(routine, "JITTER", 0)
        street = [self.inn, self.lane, self.square, self.market]
        self.ways = {way.key: way for room in street for way in room.exits if way != self.exit}
        self.gives(self.mara, *self.routine)
        self.at(6)

    def create_cast(self):
        super().create_cast()
        self.inn = self.room1
        self.inn.key = "Inn"
        self.lane, self.square, self.market = map(self.make_room, ("Lane", "Square", "Market"))
        self.ways = {}
        street = [self.inn, self.lane, self.square, self.market]
        for here, there in itertools.pairwise(street):
            self.join(here, there)
            self.join(there, here)

    def make_room(self, name):
        return create_object(DefaultRoom, key=name)

    def join(self, here, there, typeclass=DefaultExit):
        name = f"{here.key}-{there.key}"
        way = create_object(typeclass, key=name, location=here, destination=there)
        self.ways[name] = way
        return way

    def gives(self, npc, *lines, **fields):
        """Write the day of an NPC."""
        persona.save_persona(npc, {"description": "A baker.", "routine": list(lines), **fields})

    def at(self, hour, *, day=100):
        """Set the clock of the game."""
        Hands.day, Hands.seconds, Hands.length = day, hour * HOUR, 24.0 * HOUR

    def ticks(self, count=1, *, npc=None, seconds=5):
        """Let ticks of an NPC pass; return the names of the rooms in which it was after each."""
        npc = npc or self.mara
        script = scripts.find(npc)
        been = []
        for _ in range(count):
            tick.run_tick(script)
            self.wait(seconds)
            been.append(npc.location.key)
        return been

    def state(self):
        return assistant.round_of(self.script_of_mara).state
