"""The time of day in words is that of the game's own clock."""

from evennia_ai.testing import AITestCase
from evennia_ai.tools import world


def late():
    """Return three quarters of a day that has 1,000 seconds."""
    return 3, 750.0, 1000.0


class TimeInWordsTests(AITestCase):
    def test_the_time_is_told_by_the_clock_of_the_game_whatever_its_day_lasts(self):
        with self.settings(EVENNIA_AI={"GAME_CLOCK": "tests.tools.test_time_in_words.late"}):
            self.assertEqual(world.time_in_words(), "evening, 18:00")
