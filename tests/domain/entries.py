"""Entries of a journal for tests that need no journal."""

from typing import Any

from evennia_ai.core.records import Entry

PLAIN: dict[str, Any] = {
    "id": 1,
    "timestamp": "2030-01-01T00:00:00.000Z",
    "source_type": "observation",
    "source_trust": 0.9,
    "source_entity": "",
    "said_by": "",
    "importance": 5,
    "importance_method": "heuristic",
    "audience": "public",
    "consolidated": False,
    "scored": False,
    "scored_by": "",
    "pinned": False,
    "event_id": "",
    "cited": False,
}
LISTS = ("tags", "related_projects", "about", "derived_from", "chain", "shared")


def entry(content: str = "It rains.", **fields: Any) -> Entry:
    """Return an entry with every field; `fields` are those that matter to the test."""
    empty: dict[str, Any] = {name: [] for name in LISTS}
    return Entry(**{**PLAIN, **empty, "content": content, **fields})
