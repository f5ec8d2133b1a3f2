"""The last decisions of a mind, until it is known what came of them.

Experience itself is kept elsewhere; these are what a reward, or a rating, can still be given to.
"""

from __future__ import annotations

from evennia.typeclasses.models import TypedObject
from msgspec import structs

from evennia_ai.core.states import Decision
from evennia_ai.memory import kinds, repository

# Decisions that are kept; the oldest goes first.
LIMIT = 20


def recent(script: TypedObject) -> list[Decision]:
    """Return the last decisions, oldest first."""
    return repository.load(script, kinds.DECISIONS) or []


def add(script: TypedObject, decision: Decision) -> list[Decision]:
    """Keep one more; return those that had to go."""
    with repository.edit(script, kinds.DECISIONS, default=list) as kept:
        kept.append(decision)
        gone = kept[:-LIMIT]
        del kept[:-LIMIT]
    return gone


def remove(script: TypedObject, decision_id: str) -> None:
    """Keep one no longer."""
    kept = [one for one in recent(script) if one.id != decision_id]
    repository.save(script, kinds.DECISIONS, kept)


def change(script: TypedObject, decision_id: str, **fields: object) -> Decision | None:
    """Change fields of one decision and return it; None if it is not kept any more."""
    kept = recent(script)
    for place, one in enumerate(kept):
        if one.id == decision_id:
            kept[place] = changed = structs.replace(one, **fields)
            repository.save(script, kinds.DECISIONS, kept)
            return changed
    return None
