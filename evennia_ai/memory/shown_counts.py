"""Counts that builders see of a mind as `obj.db.journal` and `obj.db.entity_profiles`, made from what is stored."""

from __future__ import annotations

from evennia.typeclasses.models import TypedObject

from evennia_ai.memory import kinds, repository

# What builders see of the head of a journal, and what of it stands in the file of a mind.
OF_HEAD = ("entry_count", "max_entries", "last_reflection")


def show_journal(character: TypedObject) -> None:
    """Show how much there is."""
    head = repository.load(character, kinds.JOURNAL_HEAD)
    if head is not None:
        shown = {key: getattr(head, key) for key in OF_HEAD}
        repository.show(character, "journal", {"entries": head.size, **shown})


def show_people(character: TypedObject) -> None:
    """Show how many people it knows."""
    pages = (repository.load(character, kinds.NAMES, one) for one in kinds.NAMES.pages)
    people = sum(len(names) for names in pages if names)
    repository.show(character, "entity_profiles", {"people": people})


SHOW = {"journal": show_journal, "entity_profiles": show_people}
