"""The sleep schedule by the clock, and what is urgent enough to wake a mind."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import date, datetime, time, timedelta, timezone
from typing import Any, Mapping

from evennia_ai.core.records import PRIVATE, Event

# An event of this priority (0–10), or more, wakes a light sleeper.
URGENT_PRIORITY = 8

# The day on which the clocks go forward has 23 hours: a longer sleep would run into the next.
MAX_HOURS = 23
CLOCKS = ("server", "game")


@dataclass(frozen=True)
class Schedule:
    """When and how a mind sleeps; as it stands here, it has no hours of its own."""

    enabled: bool = False
    sleep_start_hour: int = 2
    sleep_duration_hours: float = 4
    tick_rate_sleep: int = 60
    min_awake_ticks: int = 10
    clock: str = "server"


_NAMES = tuple(field.name for field in fields(Schedule))


def read_schedule(given: Mapping[str, Any]) -> Schedule:
    """Return a schedule that is stored as a dict; what it leaves out is as in `Schedule`.

    Raises:
        ValueError: A value makes no sense; the first such value, in one sentence.
    """
    if not isinstance(given, Mapping):
        raise ValueError(f"a schedule is a dict, not {given!r}.")
    known = {name: given[name] for name in _NAMES if name in given}
    plan = Schedule(**known)
    _check(plan.enabled in (True, False), "enabled", plan.enabled, "True or False")
    hour = plan.sleep_start_hour
    _check(_is_number(hour) and hour in range(24), "sleep_start_hour", hour, "0 to 23")
    hours = plan.sleep_duration_hours
    fits = _is_number(hours) and 0 < hours <= MAX_HOURS
    _check(fits, "sleep_duration_hours", hours, f"more than 0 and at most {MAX_HOURS}")
    rate = plan.tick_rate_sleep
    _check(_is_number(rate) and 1 <= rate <= 86_400, "tick_rate_sleep", rate, "1 to 86400 seconds")
    ticks = plan.min_awake_ticks
    _check(_is_number(ticks) and ticks >= 0, "min_awake_ticks", ticks, "0 or more")
    _check(plan.clock in CLOCKS, "clock", plan.clock, " or ".join(CLOCKS))
    return plan


def window_at(moment: datetime, plan: Schedule) -> tuple[datetime, datetime] | None:
    """Return begin and end of the sleep that a moment lies in, in UTC, or None.

    `moment` is aware and in the time zone of the clock. A sleep begins when that clock first shows
    the hour, or first passes it where it jumps over it, and lasts so many hours of real time:
    daylight saving neither doubles a sleep nor skips one.
    """
    now = moment.astimezone(timezone.utc)
    for day in (moment.date(), moment.date() - timedelta(days=1)):
        begin = _first_instant(day, int(plan.sleep_start_hour), moment.tzinfo)
        end = begin + timedelta(hours=plan.sleep_duration_hours)
        if begin <= now < end:
            return begin, end
    return None


def is_urgent(event: Event) -> bool:
    """Return whether an event wakes a light sleeper."""
    return event.kind in PRIVATE or event.urgent or event.priority >= URGENT_PRIORITY


def _first_instant(day: date, hour: int, zone: Any) -> datetime:
    # Of an hour that comes twice this is the first; one that is left out counts by the clock of
    # before the jump, which is the moment of the jump.
    return datetime.combine(day, time(hour), tzinfo=zone).astimezone(timezone.utc)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value == value


def _check(fits: Any, name: str, value: Any, expected: str) -> None:
    if not fits:
        raise ValueError(f"{name} is {value!r}; it must be {expected}.")
