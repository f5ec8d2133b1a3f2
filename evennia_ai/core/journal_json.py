"""A journal as JSON has it: its entries, and the whole of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypedDict

from evennia_ai.core.records import Audience, Source


class EntryFields(TypedDict, total=False):
    """An entry as JSON has it; what is missing, or says nothing, has its default."""

    id: int | None
    timestamp: str
    content: str | None
    source_type: str | None
    source_trust: float | None
    source_entity: str | None
    source_id: str | None
    importance: int | None
    importance_method: str | None
    tags: Iterable[str] | None
    related_projects: Iterable[str] | None
    audience: Audience | None
    about: Iterable[str] | None
    consolidated: bool
    scored: bool
    scored_by: str | None
    pinned: bool
    event_id: str | None
    evidence: Iterable[int] | None
    sources: list[Source] | None
    cited: bool
    chain: Iterable[dict[str, str]] | None
    shared: Iterable[dict[str, str]] | None


class WholeJournal(TypedDict, total=False):
    """A journal as one dict."""

    entries: list[EntryFields]
    entry_count: int | None
    max_entries: int | None
    last_reflection: str | None
    consolidated_entry_ids: list[int]
