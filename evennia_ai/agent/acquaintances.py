"""What an assistant knows for good of people whom somebody mentions, as memories to be told."""

from __future__ import annotations

import re
from typing import Any

from evennia_ai.domain import consolidation
from evennia_ai.storage import entity_profiles

# People whom one question may be about.
PEOPLE = 3
# How far lasting knowledge is believed: it rests on more than one look.
TRUST = 0.8
IMPORTANCE = 6

_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")


def facts(npc: Any, words: str) -> list[dict[str, Any]]:
    """Return what is known for good of those who are named in some words, each with its audience."""
    mentioned = entity_profiles.find_mentioned(npc, _possible_names(words))
    return [fact for who in mentioned[:PEOPLE] for fact in _of(npc, who)]


def _of(npc: Any, who: str) -> list[dict[str, Any]]:
    known = entity_profiles.find_profile(npc, who)
    return [
        {
            "text": consolidation.sentence(known["name"], str(fact["value"])),
            "by": "",
            "kind": "fact",
            "timestamp": fact["created"],
            "trust": TRUST,
            "importance": IMPORTANCE,
            "audience": fact["audience"],
            "event_id": "",
        }
        for fact in (known["attributes"] if known else ())
        if fact["superseded_by"] is None
    ]


def _possible_names(words: str) -> list[str]:
    """Return the words one by one, and in twos and threes, in lower case: names, perhaps."""
    found = _WORD.findall(words.casefold())
    runs = [" ".join(found[at : at + size]) for size in (3, 2, 1) for at in range(len(found))]
    return list(dict.fromkeys(runs))
