"""Accounts: who plays whom, who is staff, and who does not want to be remembered, whoever they play.

The list of those stands in Evennia's ServerConfig and is mirrored in memory, because each line asks for it. Beside it
stands which of their characters players have deleted: what those said is remembered, and can be forgotten.
"""

from __future__ import annotations

from collections.abc import Iterable

from evennia.accounts.models import AccountDB
from evennia.locks.lockhandler import check_lockstring
from evennia.server.models import ServerConfig
from evennia.typeclasses.models import TypedObject

from evennia_ai.core import volatile
from evennia_ai.core.records import GUESTS, Identity
from evennia_ai.memory import identity, lookup

# {account id: {identity: object id}} of those who opted out.
KEY = "evennia_ai_opted_out"
# {account id: identities}
DELETED = "evennia_ai_deleted_characters"


def payer_of(who: TypedObject | AccountDB) -> int:
    """Return on whose account what an object or account causes counts just now.

    That is the account which plays it, GUESTS for all guests together, or 0 where nobody does.
    """
    account = who if isinstance(who, AccountDB) else getattr(who, "account", None)
    if account is None:
        return 0
    return GUESTS if identity.is_guest_account(account) else account.id


def characters_of(obj: TypedObject) -> list[TypedObject]:
    """Return all characters of whoever plays an object, itself among them."""
    account = identity.account_of(obj)
    others = identity.characters_of(account) if account is not None else ()
    return [obj, *(one for one in others if one != obj)]


def identities_of(obj: TypedObject) -> set[str]:
    """Return the identities of all characters of whoever plays an object, in any mask, also of those that were deleted."""
    account, own = identity.account_of(obj), characters_of(obj)
    deleted = deleted_of(account.id) if account is not None else set()
    masks = {mask for one in own for mask in identity.masks_of(one)}
    return {identity.identity_of(one) for one in own} | masks | deleted


def deleted_of(account_id: int) -> set[str]:
    """Return the identities of an account's characters that were deleted, unless all have forgotten them."""
    return {*_deleted().get(account_id, ())}


def note_deleted(who: Identity, masks: Iterable[str]) -> None:
    """Note that a character is deleted, if an account played it; guests are forgotten as they leave."""
    account = lookup.account_by_id(who.account)
    if account is not None and not identity.is_guest_account(account):
        _save_deleted(account.id, deleted_of(account.id) | {who.uuid, *masks})


def forget_deleted(account_id: int, identities: Iterable[str]) -> None:
    """Let go of deleted characters of an account, which all have forgotten."""
    _save_deleted(account_id, deleted_of(account_id).difference(identities))


def _deleted() -> dict[int, list[str]]:
    return ServerConfig.objects.conf(DELETED, default=None) or {}


def _save_deleted(account_id: int, identities: set[str]) -> None:
    kept = {**_deleted(), account_id: sorted(identities)}
    left = {one: who for one, who in kept.items() if who}
    ServerConfig.objects.conf(DELETED, left or None, delete=not left)


def is_passing(obj: TypedObject) -> bool:
    """Return whether somebody is remembered for their visit only: a guest, or who opted out."""
    return identity.is_guest(obj) or is_opted_out(obj)


def is_opted_out(obj: TypedObject) -> bool:
    """Return whether whose character an object is, or whoever plays it just now, does not want to be remembered."""
    if not _loaded():
        return False
    account, who = identity.account_of(obj), identity.identity_of(obj)
    playing = account.id if account is not None else 0
    owner = identity.last_player(obj) or playing
    listed = {one for one, known in _loaded().items() if who in known}
    if not owner:
        return bool(listed)
    if listed != {owner} & _loaded().keys():
        # It was made later, or was somebody else's before.
        _list_under(owner, who, obj.id)
    return not _loaded().keys().isdisjoint({owner, playing})


def _list_under(owner: int, who: str, object_id: int) -> None:
    listed = {
        account: {one: known[one] for one in known if one != who}
        for account, known in _loaded().items()
    }
    if owner in listed:
        listed[owner][who] = object_id
    _save(listed)


def object_id_of(who: str) -> int | None:
    """Return the id of the object of somebody who opted out, by identity; None for all others."""
    return next((known[who] for known in _loaded().values() if who in known), None)


def opt_out(obj: TypedObject) -> bool:
    """Remember nothing more of whoever plays an object; False if that is so already.

    Raises:
        ValueError: Nobody plays it.
    """
    account = _player_of(obj)
    if account.id in _loaded():
        return False
    known = {identity.identity_of(one): one.id for one in characters_of(obj)}
    _save({**_loaded(), account.id: known})
    return True


def opt_in(obj: TypedObject) -> bool:
    """Remember whoever plays an object as anybody else; False if that is so already."""
    account = _player_of(obj)
    if account.id not in _loaded():
        return False
    _save({one: known for one, known in _loaded().items() if one != account.id})
    return True


def _player_of(obj: TypedObject) -> AccountDB:
    account = identity.account_of(obj)
    if account is None:
        raise ValueError(f"Nobody plays {obj}.")
    return account


@volatile.once
def _loaded() -> dict[int, dict[str, int]]:
    return ServerConfig.objects.conf(KEY, default=None) or {}


def _save(opted_out: dict[int, dict[str, int]]) -> None:
    ServerConfig.objects.conf(KEY, opted_out)
    _loaded.put(opted_out)


def is_admin(caller: object) -> bool:
    return bool(check_lockstring(caller, "_dummy:perm(Admin)"))


def may_change(caller: object, obj: TypedObject) -> bool:
    """Return whether somebody may change the mind of an object: they control it, or are admins."""
    return is_admin(caller) or any(obj.access(caller, access) for access in ("control", "edit"))
