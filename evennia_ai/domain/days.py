"""The day of an NPC as its builder wrote it: what it does from which hour on, and where.

A line is written so: "13:00 market: buys eels [unless raining]", "22:00 bedroom [sleep]". Times are
seconds into a day of the game's clock, which need not have 24 hours.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

HOUR = 3600
# Seconds of the units in which a builder writes how long something takes: "10m".
UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
# Characters of one line, and lines of one day.
LENGTH, SLOTS = 300, 48
KEYS = ("at", "place", "doing", "sleep", "if", "unless")

_LINE = re.compile(
    r"(?P<hour>\d{1,2}):(?P<minute>[0-5]\d)(?!\d)\s*(?P<place>[^:\[\]]*)(?::(?P<doing>[^\[\]]*))?"
    r"(?P<marks>(?:\[[^\[\]]*\]\s*)*)"
)
_MARK = re.compile(r"\[\s*(sleep|if|unless)\b\s*([^\[\]]*?)\s*\]")


class Slot(NamedTuple):
    """What an NPC does from a time of day on; `line` is how it is written, `zone` where it lives."""

    at: int
    place: str
    doing: str
    sleeps: bool
    only_if: str
    unless: str
    line: str
    zone: str = ""

    @property
    def hour(self) -> str:
        """From when on, as people say it: "13:00"."""
        return f"{self.at // HOUR:02}:{self.at % HOUR // 60:02}"

    @property
    def is_conditional(self) -> bool:
        """Whether it depends on something."""
        return bool(self.only_if or self.unless)

    @property
    def number(self) -> int:
        """By which it is known without its words."""
        return zlib.crc32(self.line.encode())


class Begun(NamedTuple):
    """A part of the day, and on which day it began."""

    day: int
    slot: Slot


def read(lines: Iterable[str]) -> tuple[Slot, ...]:
    """Return a day by its lines, in the order of their times.

    Raises:
        ValueError: A line says nothing, or two begin at one time.
    """
    # Of what begins at one time the last that is so is done: what depends on nothing comes first.
    slots = sorted(map(read_line, lines), key=lambda slot: (slot.at, slot.is_conditional))
    if len(slots) > SLOTS:
        raise ValueError(f"a routine has {len(slots)} lines; {SLOTS} are allowed.")
    for one, other in zip(slots, slots[1:], strict=False):
        # What depends on something may stand beside what is done else.
        if one.at == other.at and not other.is_conditional:
            raise ValueError(f"two lines begin at {one.hour}.")
    return tuple(slots)


def readable(lines: Iterable[str]) -> tuple[tuple[Slot, ...], tuple[str, ...]]:
    """Return the day that the readable ones of some lines make, and what is wrong with each other."""
    found: list[str] = []
    wrong: list[str] = []
    for line in lines:
        try:
            read([*found, line])
        except ValueError as error:
            wrong.append(str(error))
        else:
            found.append(line)
    return read(found), tuple(wrong)


def read_line(line: str) -> Slot:
    """Return one part of a day.

    Raises:
        ValueError: It is not written as it should be; the text says how.
    """
    plain = " ".join(line.split())
    if len(plain) > LENGTH:
        raise ValueError(f"it has {len(plain)} characters; {LENGTH} are allowed.")
    match = _LINE.fullmatch(plain)
    marks = match["marks"].strip() if match else ""
    if not match or _MARK.sub("", marks).strip():
        raise ValueError(
            f'{plain[:60]!r} is written otherwise than "13:00 market: buys eels [unless raining]".'
        )
    known = dict(_MARK.findall(marks))
    slot = Slot(
        at=int(match["hour"]) * HOUR + int(match["minute"]) * 60,
        place=match["place"].strip(),
        doing=(match["doing"] or "").strip(" ."),
        sleeps="sleep" in known,
        only_if=known.get("if", ""),
        unless=known.get("unless", ""),
        line=plain,
    )
    if any(mark in known and not known[mark] for mark in ("if", "unless")):
        raise ValueError(f"{plain[:60]!r} has a condition that says nothing.")
    if not (slot.place or slot.doing or slot.sleeps):
        raise ValueError(f"at {slot.hour} it is nowhere and does nothing.")
    return slot


def written(given: Mapping[object, object] | str) -> str:
    """Return the line for what stands in a file: {"at": "13:00", "place": …}.

    Raises:
        ValueError: A key is unknown, or has a value that is none.
    """
    if isinstance(given, str):
        return read_line(given).line
    given = keyed(given, KEYS, such_as='at: "13:00" and place')
    sleeps = given.get("sleep", False)
    if not isinstance(sleeps, bool):
        raise ValueError("sleep is true or false.")
    marks = ["[sleep]"] if sleeps else []
    marks += [f"[{key} {_text(given, key)}]" for key in ("if", "unless") if given.get(key)]
    doing = _text(given, "doing")
    parts = [
        time_of_day(given.get("at")),
        _text(given, "place") + (f": {doing}" if doing else ""),
        *marks,
    ]
    return read_line(" ".join(filter(None, parts))).line


def keyed(given: object, keys: Sequence[str], *, such_as: str) -> dict[str, object]:
    """Return what stands in an item of a file under each of its keys.

    Raises:
        ValueError: It has none, or one that is unknown.
    """
    if not isinstance(given, Mapping):
        raise ValueError(f"it has keys such as {such_as}.")
    # To YAML, `on` without quotation marks is true.
    found = {"on" if key is True else str(key): value for key, value in given.items()}
    for key in found:
        if key not in keys:
            raise ValueError(f"there is no {key[:40]!r}; there is {', '.join(keys)}.")
    return found


def starts(slots: Sequence[Slot], *, whose: int, length: float, jitter: float) -> list[float]:
    """Return when the parts of somebody's day begin: up to `jitter` later than written.

    It is always as much later for the same NPC and part, and never into the part that follows.
    """
    found: list[float] = []
    for place, slot in enumerate(slots):
        after = slots[place + 1].at if place + 1 < len(slots) else length
        room = max(0.0, min(jitter, (after - slot.at) / 2))
        found.append(slot.at + room * _share(whose, slot.at))
    return found


@lru_cache(maxsize=10_000)
def _share(whose: int, at: int) -> float:
    return zlib.crc32(f"{whose} {at}".encode()) / 2**32


def present(
    slots: Sequence[Slot],
    begins: Sequence[float],
    *,
    day: int,
    seconds: float,
    holds: Callable[[Slot], bool],
) -> Begun | None:
    """Return what is done now: the last that has begun, today or the day before, and is so."""
    today = [one for one, begin in zip(slots, begins, strict=True) if begin <= seconds]
    before = [one for one, begin in zip(slots, begins, strict=True) if begin > seconds]
    for passed, part in enumerate((today, before)):
        for slot in reversed(part):
            if holds(slot):
                return Begun(day - passed, slot)
    return None


def following(slots: Sequence[Slot], now: Slot, holds: Callable[[Slot], bool]) -> Slot | None:
    """Return what comes next somewhere else; None if nothing does."""
    at = slots.index(now)
    rest = (*slots[at + 1 :], *slots[:at])
    return next((slot for slot in rest if slot.place not in ("", now.place) and holds(slot)), None)


def time_of_day(given: object) -> str:
    """Return a time of day as it stands in a line, for what stands in a file.

    Raises:
        ValueError: It is none.
    """
    # YAML reads 13:00 without quotation marks as a number of minutes, and true as a number, too.
    if isinstance(given, int) and not isinstance(given, bool) and 0 <= given < 100 * 60:
        return f"{given // 60:02}:{given % 60:02}"
    if not isinstance(given, str) or not given.strip():
        raise ValueError('at is a time of day, such as "13:00".')
    return given.strip()


def _text(given: Mapping[str, object], key: str) -> str:
    value = given.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ValueError(f"{key}: {str(value)[:40]!r} is no text; put quotes around it.")
    plain = " ".join(value.split())
    if any(mark in plain for mark in "[]") or (key == "place" and ":" in plain):
        raise ValueError(f"{key} has no brackets, and a place no colon.")
    return plain
