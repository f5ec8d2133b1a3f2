"""The page of a player: what NPCs know of their characters, and what they want done about it."""

from __future__ import annotations

import itertools

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_POST, require_safe

from evennia_ai.agent.revising import correcting
from evennia_ai.commands.base import whole_number
from evennia_ai.memory.people import knowers
from evennia_ai.web import answering, bridge, me_shown, views, visitors

# NPCs of a page, and characters of a name.
SHOWN, LENGTH = 50, 100
# What stands for all NPCs, and what may be asked for beside being forgotten.
ALL = "all"
REMEMBERED = {"optout": False, "optin": True}


@require_safe
@answering.page
def me(request: HttpRequest, account_id: int) -> HttpResponse:
    """Show what each NPC knows of the account's characters."""
    context = bridge.call(me_shown.begin, account_id)
    mine = context.pop("numbers")
    name = request.GET.get("name", "")[:LENGTH]
    named = bridge.each(me_shown.called, account_id, mine, of=_asked(mine))
    fitting = sorted(
        (one for one in named if name.casefold() in one[0].casefold()),
        key=lambda one: (one[0].casefold(), *one[1:]),
    )
    # What each knows is asked of no more of them than are shown.
    found = bridge.each(me_shown.known, account_id, of=[one[1:] for one in fitting])
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
        return answering.done(request, bridge.call(me_shown.forget, account_id, npc_id), "me")
    name = "everybody" if npc_id is None else bridge.call(me_shown.whom, account_id, npc_id)
    context = {**bridge.call(me_shown.begin, account_id), "npc": given, "name": name}
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
    said = bridge.call(me_shown.correct, account_id, npc_id, number, wrong, right)
    return answering.done(request, said, "me")


@require_POST
@answering.page
def remember(request: HttpRequest, account_id: int, what: str) -> HttpResponse:
    """Let the account be remembered for its visits only, or as everybody else."""
    if what not in REMEMBERED:
        raise visitors.NotFound(what)
    words = bridge.call(me_shown.be_remembered, account_id, remembered=REMEMBERED[what])
    return answering.done(request, words, "me")


def _asked(mine: list[int]) -> list[int]:
    """Return the NPCs that may know anything of some characters; what they know is for the game to say."""
    if not mine:
        return []
    sought, doubles = bridge.call(me_shown.sought, mine)
    found = set(views.minds()).difference(doubles)
    return sorted(found if sought is None else found & knowers.may_know(sought))
