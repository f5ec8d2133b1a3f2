"""Tables for the screen of whoever reads them: within its width, or in plain lines for a screen reader."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from evennia.utils.evtable import EvTable
from evennia.utils.utils import display_len

# Columns of a terminal that says nothing of its width.
WIDTH = 78
# Blanks beside the words of a column, and the width that every column keeps.
PADDING = 2
NARROWEST = 10


class Screen(NamedTuple):
    """What somebody reads on: how wide it is, and whether a program reads it out."""

    width: int = WIDTH
    is_read_aloud: bool = False


# What a client is taken for that says nothing of itself.
USUAL = Screen()


def screen_of(session: Any) -> Screen:
    """Return the screen of a session, as its client described it to Evennia."""
    flags = getattr(session, "protocol_flags", None) or {}
    widths = flags.get("SCREENWIDTH") or {}
    width = widths.get(0, WIDTH) if isinstance(widths, dict) else WIDTH
    # Longer lines are tiring to read, and a client may name any number.
    return Screen(max(40, min(int(width), WIDTH)), bool(flags.get("SCREENREADER")))


def table(heads: Sequence[str], rows: Iterable[Sequence[Any]], screen: Screen = USUAL) -> str:
    """Return rows under their heads; for a screen reader each row is a line that names its cells."""
    if screen.is_read_aloud:
        return "\n".join(_spoken(heads, row) for row in rows)
    shown = [[str(cell) for cell in row] for row in rows]
    made = EvTable(*heads, border="header")
    for row in shown:
        made.add_row(*row)
    for column, width in _narrowed([list(heads), *shown], screen.width).items():
        made.reformat_column(column, width=width)
    return str(made)


def _narrowed(rows: list[list[str]], width: int) -> dict[int, int]:
    """Return the widths of the columns that must give way, the widest first, so that a row fits."""
    widths = [max(map(display_len, column)) + PADDING for column in zip(*rows, strict=True)]
    natural = list(widths)
    while sum(widths) > width and max(widths) > NARROWEST:
        widths[widths.index(max(widths))] -= 1
    return {at: size for at, size in enumerate(widths) if size < natural[at]}


def _spoken(heads: Sequence[str], row: Sequence[Any]) -> str:
    first, *others = zip(heads, row, strict=True)
    cells = [f"{head} {cell}" for head, cell in others if str(cell).strip()]
    return f"{first[1]}: {', '.join(cells)}."
