"""Lasting knowledge of a person without a model: the newest observations of them, in the words in which they were made.

A mind without a model answers the job `consolidate` with it. Nothing is made up or reworded.
"""

from __future__ import annotations

from typing import Any

from evennia_ai.domain.sleeping import mentions

# Observations of one night that are kept for good.
KEPT = 4
# The type of such an attribute.
TYPE = "own_words"


def draw(context: dict[str, Any]) -> list[dict[str, Any]]:
    """Return lasting knowledge as [{"type", "value", "evidence", "replaces"}].

    The context has `observations` of {"id", "content"}, oldest first; what `known` and
    `background` have is not said again.
    """
    told = {
        str(one["value"]).casefold()
        for key in ("known", "background")
        for one in context.get(key) or ()
    }
    by_value: dict[str, list[int]] = {}
    for one in context["observations"]:
        by_value.setdefault(_value(one["content"]), []).append(one["id"])
    fresh = [one for one in by_value.items() if one[0].casefold() not in told]
    return [
        {"type": TYPE, "value": value, "evidence": evidence, "replaces": []}
        for value, evidence in fresh[-KEPT:]
    ]


def _value(content: str) -> str:
    """An observation as an attribute: words that were said stand in quotation marks, with their source."""
    said = mentions.words_of(content)
    if said == content:
        return content.rstrip(".")
    teller = content[: -len(said)].rstrip(": ")
    return f'{teller} "{said.rstrip(".")}"' if '"' not in said else f"{teller} “{said}”"
