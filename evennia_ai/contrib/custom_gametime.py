"""The clock of a game with a calendar of its own, by Evennia's `contrib.base_systems.custom_gametime`.

In the settings:

    EVENNIA_AI["GAME_CLOCK"] = "evennia_ai.contrib.custom_gametime.game_clock"

"13:30" in a routine is half past the calendar's hour 13, however long its days and hours are.
"""

from __future__ import annotations

from evennia.contrib.base_systems.custom_gametime import UNITS
from evennia.utils import gametime

# Seconds of an hour as routines count them.
HOUR = 3600


def game_clock() -> tuple[int, float, float]:
    """Return the day, the seconds into it and its length, by TIME_UNITS."""
    length, hour = UNITS["day"], UNITS.get("hour") or UNITS["hr"]
    day, seconds = divmod(gametime.gametime(absolute=True), length)
    return int(day), seconds * HOUR / hour, length * HOUR / hour


# Calendars of this kind have no date that we know.
game_clock.date = None
game_clock.day_takes = UNITS["day"] / gametime.TIMEFACTOR
