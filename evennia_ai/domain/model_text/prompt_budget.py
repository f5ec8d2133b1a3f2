"""The budget of a prompt: which lines go when it is too long."""

from __future__ import annotations

from evennia_ai.domain.model_text import tokens

Section = str | list[str]

# What may be cut, first to last, from which end, and how many lines stay for the time being: older
# lines (what answers is found among the memories, too), the least fitting memory, how other goals
# went, and in the end lore and the rest of the conversation.
CUT_ORDER = (
    ("conversation", 0, 10),
    ("memories", -1, 0),
    ("experience", -1, 0),
    ("goals", -1, 0),
    ("lore", -1, 0),
    ("conversation", 0, 0),
)


# Tokens of a prompt for which all other limits are made.
USUAL = 3000


def grown(limit: int, *, context_tokens: int) -> int:
    """Return a limit that is made for a usual prompt, larger for a prompt that has more room."""
    return max(limit, limit * context_tokens // USUAL)


def fit(sections: dict[str, Section], *, limit: int) -> dict[str, Section]:
    """Return the sections cut to `limit` tokens as far as that goes without touching the others.

    Only sections that are lists of lines are cut, line by line.
    """
    fitted = {
        name: list(part) if isinstance(part, list) else part for name, part in sections.items()
    }
    size = sum(map(_size, fitted.values()))
    for name, end, least in CUT_ORDER:
        lines = fitted.get(name)
        while size > limit and isinstance(lines, list) and len(lines) > least:
            size -= _size([lines.pop(end)])
    return fitted


def _size(section: Section) -> int:
    # Line by line, each with its break, so that a line takes away with it what it has added.
    lines = [section] if isinstance(section, str) else section
    return sum(tokens.estimate(f"{line}\n") for line in lines)
