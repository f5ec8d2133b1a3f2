"""The backlog of people to think about in sleep: a mark for each with enough observations.

So nobody has to read what an innkeeper knows of 5,000 people to find the three that are new. It also
keeps how far the journal has been looked through for what it says of people.
"""

from __future__ import annotations

from evennia.typeclasses.models import TypedObject

from evennia_ai.memory import kinds, repository

# Beside the marks, whose keys are identities.
_JOURNAL = "journal"


def ripe(character: TypedObject) -> list[str]:
    """Return the identities of those with enough observations to make something of, sorted."""
    return [key for key in repository.keys(character, kinds.BACKLOG) if key != _JOURNAL]


def is_ripe(character: TypedObject, key: str) -> bool:
    return repository.load(character, kinds.BACKLOG, key) is not None


def noticed_until(character: TypedObject) -> int:
    """Return the id of the last journal entry that was looked through; 0 if none was."""
    return repository.load(character, kinds.BACKLOG, _JOURNAL) or 0


def note_noticed(character: TypedObject, entry_id: int) -> None:
    """Note that the journal was looked through up to this entry."""
    repository.save(character, kinds.BACKLOG, entry_id, _JOURNAL)
