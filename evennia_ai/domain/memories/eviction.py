"""Eviction from a full journal: never what exists nowhere else, while there is something else.

The entries of a journal lie in pages; how many of each kind a page has is kept in `PageCounts`, so that
the next one that has a copy is found without reading them all.
"""

from __future__ import annotations

from collections.abc import Iterable

from evennia_ai.core.records import Entry
from evennia_ai.domain.memories.fair_share import least_of_the_greatest
from evennia_ai.domain.memories.page_counts import KINDS, PageCounts

# How far above its size a journal may grow while only memories are left that exist nowhere else.
TOLERANCE = 1.2
# What a mind has concluded or summed up has one place in so many at the end of a night, and a fifth at
# most with what the next one adds: else nothing new had room.
SYNTHESES = 6
# Kinds of `page_counts.KINDS` that have a copy in long-term memory, in the order in which they go.
COPIED = ("consolidated", "cited")
# What is said of a synthesis that long-term memory has now, and of an entry that went without a copy.
AGED = "synthesis"
NOWHERE_ELSE = "nowhere else"


def next_copied(counts: Iterable[str]) -> tuple[str, int] | None:
    """Return the kind and the page of the oldest entry that has a copy, None if none has.

    `counts` are as they are stored, in order of the pages, the oldest first.
    """
    pages = list(counts)
    for kind in COPIED:
        place = PageCounts._fields.index(kind)
        for page in pages:
            # Not read as `PageCounts`: there may be hundreds, at each entry of a full journal.
            numbers = page.split(" ")
            if numbers[place] != "0":
                return kind, int(numbers[0])
    return None


def select_entries(entries: Iterable[Entry], count: int) -> list[Entry]:
    """Return so many entries without a copy as are to go first, those that insights rest on last."""
    uncopied = [entry for entry in entries if not entry.consolidated]
    chosen = _of_entries(filter(KINDS["free"], uncopied), count)
    if len(chosen) < count:
        cited = (entry for entry in uncopied if entry.cited and KINDS["last"](entry))
        chosen += _of_entries(cited, count - len(chosen))
    return chosen


def select_syntheses(entries: Iterable[Entry], count: int) -> list[Entry]:
    """Return so many syntheses as are to go first: those that nothing cites, then the oldest."""
    found = filter(KINDS["syntheses"], entries)
    return sorted(found, key=lambda entry: (entry.cited, entry.timestamp, entry.id))[:count]


def _of_entries(entries: Iterable[Entry], count: int) -> list[Entry]:
    return least_of_the_greatest(
        entries,
        count,
        by=lambda entry: entry.said_by or entry.source_entity.casefold(),
        worth=lambda entry: entry.importance,
    )
