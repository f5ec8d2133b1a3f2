"""Plans of goals: their steps as a builder or a model writes them.

A plan is written so: "Fetch flour: go Mill > take flour > go Inn > give flour to Bob > tell Bob: Here it is."
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from evennia_ai.domain import days
from evennia_ai.domain.model_text.quotation import quote

# Characters of a plan and of its title, and steps in it.
LENGTH, TITLE, STEPS = 500, 120, 12
KEYS = ("goal", "steps")
BETWEEN = ">"
# How long something may be waited for.
LONGEST = 7 * 86_400.0

_THE = r"(?:the )?"
_FORMS = {
    # A room may be called "The Yard".
    "go": re.compile(r"go (?:to )?(?P<place>.+)", re.I),
    "take": re.compile(rf"take {_THE}(?P<thing>.+)", re.I),
    "give": re.compile(rf"give {_THE}(?P<thing>.+?) to (?P<person>.+)", re.I),
    "tell": re.compile(r"tell (?P<person>[^:]+): (?P<words>.+)", re.I),
    "ask": re.compile(r"ask (?P<person>[^:]+): (?P<words>.+)", re.I),
    "wait": re.compile(r"wait (?P<number>\d{1,6}) ?(?P<unit>[smhd])", re.I),
}
WRITTEN_SO = "go <place>, take <thing>, give <thing> to <person>, tell <person>: <words>, ask <person>: <words>, wait 10m"


class Planned(NamedTuple):
    """One step as it is written: what is done, with which thing, to whom, where, in which words, for how long."""

    act: str
    thing: str = ""
    person: str = ""
    place: str = ""
    words: str = ""
    seconds: float = 0.0


class Plan(NamedTuple):
    """A goal and the steps to it."""

    title: str
    steps: tuple[Planned, ...]


def read_line(line: str) -> Plan:
    """Return what a line says.

    Raises:
        ValueError: It is not written as it should be; the text says how.
    """
    plain = " ".join(line.split())
    title, colon, steps = plain.partition(":")
    if len(plain) > LENGTH or not colon or not title.strip() or BETWEEN in title:
        raise ValueError(
            f'{plain[:60]!r} is written otherwise than "Fetch flour: go Mill > take flour".'
        )
    if len(title) > TITLE:
        raise ValueError(f"the title of a goal has at most {TITLE} characters.")
    return Plan(title.strip(), read_steps(steps.split(BETWEEN)))


def read_steps(steps: Iterable[str]) -> tuple[Planned, ...]:
    """Return what steps say.

    Raises:
        ValueError: One is not written as it should be, or there are none, or too many; the text says which.
    """
    found = tuple(map(read_step, steps))
    if not 0 < len(found) <= STEPS:
        raise ValueError(f"there are 1 to {STEPS} steps.")
    return found


def read_step(step: str) -> Planned:
    """Return what one step says.

    Raises:
        ValueError: It is not written as it should be.
    """
    plain = " ".join(step.split())
    for act, form in _FORMS.items():
        match = form.fullmatch(plain)
        if match is None:
            continue
        said = {key: value.strip() for key, value in match.groupdict().items()}
        if act != "wait":
            return Planned(act, **said)
        seconds = int(said["number"]) * days.UNITS[said["unit"].lower()]
        if seconds > LONGEST:
            raise ValueError(f"{quote(plain)}: at most a week is waited.")
        return Planned(act, seconds=seconds)
    raise ValueError(f"{quote(plain, max_length=60)} is no step; there is {WRITTEN_SO}.")


def places(place: str) -> tuple[str, ...]:
    """Return what a place may be called: "the yard" is The Yard, or Yard."""
    return tuple(dict.fromkeys((place, re.sub(rf"\A{_THE}", "", place, flags=re.I))))


def written(given: object) -> str:
    """Return the line for what stands in a file: {"goal": "Fetch flour", "steps": ["go Mill", "take flour"]}.

    Raises:
        ValueError: A key is unknown, or has a value that is none.
    """
    if isinstance(given, str):
        read_line(given)
        return " ".join(given.split())
    if not isinstance(given, Mapping):
        raise ValueError("an item has the keys goal and steps.")
    for key in given:
        if key not in KEYS:
            raise ValueError(f"there is no {str(key)[:40]!r}; there is {', '.join(KEYS)}.")
    title, steps = given.get("goal"), given.get("steps")
    if not isinstance(title, str) or ":" in title:
        raise ValueError("goal is what it wants to achieve, without a colon.")
    if not isinstance(steps, list) or not all(isinstance(one, str) for one in steps):
        raise ValueError("steps lists what it does; put quotes around each.")
    if any(BETWEEN in one for one in steps):
        raise ValueError(f"no step has a {BETWEEN!r}.")
    line = f"{title}: {f' {BETWEEN} '.join(steps)}"
    read_line(line)
    return " ".join(line.split())
