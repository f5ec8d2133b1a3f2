"""Which lines of a prompt go when it is too long."""

from __future__ import annotations

from evennia_ai.domain import tokens

Section = str | list[str]

# What may be cut, first to last, and from which end: the least fitting memory, how other goals went,
# the oldest line.
CUT_ORDER = (("memories", -1), ("experience", -1), ("goals", -1), ("conversation", 0))


def fit(sections: dict[str, Section], *, limit: int, factor: float = 1.0) -> dict[str, Section]:
    """Return the sections cut to `limit` tokens as far as that goes without touching the others.

    Only sections that are lists of lines are cut, line by line. `factor` corrects the estimate.
    """
    fitted = {
        name: list(part) if isinstance(part, list) else part for name, part in sections.items()
    }
    size = sum(map(_size, fitted.values()))
    for name, end in CUT_ORDER:
        lines = fitted.get(name)
        while size * factor > limit and isinstance(lines, list) and lines:
            size -= _size([lines.pop(end)])
    return fitted


def _size(section: Section) -> int:
    # Line by line, each with its break, so that a line takes away with it what it has added.
    lines = [section] if isinstance(section, str) else section
    return sum(tokens.estimate(f"{line}\n") for line in lines)
