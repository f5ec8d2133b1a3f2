"""How a mind lies in Attributes, as plain data: what is worked out beside the reactor.

The reactor itself only reads and writes pieces, a few Attributes at a time, however long a life was.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple

from evennia_ai import conf
from evennia_ai.domain import consolidation, mind_file, profile
from evennia_ai.domain.mind_file import Mind
from evennia_ai.storage import (
    entity_backlog,
    entity_profiles,
    journal_pages,
    links,
    working_memory,
)

# Attributes that are read or written in one piece; the largest take a millisecond each.
PIECE = 4

Key = tuple[str, str | None]


class Layout(NamedTuple):
    """What is written of a mind: piece by piece, and in the end what makes it a whole."""

    pieces: list[dict[Key, Any]]
    journal_head: dict[str, Any]
    links: list[dict[str, list[dict[str, Any]]]]


def of_mind(mind: Mind, ids: dict[str, str]) -> Layout:
    """Return the layout of a mind whose memories are kept under the ids that `ids` has for theirs."""
    head, pages = journal_pages.laid_out(mind["journal"])
    rows: dict[Key, Any] = {
        **{(key, journal_pages.CATEGORY): text for key, text in pages.items()},
        **{(who, entity_profiles.CATEGORY): one for who, one in mind["profiles"].items()},
        **{(who, working_memory.CATEGORY): one for who, one in mind["conversations"].items()},
    }
    for who, known in mind["profiles"].items():
        if known["name"]:
            page = rows.setdefault((who[0], entity_profiles.NAMES_CATEGORY), {})
            page[who] = known["name"]
        if len(consolidation.waiting(known)) >= conf.get("ENTITY_OBSERVATIONS"):
            rows[(who, entity_backlog.CATEGORY)] = True
    pieces = [{key: rows[key] for key in keys} for keys in in_pieces(rows)]
    return Layout(pieces, head, links.divided(mind_file.with_memory_ids(mind, ids)))


def profiles_of(stored: dict[str, Any], *, now: datetime) -> dict[str, Any]:
    """Return what is known of people as it is stored now, whatever version wrote it."""
    return {who: profile.migrated(stored[who], entity_id=who, now=now) for who in sorted(stored)}


def in_pieces(keys: Iterable[Any]) -> list[list[Any]]:
    """Return keys in lists of as many as are read or written at once."""
    listed = list(keys)
    return [listed[start : start + PIECE] for start in range(0, len(listed), PIECE)]
