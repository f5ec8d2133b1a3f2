"""The pages of the people of an NPC. Who is meant is posted: no player stands in an address."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_POST, require_safe

from evennia_ai.commands.aimemory import memory_format, memory_views
from evennia_ai.commands.base import whole_number
from evennia_ai.core.records import Profile
from evennia_ai.web import (
    answering,
    bridge,
    drawn,
    memories_views,
    people_shown,
    views,
    visitors,
)

# People of a page; characters of an identity.
SHOWN, LENGTH = 200, 100


@require_safe
@answering.page
def people(request: HttpRequest, account_id: int, npc_id: int) -> HttpResponse:
    """Show how an NPC stands to whom."""
    begun = bridge.call(people_shown.begin, account_id, npc_id)
    some = begun["people"][: memories_views.PEOPLE]
    known = memories_views.profiles(account_id, npc_id, some)
    known.sort(key=lambda one: (-one.relationship.favorability, one.name.casefold()))
    context = {
        "npc": begun["npc"],
        "rows": [(one, drawn.is_hostile(one)) for one in known[:SHOWN]],
        "all": len(begun["people"]),
    }
    return answering.render(request, "people", context)


@require_POST
@answering.page
def person(request: HttpRequest, account_id: int, npc_id: int) -> HttpResponse:
    """Show what an NPC knows of somebody, how that went, and who else knows them."""
    who = request.POST.get("who", "")[:LENGTH]
    begun = bridge.call(people_shown.person, account_id, npc_id, who)
    return answering.render(
        request, "person", {**_known(begun), **_others(account_id, npc_id, who)}
    )


@require_POST
@answering.page
def fact(request: HttpRequest, account_id: int, npc_id: int) -> HttpResponse:
    """Show one thing that an NPC knows of somebody, to be put right; with `words` or `gone`, let it be so."""
    who, kind = (request.POST.get(name, "")[:LENGTH] for name in ("who", "kind"))
    number = whole_number(request.POST.get("number", ""))
    if number is None:
        raise visitors.NotFound("That is no number.")
    words, gone = request.POST.get("words", "").strip(), request.POST.get("gone")
    if not (words or gone):
        context = bridge.call(people_shown.fact, account_id, npc_id, who, kind, number)
        return answering.render(request, "fact", context)
    was = request.POST.get("was", "")
    said = bridge.call(
        people_shown.correct_known,
        account_id,
        npc_id,
        who,
        kind,
        number,
        was,
        "" if gone else words,
    )
    return answering.done(request, said, "people", npc_id)


@require_POST
@answering.page
def forget(request: HttpRequest, account_id: int, npc_id: int) -> HttpResponse:
    """Ask whether an NPC shall forget somebody; with `sure`, let it."""
    who = request.POST.get("who", "")[:LENGTH]
    if request.POST.get("sure"):
        words = bridge.call(people_shown.forget, account_id, npc_id, who)
        return answering.done(request, words, "people", npc_id)
    told = bridge.call(people_shown.told_by, account_id, npc_id, who)
    return answering.render(request, "forget_person", told)


@require_POST
@answering.page
def dispose(request: HttpRequest, account_id: int, npc_id: int) -> HttpResponse:
    """Let an NPC be hostile to somebody, or open again."""
    who, word = request.POST.get("who", "")[:LENGTH], request.POST.get("how", "")
    if word not in memory_views.DISPOSITIONS:
        raise visitors.NotFound(word)
    words = bridge.call(people_shown.dispose, account_id, npc_id, who, word)
    return answering.done(request, words, "people", npc_id)


def _known(begun: dict[str, Any]) -> dict[str, Any]:
    known: Profile = begun["known"]
    names = begun["names"]
    facts = [
        (one, memory_format.known_to(one.audience, names))
        for one in known.attributes
        if one.superseded_by is None
    ]
    noticed = [(one, memory_format.known_to(one.audience, names)) for one in known.observations]
    return {
        "npc": begun["npc"],
        "known": known,
        "hostile": drawn.is_hostile(known),
        "facts": facts,
        "noticed": noticed,
        "course": drawn.course(known.relationship),
    }


def _others(account_id: int, npc_id: int, who: str) -> dict[str, Any]:
    asked = sorted(views.minds().values())
    found = bridge.each(people_shown.known_by, account_id, who, of=asked)
    others = [one for one in found if one["id"] != npc_id]
    others.sort(key=lambda one: (-one["regard"].favorability, one["name"].casefold()))
    return {"others": others[:SHOWN], "left": len(others[SHOWN:]), "who": who}
