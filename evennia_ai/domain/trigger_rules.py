"""Triggers of an NPC: what it does at an event of the game, as its builder wrote it.

A line is written so: "bell_rung [if tag(thief)] [every 10m]: say Stop, thief!".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from evennia_ai.domain import days

KEYS = ("on", "at", "if", "every", "do")
# What is done: words are said, a deed is shown, or the mind finds words for it; what the others do nobody sees:
# it thinks something of whoever caused it, notes it, or sets out to do it.
DEEDS = ("say", "emote", "occasion", "thought", "memory", "goal")
INNER = ("thought", "memory", "goal")
# What no event tells, but the clock of the game: a time of day, and each full hour.
TIME, FULL_HOUR = "time", "hour"
BY_CLOCK = (TIME, FULL_HOUR)
NAME = "{name}"
MARKS = ("at", "if", "every")
# Characters of one line.
LENGTH = 500

_LINE = re.compile(
    r"(?P<on>\w+)\s*(?P<marks>(?:\[[^\[\]]*\]\s*)*):\s*(?P<deed>\w+)\s+(?P<words>[^\[\]]+)"
)
_MARK = re.compile(r"\[\s*(if|every|at)\s+([^\[\]]*?)\s*\]")
_HOUR = re.compile(r"(?P<hour>\d{1,2}):(?P<minute>[0-5]\d)")
_TIME = re.compile(r"(\d{1,6})\s*([smhd])")


class Trigger(NamedTuple):
    """At which event what is done, if whoever caused it passes a lock, and after how many seconds again.

    `at` is the second of the game's day for "time", else 0.
    """

    on: str
    deed: str
    words: str
    only_if: str
    every: float
    line: str
    at: int = 0

    @property
    def is_inner(self) -> bool:
        """Whether nobody sees what is done."""
        return self.deed in INNER


def readable(lines: Iterable[str]) -> tuple[tuple[Trigger, ...], tuple[str, ...]]:
    """Return what the readable ones of some lines say, and what is wrong with each other."""
    found: list[Trigger] = []
    wrong: list[str] = []
    for line in lines:
        try:
            found.append(read_line(line))
        except ValueError as error:
            wrong.append(str(error))
    return tuple(found), tuple(wrong)


def read_line(line: str) -> Trigger:
    """Return what a line says.

    Raises:
        ValueError: It is not written as it should be; the text says how.
    """
    plain = " ".join(line.split())
    match = _LINE.fullmatch(plain) if len(plain) <= LENGTH else None
    if match is None or _MARK.sub("", match["marks"]).strip():
        raise ValueError(
            f'{plain[:60]!r} is written otherwise than "bell_rung [if tag(thief)] [every 10m]: say Stop!".'
        )
    if match["deed"] not in DEEDS:
        raise ValueError(f"{match['deed']!r} cannot be done; there is {', '.join(DEEDS)}.")
    marks = dict(_MARK.findall(match["marks"]))
    time = _TIME.fullmatch(marks.get("every", "60s"))
    if time is None:
        raise ValueError(f"every {marks['every']!r} is no time, such as 10m.")
    every = int(time[1]) * days.UNITS[time[2]]
    found = Trigger(
        on=match["on"],
        deed=match["deed"],
        words=match["words"].strip(),
        only_if=marks.get("if", ""),
        every=every,
        line=plain,
        at=_second(marks["at"]) if "at" in marks else 0,
    )
    if wrong := _why_senseless(found, has_time="at" in marks):
        raise ValueError(wrong)
    return found


def _why_senseless(trigger: Trigger, *, has_time: bool) -> str:
    """Return why what a line says can never be done, "" if it can."""
    if (trigger.on == TIME) != has_time:
        return "time has an [at 13:00], and nothing else has one."
    if trigger.on in BY_CLOCK:
        if trigger.only_if:
            return f"nobody causes {trigger.on}: there is nobody to ask an if of."
        if NAME in trigger.words or trigger.deed == "thought":
            return f"nobody causes {trigger.on}: there is nobody to think of or to name."
    if trigger.deed == "goal" and NAME in trigger.words:
        return "a goal is not of whoever caused it: it names nobody by {name}."
    return ""


def _second(text: str) -> int:
    match = _HOUR.fullmatch(text)
    if match is None:
        raise ValueError(f"at {text!r} is no time of day, such as 13:00.")
    return int(match["hour"]) * 3600 + int(match["minute"]) * 60


def written(given: Mapping[object, object] | str) -> str:
    """Return the line for what stands in a file: {"on": "bell_rung", "do": {"say": "Stop!"}}.

    Raises:
        ValueError: A key is unknown, or has a value that is none.
    """
    if isinstance(given, str):
        return read_line(given).line
    given = days.keyed(given, KEYS, such_as="on and do")
    deeds = given.get("do")
    if not isinstance(deeds, Mapping) or len(deeds) != 1:
        raise ValueError(f"do has one of the keys {', '.join(DEEDS)}.")
    [(deed, words)] = deeds.items()
    if "at" in given:
        given = {**given, "at": days.time_of_day(given["at"])}
    known = [key for key in MARKS if key in given]
    texts = [given.get("on"), deed, words, *(given[key] for key in known)]
    if not all(isinstance(text, str) for text in texts):
        raise ValueError("on, if, every and what is done are text; put quotes around it.")
    marks = " ".join(f"[{key} {given[key]}]" for key in known)
    return read_line(f"{given['on']} {marks}: {deed} {words}").line
