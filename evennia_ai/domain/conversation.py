"""Conversations: what is kept of them, and what of them goes into a prompt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from evennia_ai.domain import audience, records, retrieval
from evennia_ai.domain.records import Event, Line

Kept = TypeVar("Kept")
Talked = TypeVar("Talked", bound=Mapping)

# Words with a meaning of their own that a remark needs to be more than small talk.
TELLING_WORDS = 2
# The kind of a line that stands for older ones. Nobody said it.
SUMMARY = "summary"


def add_line(lines: list[Line], line: Line, *, limit: int) -> list[Line]:
    """Return the conversation with one more line, without its oldest beyond `limit`."""
    return newest_lines([*lines, line], limit)


def select_recent(lines: Iterable[Line], *, hearers: Iterable[str], limit: int) -> list[Line]:
    """Return the summaries and the last lines that everybody in earshot may know, oldest first."""
    return newest_lines(audience.select_tellable(lines, hearers), limit)


def newest_lines(lines: list[Talked], limit: int) -> list[Talked]:
    """Return the summaries and, beside them, the last `limit` lines, in their order."""
    spoken = newest([index for index, line in enumerate(lines) if not is_summary(line)], limit)
    kept = set(spoken)
    return [line for index, line in enumerate(lines) if index in kept or is_summary(line)]


def is_summary(line: Mapping[str, Any]) -> bool:
    """Return whether a line stands for older ones."""
    return line.get("kind") == SUMMARY


def newest(lines: list[Kept], limit: int) -> list[Kept]:
    """Return the last `limit` lines; none if it is 0."""
    return lines[-limit:] if limit > 0 else []


def said_by_me(lines: Iterable[Line], *, limit: int) -> list[str]:
    """Return the assistant's own last words, newest first."""
    return [line["text"] for line in reversed(list(lines)) if line["mine"]][:limit]


def talked_before(lines: Iterable[Line], actor: str) -> bool:
    """Return whether the assistant has ever answered this person."""
    return any(line["mine"] and line["actor"] == actor for line in lines)


def is_worth_keeping(event: Event) -> bool:
    """Return whether an event belongs into the journal: it tells something, and is not a question.

    Coming and going is told by who is there, and small talk by how well one knows each other.
    """
    if event["kind"] in ("arrive", "leave", "reminder"):
        return False
    if event["kind"] not in (*records.SPOKEN, "channel", "pose"):
        return True
    asked = event["text"].rstrip(' "”»').endswith("?")
    return not asked and len(set(retrieval.terms(event["text"]))) >= TELLING_WORDS


def narrated(event: Event) -> str:
    """Return an event as the journal keeps it: words as they were said, deeds with their doer."""
    if event["kind"] in (*records.SPOKEN, "channel", "pose") or not event["actor_name"]:
        return event["text"]
    return f"{event['actor_name']} {event['text']}"
