"""Filters of a journal, as people type them: `tag=secret, who=Ann, importance>=7, the mill`."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any, NamedTuple

from evennia_ai.core.records import Entry, age_seconds

KEYS = ("tag", "who", "importance", "days")
LISTED = "words, tag=…, who=…, importance>=…, days=…"

_PART = re.compile(r"(\w+)\s*(>=|=)\s*(.*)")
_DAY = 86400


class Filter(NamedTuple):
    """What an entry must have; all that is said holds together."""

    words: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    who: tuple[str, ...] = ()
    importance: int = 1
    days: float | None = None

    def fits(self, entry: Entry, *, now: datetime) -> bool:
        text, tags = entry.content.casefold(), {tag.casefold() for tag in entry.tags}
        return (
            entry.importance >= self.importance
            and all(words in text for words in self.words)
            and tags.issuperset(self.tags)
            and all(_is_of(entry, name) for name in self.who)
            and (self.days is None or age_seconds(entry.timestamp, now=now) <= self.days * _DAY)
        )


def parse_filter(text: str) -> Filter:
    """Return the filter that a line of parts, with commas between them, describes.

    Raises:
        ValueError: a sentence about the first part that is none.
    """
    found: dict[str, list[str]] = {"words": [], **{key: [] for key in KEYS}}
    for part in filter(None, (part.strip() for part in text.split(","))):
        match = _PART.fullmatch(part)
        key, value = (match[1].lower(), match[3].strip()) if match else ("words", part)
        if key not in found:
            raise ValueError(f"There is no filter {key!r}; there are {LISTED}.")
        if not value:
            raise ValueError(f"The filter {key!r} needs something after it.")
        found[key].append(value.casefold())
    return Filter(
        words=tuple(found["words"]),
        tags=tuple(found["tag"]),
        who=tuple(found["who"]),
        importance=int(_number(found["importance"], "importance", 1)),
        days=_number(found["days"], "days", None),
    )


def _number(given: list[str], key: str, default: Any) -> Any:
    if not given:
        return default
    try:
        value = float(given[-1])
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise ValueError(f"{key} is a number, not {given[-1]!r}.")
    return value


def _is_of(entry: Entry, name: str) -> bool:
    named = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", entry.content.casefold())
    return entry.source_entity.casefold() == name or bool(named)
