"""What a mind reads when somebody speaks to it, by two questions to the database instead of thirty.

A village that was silent since the start has read nothing yet, and may be spoken to all at once.
"""

from __future__ import annotations

from typing import Any

from evennia_ai.storage import (
    assistant,
    attributes,
    decisions,
    entity_backlog,
    entity_profiles,
    goals,
    identity,
    journal_pages,
    night,
    persona,
    reflection,
    working_memory,
)

# Of the mind and of the body, without what is kept of one person.
MIND = [
    ("assistant_key", None),
    ("counters", None),
    (assistant.PENDING, None),
    (assistant.REMINDERS, None),
    (decisions.KEY, None),
    (goals.GOALS, None),
    (goals.PROJECTS, None),
    (reflection.KEY, None),
    *((key, None) for key in night.KEYS),
]
BODY = [
    ("allowed_commands", None),
    ("experience_scope", None),
    (identity.KEY, attributes.CATEGORY),
    (journal_pages.KEY, None),
    (persona.PERSONA_KEY, None),
    (persona.LORE_KEY, None),
]
OF_A_PERSON = (working_memory.CATEGORY, entity_profiles.CATEGORY, entity_backlog.CATEGORY)


def read_ahead(npc: Any, script: Any, who: str) -> None:
    """Read what a turn with somebody will ask for; what has been read already costs nothing."""
    person = [(who, category) for category in OF_A_PERSON] if who else []
    initial = [(who[:1], entity_profiles.NAMES_CATEGORY)] if who else []
    attributes.warm(npc, [*BODY, *person, *initial])
    attributes.warm(script, MIND)
