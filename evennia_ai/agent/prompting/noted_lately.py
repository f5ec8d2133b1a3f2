"""Recent public entries of the journal, for an assistant that acts by itself."""

from __future__ import annotations

import itertools
from typing import Any

from evennia_ai.domain import audience
from evennia_ai.domain.memories import memory_ranking
from evennia_ai.memory import journal

# Entries that are looked at, and of them those that one prompt gets.
LOOKED_AT, LIMIT = 100, 12


def told(npc: Any) -> list[tuple[str, str]]:
    """Return the newest public entries of an NPC's journal, oldest first: (who said it, text)."""
    recent = itertools.islice(journal.newest_first(npc), LOOKED_AT)
    kept = (memory_ranking.of_entry(entry) for entry in recent)
    public = ((one.by, one.text) for one in kept if one.audience == audience.PUBLIC)
    return list(itertools.islice(public, LIMIT))[::-1]
