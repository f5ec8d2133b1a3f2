"""The records of an imported mind, worked out as plain data beside the reactor.

The reactor itself only reads and writes pieces, a few Attributes at a time, however long a life was.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple

from evennia_ai import conf
from evennia_ai.core.records import Link
from evennia_ai.domain.files import mind_file, mind_shape
from evennia_ai.domain.files.mind_shape import Mind
from evennia_ai.domain.memories import profile
from evennia_ai.domain.sleeping import consolidation_rules
from evennia_ai.memory import journal_pages, kinds, links
from evennia_ai.memory.kinds import Kind
from evennia_ai.memory.repository import Place
from evennia_ai.memory.storage import pages

# Attributes that are read or written in one piece; the largest take a millisecond each.
PIECE = 4
# In a file, what kinds of the game's own keep stands under this key.
MORE = "more"


class Layout(NamedTuple):
    """What is written of a mind: piece by piece, and in the end what makes it a whole."""

    pieces: list[dict[Place, Any]]
    links: list[dict[str, list[Link]]]
    on_body: dict[Place, Any]
    on_mind: dict[Place, Any]


def of_mind(mind: Mind, ids: dict[str, str], *, now: datetime) -> Layout:
    """Return the layout of a mind whose memories are kept under the ids that `ids` has for theirs."""
    profiles, goals = _profiles(mind["profiles"], now=now), _goals(mind["goals"])
    mind = {**mind, "profiles": profiles, "goals": goals}
    head, entries = journal_pages.laid_out(mind["journal"])
    rows: dict[Place, Any] = {(kinds.JOURNAL, key): page for key, page in entries.items()}
    for kind in in_files(keyed=True):
        for key, value in part_of(mind, kind).items():
            rows[kind, key] = pages.shaped(kind, value)
    for who in mind["profiles"]:
        known = rows[kinds.PROFILES, who]
        if known.name:
            rows.setdefault((kinds.NAMES, kinds.name_page(who)), {})[who] = known.name
        if len(consolidation_rules.waiting(known)) >= conf.get("ENTITY_OBSERVATIONS"):
            rows[kinds.BACKLOG, who] = 1
    on = {
        place: {
            (kind, ""): pages.shaped(kind, part)
            for kind in in_files(keyed=False)
            if kind.on == place and (part := part_of(mind, kind)) is not None
        }
        for place in (kinds.BODY, kinds.MIND)
    }
    return Layout(
        [{place: rows[place] for place in places} for places in in_pieces(rows)],
        links.divided(mind_file.with_memory_ids(mind, ids)),
        {**on[kinds.BODY], (kinds.JOURNAL_HEAD, ""): head},
        on[kinds.MIND],
    )


def in_files(*, keyed: bool) -> list[Kind[Any]]:
    """Return the kinds that stand in the file of a mind, those with keys or those without."""
    return [kind for kind in kinds.all_kinds() if kind.file_name and kind.keyed == keyed]


def part_of(mind: Mind, kind: Kind[Any]) -> Any:
    """Return what the file of a mind has of a kind."""
    empty: Any = {} if kind.keyed else kind.empty()
    holder = mind if kind.file_name in mind_shape.KEYS else mind.get(MORE, {})
    return holder.get(kind.file_name, empty)


def put_together(parts: dict[Kind[Any], Any]) -> Mind:
    """Return what of a mind stands in a file, from what each kind has."""
    mind: Mind = {MORE: {}}
    for kind, value in parts.items():
        ours = kind.file_name in mind_shape.KEYS
        if value is not None and (ours or value):
            (mind if ours else mind[MORE])[kind.file_name] = pages.plain(value)
    return mind


def links_of(kept: dict[str, links.Page]) -> dict[str, Any]:
    """Return the links on pages by the memories that they are from, as they stand in a file."""
    linked = links.read_pages(kept)
    return {memory: pages.plain(one.linked_to) for memory, one in linked.items()}


def in_pieces(keys: Iterable[Any]) -> list[list[Any]]:
    """Return keys in lists of as many as are read or written at once."""
    listed = list(keys)
    return [listed[start : start + PIECE] for start in range(0, len(listed), PIECE)]


def _goals(given: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return goals without their steps: the things and rooms in them are those of another body."""
    return [{key: kept for key, kept in goal.items() if key != "plan"} for goal in given]


def _profiles(given: dict[str, Any], *, now: datetime) -> dict[str, Any]:
    """Return what is known of people as it is stored now, whatever version wrote it."""
    return {who: profile.migrated(known, entity_id=who, now=now) for who, known in given.items()}
