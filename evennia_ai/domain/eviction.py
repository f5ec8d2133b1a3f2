"""What a full journal lets go first: never what exists nowhere else, as long as there is a choice.

The entries lie in pages; how many of each kind a page has is kept in a `Tally`, so that the next
one to go is found without reading them all.
"""

from __future__ import annotations

from typing import Any, Callable, Iterable, NamedTuple

from evennia_ai.domain import reflection

# Entries that matter no more than this go before others.
TRIVIAL = 3
# How far above its size a journal may grow while only memories are left that exist nowhere else.
TOLERANCE = 1.2

Entry = dict[str, Any]


class Tally(NamedTuple):
    """How many entries a page has, and how many of them may go, by kind; pinned ones may not."""

    number: int
    count: int = 0
    consolidated: int = 0
    trivial: int = 0
    free: int = 0

    def changed(self, entry: Entry, by: int) -> Tally:
        """Return the tally with an entry more (`by` 1) or less (-1)."""
        consolidated, trivial, free = (by * rule(entry) for rule in RULES.values())
        return Tally(
            self.number,
            self.count + by,
            self.consolidated + consolidated,
            self.trivial + trivial,
            self.free + free,
        )

    def text(self) -> str:
        """Return the tally as it is stored."""
        return " ".join(map(str, self))


def read_tally(text: str) -> Tally:
    """Return the tally that `text` stands for."""
    return Tally(*map(int, text.split()))


def _is_free(entry: Entry) -> bool:
    return not (entry["pinned"] or reflection.is_synthesis(entry))


# In the order in which they go.
RULES: dict[str, Callable[[Entry], bool]] = {
    "consolidated": lambda entry: _is_free(entry) and entry["consolidated"],
    "trivial": lambda entry: _is_free(entry) and entry["importance"] <= TRIVIAL,
    "free": _is_free,
}


def next_to_go(tallies: Iterable[str], *, size: int, max_entries: int) -> tuple[str, int] | None:
    """Return the rule and the page of the entry that makes room for one more, if one has to go.

    `tallies` are as they are stored, in order of the pages, the oldest first; `size` is how many
    entries they count.
    """
    if size < max_entries:
        return None
    pages = list(tallies)
    for rule in RULES:
        if rule == "free" and size + 1 <= TOLERANCE * max_entries:
            return None
        place = Tally._fields.index(rule)
        for page in pages:
            # Not read as a tally: there may be hundreds, at each entry of a full journal.
            numbers = page.split(" ")
            if numbers[place] != "0":
                return rule, int(numbers[0])
    return None
