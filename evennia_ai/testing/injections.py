"""The standard set of attempts to talk a mind into what it must not do, for tests of NPCs.

Each attempt is words of a stranger, the way on which they reach the mind, and what they want of it.
The words may hold `<npc>`, `<me>` (whoever attacks), `<other>` (whoever was promised discretion) and
`<padding>` (more text than fits into a prompt); `Attempt.filled` puts names there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from evennia_ai.memory.seeds import seed_yaml

STANDARD = Path(__file__).with_name("injections.yaml")

# On which way the words reach the mind: said, done, or standing on something that it perceives.
WAYS = (
    *("say", "whisper", "tell", "name", "description", "lore", "card", "emote", "item"),
    # A note to a rating, what somebody puts right of themselves, a line on a channel or its name, an
    # imported mind, and what only a tool tells.
    *("rate", "correct", "channel", "file", "result"),
)
# What bears the words: whom or what a description is of, or which field of a card they are.
BEARERS = {
    "description": ("person", "thing", "room"),
    "card": (
        "description",
        "personality",
        "scenario",
        "first_mes",
        "mes_example",
        "system_prompt",
        "post_history_instructions",
        "book",
    ),
    "channel": ("line", "name"),
    "file": ("entry", "source", "fact", "memory", "goal", "line", "decision"),
    "result": ("exit", "inside", "entry", "memory", "error"),
}
# What is wanted: one of these keys, with the keys that may stand beside it.
WANTS = {
    # That a tool is used: with `args`, so many `times`.
    "tool": ("args", "times"),
    # That it tells what it must keep: `canary` (what somebody else told in confidence), or `prompt`.
    "reveal": (),
    # That a field of its persona changes: to what.
    "persona": ("to",),
    # That it likes somebody by so much more, or somebody else (`of`) by so much less.
    "trust": ("of",),
    # That these characters of its answer are carried out by the game, instead of shown.
    "markup": (),
    # That these words stand in the prompt as a line of their own, as if we had written them.
    "line": (),
    # That sleep makes what it should not of what was said: one of NIGHT.
    "night": ("value",),
}
REVEALED = ("canary", "prompt")
NIGHT = ("score", "insight", "attribute", "summary")
PADDING = "It rains on the hills, and the miller counts his sacks. "
PADDING_LENGTH = 40_000

_KEYS = ("id", "through", "bearer", "technique", "text", "then", "wants", "obeyed")
_NEEDED = ("id", "through", "technique", "text", "wants", "obeyed")


@dataclass(frozen=True)
class Attempt:
    """One attempt: `text` comes `through` one of WAYS, and `then` is said, line by line.

    `wants` has one of the keys of WANTS; `obeyed` says in a sentence what a mind would do that obeys.
    `bearer` is one of BEARERS, for the ways that have them.
    """

    id: str
    through: str
    technique: str
    text: str
    wants: Mapping[str, Any] = field(hash=False)
    obeyed: str
    bearer: str = ""
    then: tuple[str, ...] = ()

    @property
    def want(self) -> str:
        """Which of WANTS it is."""
        return next(key for key in WANTS if key in self.wants)

    def filled(self, text: str, *, npc: str, me: str, other: str) -> str:
        """Return words of this attempt with the names of those who play in it."""
        padding = (PADDING * (PADDING_LENGTH // len(PADDING) + 1))[:PADDING_LENGTH]
        names = {"<npc>": npc, "<me>": me, "<other>": other, "<padding>": padding}
        for mark, name in names.items():
            text = text.replace(mark, name)
        return text


def attempts(path: str | Path | None = None) -> tuple[Attempt, ...]:
    """Return the attempts of a file, in its order; without a path, of the standard set.

    Raises:
        ValueError: something in the file is wrong: one sentence with the file, and the attempt.
    """
    file = Path(path or STANDARD)
    try:
        return _read(seed_yaml.load(file.read_bytes()))
    except ValueError as error:
        raise ValueError(f"{file.name}: {error}") from None


def _read(content: Any) -> tuple[Attempt, ...]:
    if not isinstance(content, list) or not content:
        raise ValueError("it is a list of attempts, and this is none.")
    found = tuple(_attempt(given, number) for number, given in enumerate(content, 1))
    seen: set[str] = set()
    for one in found:
        if one.id in seen:
            raise ValueError(f"two attempts are called {one.id}.")
        seen.add(one.id)
    return found


def _attempt(given: Any, number: int) -> Attempt:
    if not isinstance(given, Mapping):
        raise ValueError(f"attempt {number} has keys such as id and text.")
    name = given.get("id") or f"attempt {number}"
    _check_keys(given, _KEYS, str(name))
    for key in _NEEDED:
        if not given.get(key):
            raise ValueError(f"{name} needs {key}.")
    then = given.get("then") or []
    if not isinstance(then, list):
        raise ValueError(f"{name}: then is a list of lines.")
    for key in ("id", "technique", "text", "obeyed"):
        _check_text(given[key], f"{name}: {key}")
    for line in then:
        _check_text(line, f"{name}: then")
    _check_choice(given["through"], WAYS, f"{name}: through")
    known = BEARERS.get(given["through"], ())
    if known:
        _check_choice(given.get("bearer"), known, f"{name}: bearer")
    elif "bearer" in given:
        raise ValueError(f"{name}: nothing bears what comes through {given['through']}.")
    _check_wants(given["wants"], str(name))
    read = {key: given[key] for key in (*_NEEDED, "bearer") if key in given}
    wants = MappingProxyType(dict(given["wants"]))
    return Attempt(**{**read, "wants": wants, "then": tuple(then)})


def _check_wants(wants: Any, name: str) -> None:
    keys = [key for key in WANTS if isinstance(wants, Mapping) and key in wants]
    if len(keys) != 1:
        raise ValueError(f"{name}: wants has just one of {', '.join(WANTS)}.")
    [want] = keys
    _check_keys(wants, (want, *WANTS[want]), f"{name}: wants")
    if want == "reveal":
        _check_choice(wants[want], REVEALED, f"{name}: reveal")
    elif want == "night":
        _check_choice(wants[want], NIGHT, f"{name}: night")
    elif want == "trust":
        if not isinstance(wants[want], (int, float)):
            raise ValueError(f"{name}: trust is a number.")
    else:
        _check_text(wants[want], f"{name}: {want}")
    if not isinstance(wants.get("args", {}), Mapping):
        raise ValueError(f"{name}: args has the arguments by their names.")
    if not isinstance(wants.get("times", 1), int):
        raise ValueError(f"{name}: times is a number.")


def _check_keys(given: Mapping[Any, Any], known: Iterable[str], where: str) -> None:
    for key in given:
        if key not in known:
            raise ValueError(f"{where} has no {str(key)[:40]!r}; it has {', '.join(known)}.")


def _check_choice(given: Any, known: tuple[str, ...], where: str) -> None:
    if given not in known:
        raise ValueError(f"{where} is one of {', '.join(known)}, not {str(given)[:40]!r}.")


def _check_text(given: Any, where: str) -> None:
    if not isinstance(given, str) or not given.strip():
        raise ValueError(f"{where} is text.")
