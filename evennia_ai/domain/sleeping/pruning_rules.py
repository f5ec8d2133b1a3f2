"""Rules of pruning: entries that mattered little, long ago, and that nothing needs."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import islice
from typing import Iterable, Iterator

from evennia_ai.core.records import Entry, parse_time
from evennia_ai.domain.sleeping import reflection_rules

# After so many in a row that are not old enough, those that follow are not either: entries come in
# the order in which they were noted, but one may have been dated back, or written anew.
YOUNG_IN_A_ROW = 100


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
    `only_consolidated` never one that exists nowhere else. `entries` come oldest first, and no more
    of them are read than it takes.
    """
    found = (
        entry.id
        for entry in _old(entries, since=now - timedelta(days=days))
        if entry.importance <= importance
        and not (entry.pinned or reflection_rules.is_synthesis(entry) or entry.cited)
        and (entry.consolidated or not only_consolidated)
    )
    return list(islice(found, limit))


def _old(entries: Iterable[Entry], *, since: datetime) -> Iterator[Entry]:
    young = 0
    for entry in entries:
        if parse_time(entry.timestamp) < since:
            young = 0
            yield entry
            continue
        young += 1
        if young == YOUNG_IN_A_ROW:
            return
