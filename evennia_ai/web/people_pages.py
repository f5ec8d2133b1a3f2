"""The pages of an NPC's people. Identities are posted: no player stands in an address.

Views run in threads; functions that touch the game are called over the bridge and return plain data.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_POST, require_safe
from evennia.utils.search import search_object
from twisted.internet.defer import Deferred

from evennia_ai.agent.revising import correcting
from evennia_ai.commands import changes
from evennia_ai.commands.base import whole_number
from evennia_ai.commands.shown import memories
from evennia_ai.commands.shown.npcs import names_known
from evennia_ai.commands.shown.words import known_to
from evennia_ai.core.records import Profile
from evennia_ai.memory import journal
from evennia_ai.memory.people import entity_profiles
from evennia_ai.web import answering, bridge, memory_pages, npc_pages, visitors

# People of a page; characters of an identity.
SHOWN, LENGTH = 200, 100


@require_safe
@answering.page
def people(request: HttpRequest, account_id: int, npc_id: int) -> HttpResponse:
    begun = visitors.look(account_id, npc_id, _begin)
    some = begun["people"][: memory_pages.PEOPLE]
    known = memory_pages.profiles(account_id, npc_id, some)
    known.sort(key=lambda one: (-one.relationship.favorability, one.name.casefold()))
    context = {
        "npc": begun["npc"],
        "rows": [(one, memories.is_hostile(one)) for one in known[:SHOWN]],
        "all": len(begun["people"]),
    }
    return answering.render(request, "people", context)


@require_POST
@answering.page
def person(request: HttpRequest, account_id: int, npc_id: int) -> HttpResponse:
    """Show what an NPC knows of somebody, how that went, and who else knows them."""
    who = _who(request)
    told = visitors.look(account_id, npc_id, _person, who)
    asked = sorted(npc_pages.minds().values())
    found = bridge.each(_known_by, account_id, who, of=asked)
    others = [one for one in found if one["id"] != npc_id]
    others.sort(key=lambda one: (-one["regard"].favorability, one["name"].casefold()))
    rest = {"others": others[:SHOWN], "left": len(others[SHOWN:]), "who": who}
    return answering.render(request, "person", {**told, **rest})


@require_POST
@answering.page
def fact(request: HttpRequest, account_id: int, npc_id: int) -> HttpResponse:
    """Show one thing that an NPC knows of somebody, to be put right; with `words` or `gone`, let it be so."""
    who, kind = _who(request), request.POST.get("kind", "")[:LENGTH]
    number = whole_number(request.POST.get("number", ""))
    if number is None:
        raise visitors.NotFound("That is no number.")
    text, gone = request.POST.get("words", "").strip(), request.POST.get("gone")
    if not (text or gone):
        context = visitors.look(account_id, npc_id, _fact, who, kind, number)
        return answering.render(request, "fact", context)
    was, right = request.POST.get("was", ""), "" if gone else text

    def correct(keeper: Any, npc: Any) -> str:
        chosen = _chosen(npc, who, kind, number)
        if was and npc_pages.mark_of(chosen["text"]) != was:
            return npc_pages.MEANWHILE
        name = npc_pages.name_of(npc)
        return changes.correct_known(keeper, npc, name, who, chosen, right)

    said = visitors.do(account_id, npc_id, correct)
    return answering.done(request, said, "people", npc_id)


@require_POST
@answering.page
def forget(request: HttpRequest, account_id: int, npc_id: int) -> HttpResponse:
    """Ask whether an NPC shall forget somebody; with `sure`, let it."""
    who = _who(request)
    if request.POST.get("sure"):
        said = visitors.do(account_id, npc_id, _forget, who)
        return answering.done(request, said, "people", npc_id)
    told = visitors.look(account_id, npc_id, _told_by, who)
    return answering.render(request, "forget_person", told)


@require_POST
@answering.page
def dispose(request: HttpRequest, account_id: int, npc_id: int) -> HttpResponse:
    """Let an NPC be hostile to somebody, or open again."""
    who, word = _who(request), request.POST.get("how", "")
    if word not in changes.DISPOSITIONS:
        raise visitors.NotFound(word)
    said = visitors.do(account_id, npc_id, _dispose, who, word)
    return answering.done(request, said, "people", npc_id)


def _who(request: HttpRequest) -> str:
    return request.POST.get("who", "")[:LENGTH]


# Called over the bridge.


def _begin(keeper: Any, npc: Any) -> dict[str, Any]:
    return {"npc": npc_pages.head(npc), "people": entity_profiles.known_identities(npc)}


def _known(npc: Any, who: str) -> Profile:
    known = entity_profiles.find_profile(npc, who) if who else None
    if known is None:
        raise visitors.NotFound("It knows nothing of them.")
    return known


def _person(keeper: Any, npc: Any, who: str) -> dict[str, Any]:
    told = memories.profile_of(npc, _known(npc, who))
    facts = [(one, told) for one, told in told["facts"] if one.superseded_by is None]
    return {**told, "facts": facts, "npc": npc_pages.head(npc)}


def _told_by(keeper: Any, npc: Any, who: str) -> dict[str, Any]:
    """Return somebody who may be forgotten, and how much the NPC has from them."""
    known = _known(npc, who)
    return {
        "npc": npc_pages.head(npc),
        "who": who,
        "name": known.name,
        "facts": len(known.attributes) + len(known.observations),
        "entries": sum(one.said_by == who for one in journal.newest_first(npc)),
    }


def _fact(keeper: Any, npc: Any, who: str, kind: str, number: int) -> dict[str, Any]:
    known, found = _known(npc, who), _chosen(npc, who, kind, number)
    return {
        "npc": npc_pages.head(npc),
        "who": who,
        "name": known.name,
        "fact": {"kind": kind, "id": number, "text": found["text"]},
        "was": npc_pages.mark_of(found["text"]),
        "known_to": known_to(found["audience"], names_known(npc)),
        "longest": correcting.LENGTH,
    }


def _chosen(npc: Any, who: str, kind: str, number: int) -> dict[str, Any]:
    known = correcting.known_of(npc, who) if who else []
    found = next((one for one in known if (one["kind"], one["id"]) == (kind, number)), None)
    if found is None:
        raise visitors.NotFound("It knows no such thing of them.")
    return found


def _forget(keeper: Any, npc: Any, who: str) -> Deferred[str]:
    known = _known(npc, who)
    near = search_object(known.name, exact=True) if known.name else ()
    target = changes.somebody(npc, who, near)
    called = f"{known.name or 'somebody'}, and what they told"
    return changes.forget(keeper, npc, npc_pages.name_of(npc), target, called)


def _known_by(account_id: int, who: str, mind_ids: Iterable[int]) -> list[dict[str, Any]]:
    """Return the NPCs of some minds that know somebody, of those that the visitor may change."""
    kept = visitors.kept_minds(account_id, mind_ids)
    return [
        {"id": npc.id, "name": npc_pages.name_of(npc), "regard": known.relationship}
        for npcs in bridge.portions(mind.obj for _, mind in kept)
        for npc, known in entity_profiles.profiles_by_each(npcs, who)
    ]


def _dispose(keeper: Any, npc: Any, who: str, word: str) -> str:
    name = _known(npc, who).name or who
    if problem := changes.dispose(keeper, npc, who, word, name=name):
        return problem
    how = "is hostile to" if word == "hostile" else "is open to"
    return f"{npc_pages.name_of(npc)} {how} {name} now."
