"""What an assistant knows of somebody, put there past the functions that find it out."""

from typing import Any

from msgspec import structs

from evennia_ai.memory import kinds, repository
from evennia_ai.memory.people import entity_profiles
from tests.domain.profiles import fact


def change_profile(npc: Any, who: Any, **fields: Any) -> None:
    """Let what is known of somebody be so in some fields."""
    known = entity_profiles.get_entity_profile(npc, who)
    repository.save(npc, kinds.PROFILES, structs.replace(known, **fields), known.entity_id)


def add_fact(npc: Any, who: Any, value: str, **fields: Any) -> None:
    """Let something be known of somebody for good."""
    known = entity_profiles.get_entity_profile(npc, who).attributes
    added = fact(value, **{"id": 1 + max((one.id for one in known), default=0), **fields})
    change_profile(npc, who, attributes=[*known, added])
