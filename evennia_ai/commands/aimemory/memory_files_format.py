"""Text of the commands on files: plain data in, text out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from evennia_ai.agent.speech import escaped

# Characters of a text in one line of a difference.
LENGTH = 58
_COLORS = {"+": "|g", "~": "|y", "-": "|r"}


def differences(changes: Iterable[tuple[str, Iterable[Any]]]) -> str:
    """Return what would change: (name of the NPC, [`domain.files.seed_files.Change`]) each."""
    lines = []
    for name, found in changes:
        lines.append(f"|c{name}|n")
        lines += [_line(change) for change in found] or ["  nothing but whose words they are"]
    return "\n".join(lines)


def cut(text: str, length: int) -> str:
    """Return the first lines of a text, and how many more there are."""
    lines = text.split("\n")
    more = len(lines) - length
    return "\n".join([*lines[:length], f"… and {more} more lines."] if more > 0 else lines)


def contents(mind: Mapping[str, Any]) -> str:
    """Return how much is in a mind, in one line."""
    counted = {
        "entry of the journal": len(mind["journal"]["entries"]),
        "memory": len(mind["memories"]),
        "person or thing": len(mind["profiles"]),
        "conversation": len(mind["conversations"]),
        "fact of lore": len(mind["lore"]),
        "goal": len(mind["goals"]),
        "decision": len(mind["experience"]["decisions"]),
    }
    parts = [f"{number} {_plural(what, number)}" for what, number in counted.items() if number]
    return ", ".join(parts) or "nothing"


def _line(change: Any) -> str:
    sign, what, before, after = change
    words = f"{_short(before)} -> {_short(after)}" if sign == "~" else _short(before or after)
    return f"  {_COLORS[sign]}{sign}|n |w{what}|n: {words}"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return escaped(line if len(line) <= LENGTH else f"{line[: LENGTH - 1]}…")


def _plural(what: str, number: int) -> str:
    if number == 1:
        return what
    first, space, rest = what.partition(" ")
    words = {"person": "people", "entry": "entries", "memory": "memories"}
    plural = words.get(first, f"{first}s") + space + rest
    return plural.replace("thing", "things")
