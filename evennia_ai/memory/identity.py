"""Identities: a UUID for everybody, which survives a rename and is not inherited by a copy.

Dbrefs are reused after a rebuild and names change, so memories are kept under an identity that is
stored on the object itself, where no command can write it.
"""

from __future__ import annotations

import uuid
from typing import TypeAlias

from django.conf import settings
from evennia.accounts.accounts import CharactersHandler
from evennia.accounts.models import AccountDB
from evennia.typeclasses.models import TypedObject

from evennia_ai import conf
from evennia_ai.core.records import Identity
from evennia_ai.memory import kinds, lookup, repository

# An identity, a dbref such as "#123", or an object.
Entity: TypeAlias = "str | TypedObject"


def identity_of(obj: TypedObject) -> str:
    """Return the identity of an object; it is given at the first call. A copy gets one of its own."""
    known = repository.load(obj, kinds.IDENTITY)
    if known is None:
        account = getattr(obj, "account", None)
        known = Identity(str(uuid.uuid4()), account.id if account is not None else 0)
        repository.save(obj, kinds.IDENTITY, known)
    return known.uuid


def has_own(obj: TypedObject) -> bool:
    return repository.load(obj, kinds.IDENTITY) is not None


def identify(npc: TypedObject, obj: TypedObject) -> str:
    """Return whom `npc` takes `obj` for; the default of the hook IDENTIFY."""
    return identity_of(obj)


def perceived(npc: TypedObject, obj: TypedObject) -> str:
    """Return whom `npc` takes `obj` for, by the hook of the game; its own identity is its own."""
    return identity_of(obj) if obj is npc else _normal(conf.hook("IDENTIFY")(npc, obj))


def masks_of(obj: TypedObject) -> list[str]:
    """Return as whom else NPCs have heard somebody."""
    return repository.load(obj, kinds.MASKS) or []


def note_mask(obj: TypedObject, who: str) -> None:
    """Note as whom an NPC has heard somebody in a mask: by that it can be forgotten when it is off."""
    known = masks_of(obj)
    if who not in known:
        repository.save(obj, kinds.MASKS, [*known, who])


def object_of(entity: Entity) -> TypedObject | None:
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


def known_as(npc: TypedObject, entity: Entity) -> str:
    """Return the identity under which `npc` remembers a UUID, a dbref such as "#123" or an object.

    Where a mask can be worn, an object is whom it is taken for.
    """
    if isinstance(entity, str) and not _is_dbref(entity):
        return _normal(entity)
    return perceived(npc, object_of(entity))


def account_of(obj: TypedObject) -> AccountDB | None:
    """Return the account that plays an object or, if none does now, the one that played it; or None.

    Of an object that nobody was seen playing it is the one that made it, if it is among its own.
    """
    known = repository.load(obj, kinds.IDENTITY)
    if obj.account is not None:
        if known is not None and not _stays(obj, known.account, obj.account):
            repository.save(obj, kinds.IDENTITY, Identity(known.uuid, obj.account.id))
        return obj.account
    if known is not None and known.account:
        return _account(known.account)
    maker = _account(obj.attributes.get("creator_id"))
    # Any builder can write that Attribute; the list of an account's characters is the account's.
    return maker if maker is not None and obj in characters_of(maker) else None


def characters_of(account: AccountDB) -> list[TypedObject]:
    """Return the characters of an account: those on its list that nobody else was seen playing."""
    handler = account.characters
    if type(handler) is not CharactersHandler:
        return list(handler.all())
    # Evennia's own writes its list to the database each time that it is asked.
    listed = account.attributes.get("_playable_characters") or ()
    return [one for one in listed if one and last_player(one) in (0, account.id)]


def last_player(obj: TypedObject) -> int:
    """Return the account that was seen playing an object last, 0 if none was."""
    known = repository.load(obj, kinds.IDENTITY)
    return (known.account or 0) if known is not None else 0


def _stays(obj: TypedObject, known: int, account: AccountDB) -> bool:
    """Return whether the account that is known as an object's stays so, though another one plays it just now.

    Staff may try a character that a player lists as their own.
    """
    if known == account.id:
        return True
    player = _account(known)
    return player is not None and _lists(player, obj) and not _lists(account, obj)


def _lists(account: AccountDB, obj: TypedObject) -> bool:
    return obj in (account.attributes.get("_playable_characters") or ())


def is_guest(obj: TypedObject) -> bool:
    """Return whether an object is played by a guest account, or was made by one.

    Guests are strangers at each visit: others will get the same name.
    """
    account = account_of(obj)
    return account is not None and is_guest_account(account)


def is_guest_account(account: AccountDB) -> bool:
    """Return whether an account was made for one visit, or may do no more than such a one."""
    guest = str(settings.PERMISSION_GUEST_DEFAULT or "").lower().rstrip("s")
    permissions = {one.lower().rstrip("s") for one in account.permissions.all()}
    is_made_so = account.is_typeclass(settings.BASE_GUEST_TYPECLASS, exact=False)
    return is_made_so or guest in permissions


def forget_everything(obj: TypedObject) -> None:
    """Delete all memory that is stored on a body; its persona stays."""
    with repository.together(obj):
        for kind in kinds.on(kinds.BODY):
            if kind.role == "memory":
                repository.clear(obj, kind)


def _account(account_id: object) -> AccountDB | None:
    # Evennia unlinks account and character before it deletes those of a guest who leaves.
    try:
        return AccountDB.objects.get(pk=account_id) if account_id else None
    except (AccountDB.DoesNotExist, TypeError, ValueError):
        return None


def _is_dbref(entity: str) -> bool:
    return entity.startswith("#") and entity[1:].isdecimal()


def _normal(identity: str) -> str:
    # Evennia strips and lower-cases the keys of Attributes, under which memories are kept.
    return identity.strip().lower()
