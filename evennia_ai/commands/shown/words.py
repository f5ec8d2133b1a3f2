"""Numbers, times and audiences in words, for commands and pages alike."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from evennia_ai.agent.speech import escaped
from evennia_ai.domain.model_text import reply

# Characters of one memory, and of a word that is cut.
LENGTH = 300
# Columns of the labels in front of lines.
LABEL = 11


def ago(seconds: float) -> str:
    """A length of time in its largest unit: "5 s", "3 min", "2 h", "4 d"."""
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return f"{int(seconds)} s"


def moment(timestamp: str) -> str:
    """A timestamp to the minute: "2026-01-01 12:34"."""
    return timestamp[:16].replace("T", " ")


def money(millionths: int) -> str:
    """An amount of money; nobody can buy anything for less than it shows."""
    return f"{millionths / 1_000_000:.4f}"


def count(number: int, one: str, many: str = "") -> str:
    """A number with its noun: "1 entry", "2 entries"."""
    return f"{number} {one if number == 1 else many or f'{one}s'}"


def known_to(known: Any, names: Mapping[str, str]) -> str:
    """Who may know something, by the names of identities."""
    if known == "public":
        return "known to all"
    who = sorted(names.get(one, "somebody") for one in known)
    return f"for {', '.join(who)}" if who else "for nobody"


def cut(text: str, length: int = LENGTH) -> str:
    """Text on one line, cut to a length, as it may be shown."""
    return escaped(reply.printable(text, max_length=length))


def shortened(text: str, length: int) -> str:
    """Text on one line with a mark where it was cut, as it may be shown."""
    line = " ".join(text.split())
    return escaped(line if len(line) <= length else f"{line[: length - 1]}…")


def by_name(text: str, name: str) -> str:
    """A note of the game that calls the NPC by its name: "Ann gives Mara a pie."."""
    return re.sub(r"\bgives you\b", lambda _: f"gives {name}", text)


def labelled(label: str, lines: Iterable[str]) -> Iterator[str]:
    """Lines beside one label."""
    for index, text in enumerate(lines):
        yield f"  |w{'' if index else label:<{LABEL}}|n{text}"


def fact(told: Mapping[str, Any]) -> str:
    """A fact of the lore, as `npcs.lore_of` tells it."""
    files = "".join(f", from {file}" for file in told["files"])
    return f"  {told['number']}. {escaped(told['text'])} ({escaped(told['told'])}{escaped(files)})"
