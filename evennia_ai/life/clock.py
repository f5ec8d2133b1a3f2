"""The clock by which NPCs have a day: the default behind GAME_CLOCK, and another."""

from __future__ import annotations

from django.utils.timezone import get_default_timezone
from evennia.utils import gametime

from evennia_ai import scheduling

DAY = 86_400


def game_clock() -> tuple[int, float, float]:
    """Return the day, the seconds into it and its length by the game's own time."""
    day, seconds = divmod(gametime.gametime(absolute=True), DAY)
    return int(day), float(seconds), float(DAY)


def server_clock() -> tuple[int, float, float]:
    """Return the same by the machine's time, in the time zone of the server."""
    moment = scheduling.now().astimezone(get_default_timezone())
    seconds = moment.hour * 3600 + moment.minute * 60 + moment.second
    return moment.toordinal(), float(seconds), float(DAY)


# Real seconds; those of a clock that does not say it run as fast as Evennia's game time.
server_clock.day_takes = DAY  # type: ignore[attr-defined]
