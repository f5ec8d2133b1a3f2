"""What a full journal lets go first: never what exists nowhere else, as long as there is a choice,
and what an insight rests on after all that nothing rests on.

The entries lie in pages; how many of each kind a page has is kept in a `Tally`, so that the next
one to go is found without reading them all.
"""

from __future__ import annotations

from typing import Iterable

from evennia_ai.domain.tally import Tally

# How far above its size a journal may grow while only memories are left that exist nowhere else.
TOLERANCE = 1.2
# Kinds of `tally.KINDS` in the order in which they go; those of the second line have no copy.
COPIED_OR_TRIVIAL = ("consolidated", "trivial", "cited")
NOWHERE_ELSE = ("free", "last")


def next_to_go(tallies: Iterable[str], *, size: int, max_entries: int) -> tuple[str, int] | None:
    """Return the kind and the page of the entry that makes room for one more, if one has to go.

    `tallies` are as they are stored, in order of the pages, the oldest first; `size` is how many
    entries they count.
    """
    if size < max_entries:
        return None
    is_over = size + 1 > TOLERANCE * max_entries
    pages = list(tallies)
    for kind in (*COPIED_OR_TRIVIAL, *(NOWHERE_ELSE if is_over else ())):
        place = Tally._fields.index(kind)
        for page in pages:
            # Not read as a tally: there may be hundreds, at each entry of a full journal.
            numbers = page.split(" ")
            if numbers[place] != "0":
                return kind, int(numbers[0])
    return None
