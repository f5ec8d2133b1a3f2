"""The prompts of a life of its own, each a function of what it needs."""

from __future__ import annotations

from evennia_ai.domain.model_text.quotation import quote


def day(*, doing: str, place: str, then: tuple[str, str], others: list[tuple[str, ...]]) -> str:
    """Say what the character is about by its day, and where those should be who were asked for."""
    lines = [f"What you do now: {quote(doing)}"] if doing else []
    lines += [f"You are on your way to {quote(place)}."] if place else []
    lines += [f"From {then[0]} on you are in {quote(then[1])}."] if all(then) else []
    where = "{} should be in {} at this hour, and come here at {}."
    lines += [where.format(quote(who), quote(there), back or "?") for who, there, back in others]
    return "\n".join(lines)
