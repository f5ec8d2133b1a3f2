"""Who somebody is, for good: a UUID that survives a rename and is not inherited by a copy.

Dbrefs are reused after a rebuild and names change, so memories are kept under an identity that is
stored on the object itself, together with the id of the object that owns it.
"""

from __future__ import annotations

import uuid
from typing import Any

from django.conf import settings
from evennia.accounts.models import AccountDB

from evennia_ai import conf
from evennia_ai.storage import attributes, lookup

KEY = "identity"

# What belongs to one mind and must not come along when its body is copied.
MEMORY_CATEGORIES = (
    "working_memory",
    "entity_profiles",
    "entity_names",
    "entity_backlog",
    "journal",
)
# Attributes under plain names that belong to it, too.
MEMORY_KEYS = ("journal",)


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


def has_own(obj: Any) -> bool:
    """Return whether an object was given an identity; that of the original of a copy is not its own."""
    stored = attributes.load(obj, KEY)
    return bool(stored) and stored["owner"] == obj.id


def identify(npc: Any, obj: Any) -> str:
    """Return whom `npc` takes `obj` for; the default behind the door IDENTIFY."""
    return identity_of(obj)


def perceived(npc: Any, obj: Any) -> str:
    """Return whom `npc` takes `obj` for, by the door of the game; its own identity is its own."""
    return identity_of(obj) if obj is npc else _normal(conf.door("IDENTIFY")(npc, obj))


def resolve(entity: Any) -> str:
    """Return the identity that a UUID, a dbref such as "#123" or an object stands for."""
    if isinstance(entity, str) and not _is_dbref(entity):
        return _normal(entity)
    return identity_of(object_of(entity))


def object_of(entity: Any) -> Any:
    """Return the object that an object or a dbref is, or None for a UUID.

    Raises:
        KeyError: There is no object with this dbref.
    """
    if not isinstance(entity, str):
        return entity
    if not _is_dbref(entity):
        return None
    obj = lookup.object_by_id(int(entity[1:]))
    if obj is None:
        raise KeyError(f"There is no object {entity}.")
    return obj


def known_as(npc: Any, entity: Any) -> str:
    """Return the identity under which `npc` remembers a UUID, a dbref such as "#123" or an object.

    Where a mask can be worn, an object is whom it is taken for.
    """
    if isinstance(entity, str) and not _is_dbref(entity):
        return _normal(entity)
    return perceived(npc, object_of(entity))


def account_of(obj: Any) -> Any:
    """Return the account that plays an object or, if none does now, the one that made it; or None."""
    return obj.account or _maker_of(obj)


def is_guest(obj: Any) -> bool:
    """Return whether an object is played by a guest account, or was made by one.

    Guests are strangers at each visit: others will get the same name.
    """
    account = account_of(obj)
    if account is None:
        return False
    guest = str(settings.PERMISSION_GUEST_DEFAULT or "").lower().rstrip("s")
    permissions = {one.lower().rstrip("s") for one in account.permissions.all()}
    is_made_so = account.is_typeclass(settings.BASE_GUEST_TYPECLASS, exact=False)
    return is_made_so or guest in permissions


def forget_everything(obj: Any) -> None:
    """Delete all memory that is stored on a body; its persona stays."""
    for category in MEMORY_CATEGORIES:
        attributes.clear(obj, category=category)
    for key in MEMORY_KEYS:
        attributes.remove(obj, key, category=None)


def _maker_of(obj: Any) -> Any:
    # Evennia unlinks account and character before it deletes those of a guest who leaves.
    maker = attributes.load(obj, "creator_id", category=None)
    try:
        return AccountDB.objects.get(pk=maker) if maker else None
    except AccountDB.DoesNotExist:
        return None


def _is_dbref(entity: str) -> bool:
    return entity.startswith("#") and entity[1:].isdecimal()


def _normal(identity: str) -> str:
    # Evennia strips and lower-cases the keys of Attributes, under which memories are kept.
    return identity.strip().lower()
