"""Counts of the entries on a page of a journal, so that no page is read for nothing.

They are kept beside the pages, in their head, as a text of numbers.
"""

from __future__ import annotations

from typing import Callable, NamedTuple

from evennia_ai.core.records import Entry
from evennia_ai.domain.sleeping import rating_rules, reflection_rules

# Entries that matter no more than this go before others.
TRIVIAL = 3


class PageCounts(NamedTuple):
    """The number of a page, how many entries it has, and how many of each of KINDS."""

    number: int
    count: int = 0
    consolidated: int = 0
    trivial: int = 0
    free: int = 0
    cited: int = 0
    last: int = 0
    unrated: int = 0
    ready: int = 0
    offline: int = 0
    syntheses: int = 0

    def changed(self, entry: Entry, by: int) -> PageCounts:
        """Return the counts with an entry more (`by` 1) or less (-1)."""
        kinds = {kind: getattr(self, kind) + by * is_of(entry) for kind, is_of in KINDS.items()}
        return self._replace(count=self.count + by, **kinds)

    def text(self) -> str:
        return " ".join(map(str, self))


def read_counts(text: str) -> PageCounts:
    """Return the counts that `text` stands for."""
    return PageCounts(*map(int, text.split()))


def _may_go(entry: Entry) -> bool:
    return not (entry.pinned or reflection_rules.is_synthesis(entry))


def _is_uncited(entry: Entry) -> bool:
    return _may_go(entry) and not entry.cited


def is_to_copy(entry: Entry) -> bool:
    """Return whether an entry is to be copied to long-term memory: it is not yet, and was not made of others."""
    return not (entry.consolidated or reflection_rules.is_synthesis(entry))


KINDS: dict[str, Callable[[Entry], bool]] = {
    # What a full journal may let go; `cited` has a copy elsewhere, `last` may be anything.
    "consolidated": lambda entry: _is_uncited(entry) and entry.consolidated,
    "trivial": lambda entry: _is_uncited(entry) and entry.importance <= TRIVIAL,
    "cited": lambda entry: _may_go(entry) and entry.cited and entry.consolidated,
    "free": _is_uncited,
    "last": _may_go,
    # What sleep has to do yet.
    "unrated": rating_rules.is_unrated,
    "ready": lambda entry: is_to_copy(entry) and not rating_rules.is_unrated(entry),
    "offline": rating_rules.is_rated_offline,
    # What sleep lets go of when there is too much of it.
    "syntheses": lambda entry: reflection_rules.is_synthesis(entry) and not entry.pinned,
}
