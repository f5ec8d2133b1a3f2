"""What an NPC does at an event of the game, as its builder wrote it.

A line is written so: "bell_rung [if tag(thief)] [every 10m]: say Stop, thief!".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

KEYS = ("on", "if", "every", "do")
# What is done: words are said, a deed is shown, or the mind finds words for it.
DEEDS = ("say", "emote", "occasion")
# Characters of one line.
LENGTH = 500

_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
_LINE = re.compile(
    r"(?P<on>\w+)\s*(?P<marks>(?:\[[^\[\]]*\]\s*)*):\s*(?P<deed>\w+)\s+(?P<words>[^\[\]]+)"
)
_MARK = re.compile(r"\[\s*(if|every)\s+([^\[\]]*?)\s*\]")
_TIME = re.compile(r"(\d{1,6})\s*([smhd])")


class Trigger(NamedTuple):
    """At which event what is done, if whoever caused it passes a lock, and after how many seconds again."""

    on: str
    deed: str
    words: str
    only_if: str
    every: float
    line: str


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
    every = int(time[1]) * _UNITS[time[2]]
    words = match["words"].strip()
    return Trigger(match["on"], match["deed"], words, marks.get("if", ""), every, plain)


def written(given: Mapping[object, object] | str) -> str:
    """Return the line for what stands in a file: {"on": "bell_rung", "do": {"say": "Stop!"}}.

    Raises:
        ValueError: A key is unknown, or has a value that is none.
    """
    if isinstance(given, str):
        return read_line(given).line
    if not isinstance(given, Mapping):
        raise ValueError("an item has keys: on and do.")
    # To YAML, `on` without quotation marks is true.
    given = {"on" if key is True else key: value for key, value in given.items()}
    for key in given:
        if key not in KEYS:
            raise ValueError(f"there is no {str(key)[:40]!r}; there is {', '.join(KEYS)}.")
    deeds = given.get("do")
    if not isinstance(deeds, Mapping) or len(deeds) != 1:
        raise ValueError(f"do has one of the keys {', '.join(DEEDS)}.")
    [(deed, words)] = deeds.items()
    texts = [given.get("on"), deed, words, *(given[key] for key in ("if", "every") if key in given)]
    if not all(isinstance(text, str) for text in texts):
        raise ValueError("on, if, every and what is done are text; put quotes around it.")
    marks = " ".join(f"[{key} {given[key]}]" for key in ("if", "every") if key in given)
    return read_line(f"{given['on']} {marks}: {deed} {words}").line
