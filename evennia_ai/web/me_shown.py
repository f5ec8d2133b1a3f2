"""The page of a player: what NPCs know of them, and what is done about it; called over the bridge.

Functions of the game get the characters themselves; only locks are asked as if the account played them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from twisted.internet.defer import Deferred
from twisted.python import log
from twisted.python.failure import Failure

from evennia_ai import markup
from evennia_ai.agent.revising import correcting
from evennia_ai.commands.base import log_change
from evennia_ai.commands.players import remember
from evennia_ai.domain.memories import relationship
from evennia_ai.memory import identity, lookup
from evennia_ai.memory.people import accounts, knowers
from evennia_ai.testing.dialogue import dialogue_made
from evennia_ai.typeclasses import scripts
from evennia_ai.web import visitors


def begin(account_id: int) -> dict[str, Any]:
    """Return whom the account plays, by name and by number, and whether it is remembered."""
    mine = _characters(account_id)
    account = visitors.account_of(account_id)
    return {
        "characters": [markup.plain(one.key) for one in mine],
        "numbers": [one.id for one in mine],
        "guest": account is not None and identity.is_guest_account(account),
        "opted_out": any(accounts.is_opted_out(one) for one in mine),
    }


def sought(numbers: Iterable[int]) -> tuple[list[str] | None, list[int]]:
    """Return by what those who may know some characters are found in the database (None: ask them all), and
    the doubles of NPCs that are being tested: those are nobody to players."""
    found = knowers.sought(filter(None, map(lookup.object_by_id, numbers)))
    return found, dialogue_made.left()


def called(
    account_id: int, numbers: Iterable[int], npc_ids: Iterable[int]
) -> list[tuple[str, int, int]]:
    """Return how some NPCs are called for some characters: name, number, number of the character.

    Whether they know them, and may be known of, is told by `known`.
    """
    mine = list(filter(None, map(lookup.object_by_id, numbers)))
    npcs = filter(None, map(lookup.object_by_id, npc_ids))
    return [
        (markup.plain(npc.get_display_name(one)), npc.id, one.id) for npc in npcs for one in mine
    ]


def known(account_id: int, pairs: Iterable[tuple[int, int]]) -> list[dict[str, Any]]:
    """Return what each NPC knows of a character, by the numbers of both; nothing if it knows nothing.

    That each has a mind and is no double (`sought`), and that the characters are the account's own (`begin`), is
    for the caller to know: to ask for those again in each slice would take half of it.
    """
    return [
        _row(npc, one)
        for npc_id, number in pairs
        for npc, one in _known_to(account_id, [number], [npc_id])
    ]


def whom(account_id: int, npc_id: int) -> str:
    """Return the name of an NPC that knows something of the account; NotFound if it does not."""
    npc = lookup.object_by_id(npc_id)
    numbers = [one.id for one in _characters(account_id)]
    rows = known(account_id, [(npc_id, one) for one in numbers]) if _is_somebody(npc) else []
    if not rows:
        raise visitors.NotFound("No such NPC knows anything.")
    return str(rows[0]["name"])


def forget(account_id: int, npc_id: int | None) -> Deferred[str]:
    """Let an NPC (None: all) forget the account's characters; fires with what to say of it."""
    who = "Everybody" if npc_id is None else whom(account_id, npc_id)
    npc = None if npc_id is None else lookup.object_by_id(npc_id)
    one = _any_of(account_id)

    def told(why: str) -> str:
        if why:
            return "Not everything is forgotten yet. Your request is kept, and done as soon as it can be."
        return f"You are forgotten: {who} will know you no more."

    def failed(failure: Failure) -> str:
        log.err(failure, "evennia_ai: forgetting failed")
        return "Something went wrong. Your request is kept, and tried again at the next start."

    asked = visitors.changes(account_id, lambda: remember.let_forget(one, npc))
    return asked.addCallbacks(told, failed)


def correct(
    account_id: int, npc_id: int, number: int | None, wrong: str, right: str
) -> Deferred[str]:
    """Put right what an NPC knows of one of the account's characters; fires with what to say of it."""
    npc = lookup.object_by_id(npc_id)
    mine = [one for one in _characters(account_id) if one.id == number]
    known_of = _known_to(account_id, [one.id for one in mine], [npc_id])
    one = next((one for _, one in known_of), None) if _is_somebody(npc) else None
    if one is None:
        raise visitors.NotFound("No such NPC knows anything of such a character.")
    name = markup.plain(npc.get_display_name(one))

    def told(changed: list[str]) -> str:
        if changed:
            log_change(one, "corrected what is known of them by", lookup.object_by_id(npc_id))
        return markup.plain(remember.corrected(changed, name=name, wrong=wrong))

    def refused(failure: Failure) -> str:
        failure.trap(ValueError)
        return str(failure.value)

    asked = visitors.changes(
        account_id,
        lambda: correcting.correct_all(npc, scripts.find(npc), one, wrong=wrong, right=right),
    )
    return asked.addCallbacks(told, refused)


def be_remembered(account_id: int, *, remembered: bool) -> str:
    """Say whether the account is remembered; return what to say of it."""
    one = _any_of(account_id)
    visitors.changes(account_id, lambda: remember.let_remember(one, remembered=remembered))
    if remembered:
        return "You are remembered as everybody else."
    return (
        "Nobody will remember you for longer than you are in the game. An NPC that meets you from now on "
        "forgets, when you leave, also who you were to it and your talk of before. What it noted of your "
        "words until now stays, until you have it forgotten."
    )


def _characters(account_id: int) -> list[Any]:
    return [one for one, _ in visitors.own_characters(account_id)]


def _any_of(account_id: int) -> Any:
    """Return one of the account's characters: what is asked for holds for all of them."""
    mine = _characters(account_id)
    if not mine:
        raise visitors.NotFound("The account has no character.")
    return mine[0]


def _known_to(
    account_id: int, numbers: Iterable[int], npc_ids: Iterable[int]
) -> Iterator[tuple[Any, Any]]:
    account = visitors.account_of(account_id)
    found = map(lookup.object_by_id, numbers if account is not None else ())
    mine = [one for one in found if one is not None]
    for npc in filter(None, map(lookup.object_by_id, npc_ids)):
        for one in mine:
            if _may_see(npc, one, account) and remember.is_anything_known(npc, one):
                yield npc, one


def _is_somebody(npc: Any) -> bool:
    """Return whether an object has a mind, and is no double that is being tested."""
    return npc is not None and scripts.find(npc) is not None and npc.id not in dialogue_made.left()


def _may_see(npc: Any, one: Any, account: Any) -> bool:
    return npc is not one and bool(npc.access(visitors.AsPlayed(one, account), "view"))


def _row(npc: Any, one: Any) -> dict[str, Any]:
    told = remember.what_is_known(npc, one)
    return {
        **told,
        "id": npc.id,
        "name": markup.plain(told["name"]),
        "character": markup.plain(one.key),
        "number": one.id,
        "regard": relationship.of(told["state"]).shown,
    }
