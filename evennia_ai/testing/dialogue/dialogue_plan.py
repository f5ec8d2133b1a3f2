"""The plan of a dialogue: the NPC, the people, the steps, and what should come of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

# Where the NPC comes from; without one of these, `npc` is one of the game's.
SOURCES = ("prototype", "seed", "mind")
MINDS = ("offline", "model", "tape")


@dataclass(frozen=True)
class Person:
    """Somebody who is made for the dialogue."""

    name: str
    desc: str = ""
    is_here: bool = True


@dataclass(frozen=True)
class Room:
    """Where it happens; what is empty is as it is where the NPC stands."""

    name: str = ""
    desc: str = ""
    private: bool = False


@dataclass(frozen=True)
class Expected:
    """What should come of a step; None is not asked for.

    `mention_all` and `mention_any` are words of which all, or one at least, should be said.
    `no_tools` is empty where no tool at all may be used.
    """

    mention_all: tuple[str, ...] = ()
    mention_any: tuple[str, ...] = ()
    mention_none: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    no_tools: tuple[str, ...] | None = None
    costs: Mapping[str, float] = field(default_factory=dict)
    is_whispered: bool | None = None
    is_silent: bool | None = None


@dataclass(frozen=True)
class Step:
    """One thing that happens: `deed` is one of VERBS' values, "after" or "sleep".

    `text` is what is said, done or given; `seconds` is what `after` lets pass. With `meanwhile` it
    happens while the NPC still thinks about the step before.
    """

    line: int
    deed: str
    person: str = ""
    text: str = ""
    seconds: float = 0.0
    meanwhile: bool = False
    expected: Expected = Expected()


@dataclass(frozen=True)
class Dialogue:
    """What a file says. `source` is one of SOURCES or "" and `source_name` what stands there.

    `seed` is a seed that stands in the file itself, `settings` are keys of EVENNIA_AI.
    """

    name: str
    npc: str
    source: str
    source_name: str
    minds: str
    tape: str
    room: Room
    people: tuple[Person, ...]
    canaries: tuple[str, ...]
    injections: str
    steps: tuple[Step, ...]
    seed: Mapping[str, Any] | None = None
    at_end: Expected = Expected()
    remembers: tuple[str, ...] = ()
    remembers_nothing_of: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
