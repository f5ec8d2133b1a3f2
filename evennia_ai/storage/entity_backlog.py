"""Whom there is something to make of in sleep: a mark for each person with enough observations.

So nobody has to read what an innkeeper knows of 5,000 people to find the three that are new. It also
keeps how far the journal has been looked through for what it says of people.
"""

from __future__ import annotations

from typing import Any

from evennia_ai.storage import attributes

CATEGORY = "entity_backlog"

# Beside the marks, whose keys are identities.
_JOURNAL = "journal"


def ripe(character: Any) -> list[str]:
    """Return the identities of those with enough observations to make something of, sorted."""
    return [key for key in attributes.keys(character, category=CATEGORY) if key != _JOURNAL]


def is_ripe(character: Any, key: str) -> bool:
    """Return whether somebody is marked."""
    return attributes.load(character, key, category=CATEGORY) is not None


def noticed_until(character: Any) -> int:
    """Return the id of the last journal entry that was looked through; 0 if none was."""
    return attributes.load(character, _JOURNAL, category=CATEGORY, default=0)


def note_noticed(character: Any, entry_id: int) -> None:
    """Note that the journal was looked through up to this entry."""
    attributes.save(character, _JOURNAL, entry_id, category=CATEGORY)
