"""The last decisions of a mind, until it is known what came of them.

Experience itself is kept elsewhere; these are what a reward, or a rating, can still be given to.
"""

from __future__ import annotations

from typing import Any

from evennia_ai.memory import kinds, repository

# Decisions that are kept; the oldest goes first.
LIMIT = 20


def recent(script: Any) -> list[dict[str, Any]]:
    """Return the last decisions, oldest first.

    Each is {"id", "turn", "actor", "at", "action", "title", "favorability", "goal_progress", "given",
    "rating", "reward", "settled"}: `id` is that in the store, `given` what the game added, `reward`
    what came of it before anybody rated it.
    """
    return repository.load(script, kinds.DECISIONS) or []


def add(script: Any, record: dict[str, Any]) -> list[dict[str, Any]]:
    """Keep one more; return those that had to go."""
    with repository.edit(script, kinds.DECISIONS, default=list) as kept:
        kept.append(record)
        gone = kept[:-LIMIT]
        del kept[:-LIMIT]
    return gone


def change(script: Any, decision_id: str, **fields: Any) -> dict[str, Any] | None:
    """Change fields of one decision and return it; None if it is not kept any more."""
    records = recent(script)
    found = next((record for record in records if record["id"] == decision_id), None)
    if found is not None:
        found.update(fields)
        repository.save(script, kinds.DECISIONS, records)
    return found
