"""A dialogue file as plain data: who is there, what is said line by line, and what should come of it.

Everything that is wrong with a file is one sentence with its line, and all of them are told at once.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from evennia_ai.defaults import DEFAULTS
from evennia_ai.memory.seeds import seed_yaml
from evennia_ai.testing.dialogue.dialogue_plan import (
    MINDS,
    SOURCES,
    Dialogue,
    Expected,
    Person,
    Room,
    Step,
)

STANDARD = "standard"
KEYS = (
    "npc",
    *SOURCES,
    "minds",
    "tape",
    "settings",
    "room",
    "people",
    "canaries",
    "injections",
    "dialogue",
    "at_end",
)
ROOM_KEYS = ("name", "desc", "private")
PERSON_KEYS = ("desc", "is_here")
# What a person does, by the word after the name; none is to speak.
VERBS = {
    "": "say",
    "says": "say",
    "whispers": "whisper",
    "tells": "tell",
    "emotes": "emote",
    "gives": "give",
    "arrives": "arrive",
    "leaves": "leave",
}
EXPECTATIONS = (
    "must_mention",
    "must_not_mention",
    "calls_tool",
    "calls_no_tool",
    "costs_less_than",
    "is_whispered",
    "is_silent",
)
# What of it holds over all steps, and what is looked for in all that the NPC keeps.
AT_END = (*EXPECTATIONS, "remembers", "remembers_nothing_of")
COSTS = ("tokens", "calls", "money", "seconds")
UNITS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400}
# Steps of a file, people in it, and days that one step may let pass.
STEPS, PEOPLE, DAYS = 1_000, 20, 30

_DURATION = re.compile(r"(\d+(?:\.\d+)?|an?) (second|minute|hour|day)s?", re.I)


class DialogueError(ValueError):
    """What is wrong with a file, a sentence in each line."""


def read(data: bytes, *, name: str) -> Dialogue:
    """Return the dialogue in the bytes of a file called `name`.

    Raises:
        DialogueError: all that is wrong with it.
    """
    try:
        content = seed_yaml.load(data, with_lines=True)
    except ValueError as error:
        raise DialogueError(f"{name}: {error}") from None
    reader = _Reader(name)
    dialogue = reader.dialogue(content)
    if reader.wrong:
        told = dict.fromkeys(f"{name}, line {line}: {text}" for line, text in sorted(reader.wrong))
        raise DialogueError("\n".join(told))
    return dialogue


class _Reader:
    """Reads what is right and notes what is wrong: (line, sentence)."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.wrong: list[tuple[int, str]] = []

    def dialogue(self, content: Any) -> Dialogue:
        if not isinstance(content, seed_yaml.Lines):
            self.note(1, "a dialogue begins with a key such as npc or dialogue.")
            content = _empty()
        self.known(content, KEYS)
        people = self.people(content)
        source = self.source(content)
        # A seed may stand in the file itself, instead of the name of one.
        own_seed = source == "seed" and isinstance(content["seed"], seed_yaml.Lines)
        seed = content["seed"] if own_seed else None
        minds = self.choice(content, "minds", MINDS)
        if "tape" in content and minds not in ("", "tape"):
            self.note(content.lines["tape"], f"there is no tape where minds is {minds}.")
        steps = self.steps(content, people)
        injections = self.choice(content, "injections", (STANDARD,))
        if not steps and not injections:
            self.note(1, "there is nothing to play: it needs dialogue, a list of steps.")
        end = self.section(content, "at_end", AT_END)
        return Dialogue(
            name=self.name,
            npc=self.text(content, "npc"),
            source=source,
            source_name=self.text(content, source) if source and seed is None else "",
            minds="tape" if "tape" in content else minds,
            tape=self.text(content, "tape"),
            room=self.room(content),
            people=people,
            canaries=self.words(content, "canaries"),
            injections=injections,
            steps=steps,
            seed=seed,
            settings=dict(
                self.section(content, "settings", DEFAULTS, "settings are keys of EVENNIA_AI.")
            ),
            at_end=self.expected(end),
            remembers=self.words(end, "remembers"),
            remembers_nothing_of=self.words(end, "remembers_nothing_of"),
        )

    def source(self, content: seed_yaml.Lines) -> str:
        named = [key for key in SOURCES if key in content]
        if len(named) > 1:
            self.note(content.lines[named[1]], f"it is {named[0]} or {named[1]}, not both.")
        if not named and "npc" not in content:
            self.note(1, f"it needs npc, or one of {', '.join(SOURCES)}: who is tested?")
        if named == ["mind"] and "npc" not in content:
            self.note(content.lines["mind"], "a mind needs npc: the name of whoever has it.")
        return named[0] if named else ""

    def room(self, content: seed_yaml.Lines) -> Room:
        given = self.section(content, "room", ROOM_KEYS)
        return Room(
            name=self.text(given, "name"),
            desc=self.text(given, "desc"),
            private=bool(self.flag(given, "private")),
        )

    def people(self, content: seed_yaml.Lines) -> tuple[Person, ...]:
        given = content.get("people") or _empty()
        if not isinstance(given, seed_yaml.Lines):
            self.note(content.lines["people"], "people are names with keys: Ann: {}.")
            return ()
        if len(given) > PEOPLE:
            self.note(content.lines["people"], f"there are {PEOPLE} people at most.")
        return tuple(
            self.person(name, about, given.lines.get(name, 1)) for name, about in given.items()
        )

    def person(self, name: Any, about: Any, line: int) -> Person:
        if not isinstance(name, str) or not name.strip() or name != name.strip():
            self.note(line, f"{name!r} is no name; in quotation marks it may be one.")
        if name in ("after", "sleep", *EXPECTATIONS):
            self.note(line, f"nobody can be called {name} here: it is a key of a step.")
        about = about if about is not None else _empty()
        if not isinstance(about, seed_yaml.Lines):
            self.note(line, f"{name} has keys: {', '.join(PERSON_KEYS)}; {{}} for none.")
            return Person(str(name))
        self.known(about, PERSON_KEYS)
        is_here = self.flag(about, "is_here")
        return Person(str(name), self.text(about, "desc"), is_here is not False)

    def steps(self, content: seed_yaml.Lines, people: tuple[Person, ...]) -> tuple[Step, ...]:
        given = content.get("dialogue")
        if given is None:
            return ()
        line = content.lines["dialogue"]
        if not isinstance(given, list) or len(given) > STEPS:
            self.note(line, f"dialogue is a list of steps, {STEPS} at most.")
            return ()
        deeds = {
            f"{person.name} {verb}".strip(): (person.name, deed)
            for person in people
            for verb, deed in VERBS.items()
        }
        found = []
        for number, one in enumerate(given, 1):
            if isinstance(one, seed_yaml.Lines) and one:
                found.append(self.step(one, deeds))
            else:
                self.note(line, f'step {number} has keys, as in - Ann: "Good evening."')
        for before, after in pairwise(found):
            if after.meanwhile and before.expected != Expected():
                self.note(
                    before.line, "it is not waited for: what comes of it belongs to the next."
                )
        return tuple(found)

    def step(self, given: seed_yaml.Lines, deeds: dict[str, tuple[str, str]]) -> Step:
        line = min(given.lines.values())
        self.known(given, (*deeds, "after", "sleep", "meanwhile", *EXPECTATIONS))
        found = [key for key in given if key in deeds or key in ("after", "sleep")]
        if len(found) != 1:
            self.not_one_deed(given, found, line)
            return Step(line, "after")
        [key] = found
        expected = self.expected(given)
        if key == "after":
            return Step(line, "after", seconds=self.duration(given, key), expected=expected)
        if key == "sleep":
            self.only_true(given, key)
            return Step(line, "sleep", expected=expected)
        person, deed = deeds[key]
        how = {"meanwhile": self.flag(given, "meanwhile") is True, "expected": expected}
        if deed in ("arrive", "leave"):
            self.only_true(given, key)
            return Step(line, deed, person, **how)
        return Step(line, deed, person, self.text(given, key, needed=True), **how)

    def not_one_deed(self, given: seed_yaml.Lines, found: list[str], line: int) -> None:
        if found:
            self.note(line, f"one thing happens in a step, and here it is {' and '.join(found)}.")
        elif set(given) <= set(EXPECTATIONS):
            self.note(line, "nothing happens in this step: who speaks?")
        # Else a key that there is not was noted already.

    def expected(self, given: seed_yaml.Lines) -> Expected:
        every, some = self.mentions(given)
        no_tools: tuple[str, ...] | None = None
        if given.get("calls_no_tool") is True:
            no_tools = ()
        elif "calls_no_tool" in given:
            no_tools = self.words(given, "calls_no_tool") or None
        if given.get("is_silent") and (every or some or given.get("is_whispered")):
            self.note(given.lines["is_silent"], "it cannot be silent and say something.")
        return Expected(
            mention_all=every,
            mention_any=some,
            mention_none=self.words(given, "must_not_mention"),
            tools=self.words(given, "calls_tool"),
            no_tools=no_tools,
            costs=self.costs(given),
            is_whispered=self.flag(given, "is_whispered"),
            is_silent=self.flag(given, "is_silent"),
        )

    def mentions(self, given: seed_yaml.Lines) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the words of which all should be said, and those of which one should."""
        wanted = given.get("must_mention")
        if not isinstance(wanted, seed_yaml.Lines):
            return self.words(given, "must_mention"), ()
        self.known(wanted, ("all", "any_of"))
        return self.words(wanted, "all"), self.words(wanted, "any_of")

    def costs(self, given: seed_yaml.Lines) -> dict[str, float]:
        costs = self.section(given, "costs_less_than", COSTS)
        for key, value in costs.items():
            if isinstance(value, bool) or not isinstance(value, (int, float)) or value <= 0:
                self.note(costs.lines[key], f"{key} is a number above 0, not {value!r}.")
        return {key: value for key, value in costs.items() if key in COSTS}

    def duration(self, given: seed_yaml.Lines, key: str) -> float:
        fits = _DURATION.fullmatch(str(given[key]).strip())
        if not fits:
            self.note(given.lines[key], f"{key} is a time such as 2 hours, not {given[key]!r}.")
            return 0.0
        count = 1.0 if fits[1].lower().startswith("a") else float(fits[1])
        seconds = count * UNITS[fits[2].lower()]
        if seconds > DAYS * UNITS["day"]:
            self.note(given.lines[key], f"{DAYS} days at most pass in one step.")
        return seconds

    # Values of one kind; `given` has the key, or not.

    def section(
        self, given: seed_yaml.Lines, key: str, keys: Iterable[str], sentence: str = ""
    ) -> seed_yaml.Lines:
        """Return keys with values that stand below a key."""
        value = given.get(key) or _empty()
        if isinstance(value, seed_yaml.Lines):
            self.known(value, keys)
            return value
        self.note(given.lines[key], sentence or f"{key} has keys: {', '.join(keys)}.")
        return _empty()

    def text(self, given: seed_yaml.Lines, key: str, *, needed: bool = False) -> str:
        value = given.get(key)
        if value is None and not (needed or key in given):
            return ""
        if not isinstance(value, str) or not value.strip():
            self.note(given.lines[key], f"{key} is text, not {value!r}.")
            return ""
        return value.strip()

    def words(self, given: seed_yaml.Lines, key: str) -> tuple[str, ...]:
        """Return a list of texts; one text is a list, too."""
        if key not in given:
            return ()
        value = given[key]
        listed = [value] if isinstance(value, str) else value
        good = isinstance(listed, list) and all(
            isinstance(one, str) and re.search(r"\w", one) for one in listed
        )
        if not good or not listed:
            self.note(given.lines[key], f"{key} is a list of words, not {value!r}.")
            return ()
        return tuple(listed)

    def flag(self, given: seed_yaml.Lines, key: str) -> bool | None:
        if key not in given or isinstance(given[key], bool):
            return given.get(key)
        self.note(given.lines[key], f"{key} is true or false, not {given[key]!r}.")
        return None

    def only_true(self, given: seed_yaml.Lines, key: str) -> None:
        if given[key] is not True:
            self.note(given.lines[key], f"{key} is true, or is left out; it is {given[key]!r}.")

    def choice(self, given: seed_yaml.Lines, key: str, known: tuple[str, ...]) -> str:
        value = given.get(key, "")
        if key in given and value not in known:
            self.note(given.lines[key], f"{key} is {' or '.join(known)}, not {value!r}.")
            return ""
        return value

    def known(self, given: seed_yaml.Lines, keys: Iterable[str]) -> None:
        """Note each key that there is not, with the nearest that there is."""
        names = list(keys)
        for key in given:
            if key in names:
                continue
            close = difflib.get_close_matches(str(key), names, n=1)
            meant = f"did you mean {close[0]}?" if close else f"there are {', '.join(names)}."
            self.note(given.lines.get(key, 1), f"there is no key {str(key)[:40]!r}; {meant}")

    def note(self, line: int, sentence: str) -> None:
        self.wrong.append((line, sentence))


def _empty() -> seed_yaml.Lines:
    empty = seed_yaml.Lines()
    empty.lines = {}
    return empty
