"""The time of day in words is that of the game's own clock."""

from datetime import date

from django.test import override_settings
from evennia.utils import gametime

from evennia_ai.memory import routine
from evennia_ai.testing import AITestCase
from evennia_ai.tools import world


def late():
    """Return three quarters of a day that has 1,000 seconds."""
    return 3, 750.0, 1000.0


late.date = lambda: "Moonday, 3 Frost"


def broken():
    """Return midnight; its date fails."""
    return 0, 0.0, 1000.0


broken.date = lambda: 1 // 0


class TimeInWordsTests(AITestCase):
    def test_the_time_is_told_by_the_clock_of_the_game_whatever_its_day_lasts(self):
        with self.settings(EVENNIA_AI={"GAME_CLOCK": "tests.tools.test_time_in_words.late"}):
            self.assertEqual(world.time_in_words(), "evening, 18:00")

    def test_the_date_is_that_of_the_games_calendar_if_it_has_one(self):
        self.patch(gametime, "gametime", lambda absolute: 1_900_087_200)
        for epoch, told in ((None, ""), (0, date(2030, 3, 18))):
            with self.subTest(epoch=epoch), override_settings(TIME_GAME_EPOCH=epoch):
                self.assertEqual(routine.date(), told)

    def test_a_game_tells_the_day_in_words_of_its_own(self):
        with self.settings(EVENNIA_AI={"GAME_CLOCK": "tests.tools.test_time_in_words.late"}):
            self.assertEqual(routine.date(), "Moonday, 3 Frost")

    def test_a_calendar_that_fails_tells_no_date(self):
        with self.settings(EVENNIA_AI={"GAME_CLOCK": "tests.tools.test_time_in_words.broken"}):
            self.assertEqual(routine.date(), "")
        self.flushLoggedErrors(ZeroDivisionError)
