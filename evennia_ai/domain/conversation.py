"""Conversations: what is kept of them, and what of them goes into a prompt."""

from __future__ import annotations

from typing import Iterable, TypeVar

from evennia_ai.domain import audience
from evennia_ai.domain.records import Line

Kept = TypeVar("Kept")


def add_line(lines: list[Line], line: Line, *, limit: int) -> list[Line]:
    """Return the conversation with one more line, without its oldest beyond `limit`."""
    return newest([*lines, line], limit)


def select_recent(lines: Iterable[Line], *, hearers: Iterable[str], limit: int) -> list[Line]:
    """Return the last lines that everybody in earshot may know, oldest first."""
    return newest(audience.select_tellable(lines, hearers), limit)


def newest(lines: list[Kept], limit: int) -> list[Kept]:
    """Return the last `limit` lines; none if it is 0."""
    return lines[-limit:] if limit > 0 else []


def said_by_me(lines: Iterable[Line], *, limit: int) -> list[str]:
    """Return the assistant's own last words, newest first."""
    return [line["text"] for line in reversed(list(lines)) if line["mine"]][:limit]


def talked_before(lines: Iterable[Line], actor: str) -> bool:
    """Return whether the assistant has ever answered this person."""
    return any(line["mine"] and line["actor"] == actor for line in lines)
