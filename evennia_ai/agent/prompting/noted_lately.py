"""Recent public entries of the journal, for an assistant that acts by itself."""

from __future__ import annotations

import itertools
from typing import Any

from evennia_ai.domain import audience
from evennia_ai.memory import journal

# Entries that are looked at, and of them those that one prompt gets.
LOOKED_AT, LIMIT = 100, 12


def texts(npc: Any) -> list[str]:
    """Return the newest public entries of an NPC's journal, oldest first."""
    recent = itertools.islice(journal.newest_first(npc), LOOKED_AT)
    public = (entry.content for entry in recent if entry.audience == audience.PUBLIC)
    return list(itertools.islice(public, LIMIT))[::-1]
