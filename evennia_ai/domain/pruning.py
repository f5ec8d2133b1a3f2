"""What an assistant may forget for good: what mattered little, long ago, and is needed by nothing."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Iterable

from evennia_ai.domain import reflection
from evennia_ai.domain.records import parse_time

Entry = dict[str, Any]


def select_forgettable(
    entries: Iterable[Entry],
    *,
    now: datetime,
    importance: int = 3,
    days: float = 30,
    limit: int = 10,
    only_consolidated: bool = False,
) -> list[int]:
    """Return the ids of entries up to `importance` and older than `days`, the first `limit` of them.

    Never one that is pinned, made of other entries, or cited by one that is; with
    `only_consolidated` never one that exists nowhere else.
    """
    kept = list(entries)
    cited = {str(entry_id) for entry in kept for entry_id in entry.get("evidence", ())}
    since = now - timedelta(days=days)
    found = [
        entry["id"]
        for entry in kept
        if entry["importance"] <= importance
        and parse_time(entry["timestamp"]) < since
        and not (entry["pinned"] or reflection.is_synthesis(entry) or str(entry["id"]) in cited)
        and (entry["consolidated"] or not only_consolidated)
    ]
    return found[:limit]
