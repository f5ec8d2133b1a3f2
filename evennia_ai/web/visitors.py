"""Visitors of a page, and what they may: as the game would let them, whomever they play.

Locks speak of characters (`control:id(2)` is object 2, and no account), so that they are asked of the
account's own characters, each as if the account played it now. All of this is called over the bridge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from types import SimpleNamespace
from typing import Any, NamedTuple

from evennia.locks.lockhandler import check_lockstring

from evennia_ai import rate_limits
from evennia_ai.exceptions import AssistantError
from evennia_ai.memory import identity, lookup
from evennia_ai.memory.people import accounts
from evennia_ai.rate_limits import Limit
from evennia_ai.typeclasses import scripts
from evennia_ai.web import bridge

BUILDER, ADMIN = "_dummy:perm(Builder)", "_dummy:perm(Admin)"
# Changes that one account may make by pages in a while.
CHANGES, SECONDS = 60, 60.0


class Refused(AssistantError):
    """The visitor may not see this page at all."""


class Banned(AssistantError):
    """The visitor may not enter the game."""


class NotFound(AssistantError):
    """There is no such thing, or none that the visitor may know of."""


class TooFast(AssistantError):
    """The visitor changes more than a person can."""


class AsPlayed:
    """A character as locks would see it if an account played it; nothing is written through it."""

    def __init__(self, character: Any, account: Any) -> None:
        self._character = character
        self.account = account
        self.is_superuser = bool(account.is_superuser and not account.attributes.get("_quell"))
        self.locks = SimpleNamespace(lock_bypass=self.is_superuser)

    # Lock functions ask for the class to tell objects from accounts.
    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return type(self._character)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._character, name)

    def __eq__(self, other: object) -> bool:
        return bool(self._character == other)

    def __hash__(self) -> int:
        return hash(self._character)


class Roles(NamedTuple):
    """Which pages are for a visitor, beside their own."""

    staff: bool = False
    admin: bool = False


def admit(account_id: int, address: str) -> Roles:
    """Let a visitor in who may enter the game; return which pages are for them.

    Raises:
        Banned: The account, or the address that it comes from, is banned.
    """
    account = account_of(account_id)
    if account is None or account.is_banned(username=account.username, ip=address):
        raise Banned("You are banned from this game.")
    found = characters(account_id)
    return Roles(*(any(check_lockstring(one, lock) for one in found) for lock in (BUILDER, ADMIN)))


def own_characters(account_id: int) -> list[tuple[Any, Any]]:
    """Return the account's own characters that nobody else plays, each with the account; none for a guest."""
    account = account_of(account_id)
    if account is None or identity.is_guest_account(account):
        return []
    own = identity.characters_of(account)
    return [(one, account) for one in own if identity.account_of(one) == account]


def characters(account_id: int) -> list[AsPlayed]:
    """Return the characters that the account could play now."""
    own = own_characters(account_id)
    return [AsPlayed(one, account) for one, account in own if one.access(account, "puppet")]


def account_of(account_id: int) -> Any:
    """Return an account, or None if it is gone."""
    return lookup.account_by_id(account_id)


def builders(account_id: int) -> list[AsPlayed]:
    """Return those of the account's characters with which it is a builder.

    Raises:
        Refused: There is none.
    """
    return _who_pass(account_id, BUILDER)


def admins(account_id: int) -> list[AsPlayed]:
    """Return those of the account's characters with which it is an admin.

    Raises:
        Refused: There is none.
    """
    return _who_pass(account_id, ADMIN)


def keeper(found: list[AsPlayed], npc: Any) -> AsPlayed | None:
    """Return the first of these characters that may change the mind of an NPC, or None."""
    return next((one for one in found if accounts.may_change(one, npc)), None)


def kept_minds(account_id: int, mind_ids: Iterable[int]) -> Iterator[tuple[AsPlayed, Any]]:
    """Yield those of some minds that the account may change, each with the character that may."""
    found = builders(account_id)
    for mind in map(lookup.script_by_id, mind_ids):
        who = keeper(found, mind.obj) if mind is not None and mind.obj else None
        if who is not None:
            yield who, mind


def with_npc(account_id: int, npc_id: int) -> tuple[AsPlayed, Any]:
    """Return an NPC with a mind, and the character with which the account may change it.

    Raises:
        Refused: The account is no builder's.
        NotFound: There is no such NPC, or none that it may change.
    """
    found, npc = builders(account_id), lookup.object_by_id(npc_id)
    who = keeper(found, npc) if npc is not None and scripts.find(npc) is not None else None
    if who is None:
        raise NotFound("There is no such NPC that you control.")
    return who, npc


def look(account_id: int, npc_id: int, function: Callable[..., Any], *args: Any) -> Any:
    """Call a function of (visitor, NPC, …) where the game runs, if the visitor may change the NPC."""
    return bridge.call(lambda: function(*with_npc(account_id, npc_id), *args))


def do(account_id: int, npc_id: int, function: Callable[..., Any], *args: Any) -> Any:
    """Call a function of (visitor, NPC, …) that changes something; see `look` and `changes`."""

    def change(who: AsPlayed, npc: Any) -> Any:
        return changes(account_id, lambda: function(who, npc, *args))

    return look(account_id, npc_id, change)


def changes(account_id: int, change: Callable[[], Any]) -> Any:
    """Do what changes something, unless the account has changed too much in the last minute.

    Raises:
        TooFast: It has.
    """
    if not rate_limits.take(Limit(("pages", account_id), CHANGES, SECONDS)):
        raise TooFast(f"More than {CHANGES} changes in a minute.")
    return change()


def _who_pass(account_id: int, lock: str) -> list[AsPlayed]:
    found = [one for one in characters(account_id) if check_lockstring(one, lock)]
    if not found:
        raise Refused("These pages are for staff.")
    return found
