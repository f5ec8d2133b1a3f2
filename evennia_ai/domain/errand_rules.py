"""The errands that a builder allows an NPC.

Lines are written so: "things: letter, parcel", "to: Bertil, Cid", "if: perm(Player)", "a_day: 2",
"not_during: sleep, kneads dough".
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from evennia_ai.domain import days
from evennia_ai.domain.days import Slot

KEYS = ("things", "to", "if", "a_day", "not_during")
# The tag of what the journal keeps of an errand or a plan of its own.
TAG = "errand"
NEEDED = ("things", "to")
# Characters of one line, and names in it.
LENGTH, NAMES = 500, 40
# How many for one player and day a builder may allow.
MOST = 100
# What stands for the hours in which it sleeps.
SLEEP = "sleep"

_LINE = re.compile(r"(\w+)\s*:\s*(.*)")


class Errands(NamedTuple):
    """What an NPC carries, to whom, for those who pass a lock, how often a day (0: as often as all do), and when not."""

    things: tuple[str, ...] = ()
    to: tuple[str, ...] = ()
    only_if: str = ""
    a_day: int = 0
    not_during: tuple[str, ...] = ()

    def is_during(self, slot: Slot | None) -> bool:
        """Return whether a part of its day is one in which it does them."""
        if slot is None:
            return True
        kept_free = {one.casefold() for one in self.not_during}
        if slot.sleeps and SLEEP in kept_free:
            return False
        return slot.doing.casefold() not in kept_free


NONE = Errands()


def read(lines: Iterable[str]) -> Errands:
    """Return what some lines say; NONE for no lines.

    Raises:
        ValueError: A line is not written as it should be, or one is missing; the text says how.
    """
    found: dict[str, str] = {}
    for line in lines:
        key, value = read_line(line)
        if key in found:
            raise ValueError(f"there are two lines {key}.")
        found[key] = value
    if not found:
        return NONE
    for key in NEEDED:
        if key not in found:
            raise ValueError(f"there is no line {key}: what is carried, and to whom, is listed.")
    return Errands(
        things=_names(found["things"]),
        to=_names(found["to"]),
        only_if=found.get("if", ""),
        a_day=int(found.get("a_day", "0")),
        not_during=_names(found.get("not_during", "")),
    )


def read_line(line: str) -> tuple[str, str]:
    """Return key and value of a line.

    Raises:
        ValueError: It is not written as it should be; the text says how.
    """
    plain = " ".join(line.split())
    match = _LINE.fullmatch(plain) if len(plain) <= LENGTH else None
    if match is None or not match[2] or match[1] not in KEYS:
        raise ValueError(
            f'{plain[:60]!r} is written otherwise than "things: letter, parcel"; '
            f"there is {', '.join(KEYS)}."
        )
    key, value = match[1], match[2]
    if key == "a_day" and not (value.isdecimal() and 1 <= int(value) <= MOST):
        raise ValueError(f"a_day is a number from 1 to {MOST}.")
    if key not in ("if", "a_day") and len(_names(value)) > NAMES:
        raise ValueError(f"{key} lists at most {NAMES}.")
    return key, value


def written(given: object) -> list[str]:
    """Return the lines for what stands in a file: {"things": ["letter"], "to": ["Bertil"]}.

    Raises:
        ValueError: A key is unknown, or has a value that is none.
    """
    if given is None:
        return []
    keyed = days.keyed(given, KEYS, such_as="things and to")
    lines = [f"{key}: {_text(key, value)}" for key, value in keyed.items()]
    read(lines)
    return lines


def _text(key: str, value: object) -> str:
    """Return the value of a key as it stands in a line."""
    if key == "a_day" and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str) and value.strip():
        return " ".join(value.split())
    if key in ("if", "a_day") or not isinstance(value, list) or not value:
        raise ValueError(f"{key}: {str(value)[:40]!r} is not what belongs there.")
    if not all(isinstance(one, str) and one.strip() and "," not in one for one in value):
        raise ValueError(f"{key} lists names; put quotes around each.")
    return ", ".join(" ".join(one.split()) for one in value)


def _names(value: str) -> tuple[str, ...]:
    return tuple(filter(None, (one.strip() for one in value.split(","))))
