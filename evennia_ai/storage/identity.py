"""Who somebody is, for good: a UUID that survives a rename and is not inherited by a copy.

Dbrefs are reused after a rebuild and names change, so memories are kept under an identity that is
stored on the object itself, together with the id of the object that owns it.
"""

from __future__ import annotations

import uuid
from typing import Any

from evennia_ai import conf
from evennia_ai.storage import attributes, lookup

KEY = "identity"

# What belongs to one mind and must not come along when its body is copied.
MEMORY_CATEGORIES = ("working_memory",)


def identity_of(obj: Any) -> str:
    """Return the identity of an object; it is given at the first call.

    A copy carries the Attributes of its original: it gets an identity of its own and forgets what
    the original knew.
    """
    stored = attributes.load(obj, KEY)
    if stored and stored["owner"] == obj.id:
        return stored["uuid"]
    if stored:
        forget_everything(obj)
    fresh = {"uuid": str(uuid.uuid4()), "owner": obj.id}
    attributes.save(obj, KEY, fresh)
    return fresh["uuid"]


def identify(npc: Any, obj: Any) -> str:
    """Return whom `npc` takes `obj` for; the default behind the door IDENTIFY."""
    return identity_of(obj)


def perceived(npc: Any, obj: Any) -> str:
    """Return whom `npc` takes `obj` for, by the door of the game; its own identity is its own."""
    return identity_of(obj) if obj is npc else _normal(conf.door("IDENTIFY")(npc, obj))


def resolve(entity: Any) -> str:
    """Return the identity that a UUID, a dbref such as "#123" or an object stands for."""
    if not isinstance(entity, str):
        return identity_of(entity)
    if entity.startswith("#") and entity[1:].isdecimal():
        obj = lookup.object_by_id(int(entity[1:]))
        if obj is None:
            raise KeyError(f"There is no object {entity}.")
        return identity_of(obj)
    return _normal(entity)


def forget_everything(obj: Any) -> None:
    """Delete all memory that is stored on a body; its persona stays."""
    for category in MEMORY_CATEGORIES:
        attributes.clear(obj, category=category)


def _normal(identity: str) -> str:
    # Evennia strips and lower-cases the keys of Attributes, under which memories are kept.
    return identity.strip().lower()
