"""Facts about somebody for tests that need no mind that concluded them."""

from typing import Any

from evennia_ai.core.records import EntityAttribute
from tests.domain.lines import OF_THE_GAME

PLAIN: dict[str, Any] = {
    "id": 1,
    "type": "trait",
    "source": "consolidation",
    "created": "2030-01-01T00:00:00.000Z",
    "superseded_by": None,
    "audience": "public",
    "sources": OF_THE_GAME,
}


def fact(value: str = "shy", **fields: Any) -> EntityAttribute:
    """Return a fact with every field; `fields` are those that matter to the test."""
    return EntityAttribute(**{**PLAIN, "derived_from": [], "told_by": [], "value": value, **fields})
