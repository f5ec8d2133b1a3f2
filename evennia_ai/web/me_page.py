"""The page of a player: what NPCs know of their characters, and what they want done about it.

Views run in threads; functions that touch the game are called over the bridge. They get the characters
themselves; only locks are asked as if the account played them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_POST, require_safe
from twisted.internet.defer import Deferred

from evennia_ai import markup
from evennia_ai.agent.revising import correcting
from evennia_ai.commands.base import whole_number
from evennia_ai.commands.players import remember as remembering
from evennia_ai.domain.memories import relationship
from evennia_ai.memory import identity, lookup
from evennia_ai.memory.people import accounts, knowers
from evennia_ai.typeclasses import scripts
from evennia_ai.web import answering, bridge, npc_pages, visitors

# NPCs of a page, and characters of a name.
SHOWN, LENGTH = 50, 100
# What stands for all NPCs, and what may be asked for beside being forgotten.
ALL = "all"
REMEMBERED = {"optout": False, "optin": True}


@require_safe
@answering.page
def me(request: HttpRequest, account_id: int) -> HttpResponse:
    """Show what each NPC knows of the account's characters."""
    context = bridge.call(_begin, account_id)
    mine = context.pop("numbers")
    name = request.GET.get("name", "")[:LENGTH]
    named = bridge.each(_called, account_id, mine, of=_asked(mine))
    fitting = sorted(
        (one for one in named if name.casefold() in one[0].casefold()),
        key=lambda one: (one[0].casefold(), *one[1:]),
    )
    # What each knows is asked of no more of them than are shown.
    found = bridge.each(_known, account_id, of=[one[1:] for one in fitting])
    rows = list(itertools.islice(found, SHOWN + 1))
    many = {"more": bool(rows[SHOWN:]), "name": name, "longest": correcting.LENGTH}
    return answering.render(request, "me", {**context, **many, "rows": rows[:SHOWN]})


@require_POST
@answering.page
def forget(request: HttpRequest, account_id: int) -> HttpResponse:
    """Ask whether an NPC, or all, shall forget the account's characters; with `sure`, let it."""
    given = request.POST.get("npc", "")
    npc_id = None if given == ALL else whole_number(given)
    if npc_id is None and given != ALL:
        raise visitors.NotFound("That is no number.")
    if request.POST.get("sure"):
        return answering.done(request, bridge.call(_forget, account_id, npc_id), "me")
    name = "everybody" if npc_id is None else bridge.call(_whom, account_id, npc_id)
    context = {**bridge.call(_begin, account_id), "npc": given, "name": name}
    del context["numbers"]
    return answering.render(request, "forget_me", context)


@require_POST
@answering.page
def correct(request: HttpRequest, account_id: int) -> HttpResponse:
    """Put right what an NPC knows of a character of the account."""
    npc_id, number = (whole_number(request.POST.get(name, "")) for name in ("npc", "number"))
    wrong, right = (
        request.POST.get(name, "").strip()[: correcting.LENGTH] for name in ("wrong", "right")
    )
    if npc_id is None:
        raise visitors.NotFound("That is no number.")
    if not (wrong and right):
        return answering.done(request, "Say what is wrong, and what is right.", "me")
    said = bridge.call(_correct, account_id, npc_id, number, wrong, right)
    return answering.done(request, said, "me")


@require_POST
@answering.page
def remember(request: HttpRequest, account_id: int, what: str) -> HttpResponse:
    """Let the account be remembered for its visits only, or as everybody else."""
    if what not in REMEMBERED:
        raise visitors.NotFound(what)
    words = bridge.call(_be_remembered, account_id, remembered=REMEMBERED[what])
    return answering.done(request, words, "me")


def _asked(mine: list[int]) -> list[int]:
    """Return the NPCs that may know anything of some characters; what they know is for the game to say."""
    if not mine:
        return []
    sought = bridge.call(_sought, mine)
    found = set(npc_pages.minds())
    return sorted(found if sought is None else found & knowers.may_know(sought))


# Called over the bridge.


def _begin(account_id: int) -> dict[str, Any]:
    """Return whom the account plays, by name and by number, and whether it is remembered."""
    mine = _characters(account_id)
    account = visitors.account_of(account_id)
    return {
        "characters": [markup.plain(one.key) for one in mine],
        "numbers": [one.id for one in mine],
        "guest": account is not None and identity.is_guest_account(account),
        "opted_out": any(accounts.is_opted_out(one) for one in mine),
    }


def _sought(numbers: Iterable[int]) -> list[str] | None:
    """Return by what those who may know some characters are found in the database; None: ask them all."""
    return knowers.sought(filter(None, map(lookup.object_by_id, numbers)))


def _called(
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


def _known(account_id: int, pairs: Iterable[tuple[int, int]]) -> list[dict[str, Any]]:
    """Return what each NPC knows of a character, by the numbers of both; nothing if it knows nothing.

    That each has a mind and is no double (`sought`), and that the characters are the account's own (`begin`), is
    for the caller to know: to ask for those again in each slice would take half of it.
    """
    return [
        _row(npc, one)
        for npc_id, number in pairs
        for npc, one in _known_to(account_id, [number], [npc_id])
    ]


def _whom(account_id: int, npc_id: int) -> str:
    """Return the name of an NPC that knows something of the account; NotFound if it does not."""
    npc = lookup.object_by_id(npc_id)
    numbers = [one.id for one in _characters(account_id)]
    rows = _known(account_id, [(npc_id, one) for one in numbers]) if _is_somebody(npc) else []
    if not rows:
        raise visitors.NotFound("No such NPC knows anything.")
    return str(rows[0]["name"])


def _forget(account_id: int, npc_id: int | None) -> Deferred[str]:
    """Let an NPC (None: all) forget the account's characters; fires with what to say of it."""
    who = "Everybody" if npc_id is None else _whom(account_id, npc_id)
    npc = None if npc_id is None else lookup.object_by_id(npc_id)
    one = _any_of(account_id)

    return visitors.changes(account_id, lambda: remembering.let_forget(one, npc, who))


def _correct(
    account_id: int, npc_id: int, number: int | None, wrong: str, right: str
) -> Deferred[str]:
    """Put right what an NPC knows of one of the account's characters; fires with what to say of it."""
    npc = lookup.object_by_id(npc_id)
    mine = [one for one in _characters(account_id) if one.id == number]
    known_of = _known_to(account_id, [one.id for one in mine], [npc_id])
    one = next((one for _, one in known_of), None) if _is_somebody(npc) else None
    if one is None:
        raise visitors.NotFound("No such NPC knows anything of such a character.")
    asked = visitors.changes(account_id, lambda: remembering.let_correct(one, npc, wrong, right))
    return asked.addCallback(markup.plain)


def _be_remembered(account_id: int, *, remembered: bool) -> str:
    """Say whether the account is remembered; return what to say of it."""
    one = _any_of(account_id)
    return visitors.changes(
        account_id, lambda: remembering.let_remember(one, remembered=remembered)
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
            if _may_see(npc, one, account) and remembering.is_anything_known(npc, one):
                yield npc, one


def _is_somebody(npc: Any) -> bool:
    return npc is not None and scripts.find(npc) is not None


def _may_see(npc: Any, one: Any, account: Any) -> bool:
    return npc is not one and bool(npc.access(visitors.AsPlayed(one, account), "view"))


def _row(npc: Any, one: Any) -> dict[str, Any]:
    told = remembering.what_is_known(npc, one)
    return {
        **told,
        "id": npc.id,
        "name": markup.plain(told["name"]),
        "character": markup.plain(one.key),
        "number": one.id,
        "regard": relationship.of(told["state"]).shown,
    }
