"""An NPC lives its day by a calendar of Evennia's `contrib.base_systems.custom_gametime`."""

from unittest import mock

from evennia.contrib.base_systems import custom_gametime
from evennia.contrib.base_systems.custom_gametime import UNITS
from evennia.utils import gametime

from evennia_ai.memory import routine
from tests.life.cases import DayTestCase

# Ten hours of a hundred minutes, of a minute of ours each.
OURS = {"sec": 1, "min": 60, "hour": 6000, "day": 60_000, "year": 6_000_000}


class CalendarTests(DayTestCase):
    routine = ("02:00 inn: kneads dough", "05:30 market: buys eels", "09:00 inn [sleep]")

    def setUp(self):
        super().setUp()
        self.configure(GAME_CLOCK="evennia_ai.contrib.custom_gametime.game_clock")
        self.patch(routine, "JITTER", 0)
        self.counts_by(OURS)
        self.patch(gametime, "gametime", lambda absolute=False: self.moment)

    moment = 0

    def counts_by(self, units):
        """Let the calendar have these units, as TIME_UNITS says."""
        changed = mock.patch.dict(UNITS, units, clear=True)
        changed.start()
        self.addCleanup(changed.stop)

    def its(self, hour, minute, *, day=41):
        """Set the clock of the game, by the calendar."""
        self.moment = day * 60_000 + hour * 6000 + minute * 60
        *_, shown_day, shown_hour, shown_minute, _ = custom_gametime.custom_gametime(absolute=True)
        self.assertEqual((shown_day, shown_hour, shown_minute), (day, hour, minute))

    def test_she_walks_her_day_by_the_hours_of_the_calendar(self):
        self.its(5, 49)
        self.assertEqual(self.ticks(3), ["Inn", "Inn", "Inn"])
        self.its(5, 51)
        self.assertEqual(self.ticks(3), ["Lane", "Square", "Market"])
        self.its(1, 99, day=42)
        self.assertEqual(self.ticks(3), ["Square", "Lane", "Inn"])
        self.assertEqual(routine.now(), (42, 7164.0, 36_000.0))

    def test_what_the_calendar_has_no_hour_for_is_named(self):
        self.its(0, 0)
        self.assertEqual(routine.problem("09:59 inn"), "")
        self.assertEqual(routine.problem("10:00 inn"), "a day of this game has no 10:00.")

    def test_the_contribs_own_units_are_those_of_ours(self):
        self.counts_by({"sec": 1, "min": 60, "hr": 3600, "day": 86_400})
        self.moment = 3 * 86_400 + 13 * 3600
        self.assertEqual(routine.now(), (3, 46_800.0, 86_400.0))
