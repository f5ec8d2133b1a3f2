"""The clock by which NPCs have a day: the default behind GAME_CLOCK, and another."""

from __future__ import annotations

from datetime import date, datetime, timezone

from django.conf import settings
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


def game_date() -> date | None:
    """Return the date of the game's own time, None where that begins nowhere."""
    if settings.TIME_GAME_EPOCH is None:
        return None
    return datetime.fromtimestamp(gametime.gametime(absolute=True), tz=timezone.utc).date()


def server_date() -> date:
    """Return the machine's date, in the time zone of the server."""
    return scheduling.now().astimezone(get_default_timezone()).date()


game_clock.date = game_date  # type: ignore[attr-defined]
server_clock.date = server_date  # type: ignore[attr-defined]
# Real seconds; those of a clock that does not say it run as fast as Evennia's game time.
server_clock.day_takes = DAY  # type: ignore[attr-defined]
