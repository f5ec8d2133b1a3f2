"""The pages of an NPC's people: what they ask of the game and change there; called over the bridge."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from evennia.utils.search import search_object
from twisted.internet.defer import Deferred

from evennia_ai.agent.revising import correcting
from evennia_ai.commands.aimemory import memory_changes, memory_format, memory_views
from evennia_ai.commands.assistants.naming import names_known
from evennia_ai.memory import journal, lookup
from evennia_ai.memory.people import entity_profiles
from evennia_ai.web import bridge, memories_shown, npcs_shown, visitors


def begin(account_id: int, npc_id: int) -> dict[str, Any]:
    """Return who the NPC is, and whom it knows."""
    _, npc = visitors.with_npc(account_id, npc_id)
    return {
        "npc": npcs_shown.head(npc),
        "people": entity_profiles.known_identities(npc),
    }


def person(account_id: int, npc_id: int, who: str) -> dict[str, Any]:
    """Return what the NPC knows of somebody; NotFound if it knows nothing."""
    _, npc = visitors.with_npc(account_id, npc_id)
    known = entity_profiles.find_profile(npc, who) if who else None
    if known is None:
        raise visitors.NotFound("It knows nothing of them.")
    return {
        "npc": npcs_shown.head(npc),
        "known": known,
        "names": names_known(npc),
    }


def told_by(account_id: int, npc_id: int, who: str) -> dict[str, Any]:
    """Return somebody who may be forgotten, and how much the NPC has from them."""
    begun = person(account_id, npc_id, who)
    told = journal.newest_first(lookup.object_by_id(npc_id))
    return {
        "npc": begun["npc"],
        "who": who,
        "name": begun["known"].name,
        "facts": len(begun["known"].attributes) + len(begun["known"].observations),
        "entries": sum(one.said_by == who for one in told),
    }


def fact(account_id: int, npc_id: int, who: str, kind: str, number: int) -> dict[str, Any]:
    """Return one thing that the NPC knows of somebody, to be put right; NotFound if it is not there."""
    begun = person(account_id, npc_id, who)
    found = _chosen(npc_id, who, kind, number)
    return {
        "npc": begun["npc"],
        "who": who,
        "name": begun["known"].name,
        "fact": {"kind": kind, "id": number, "text": found["text"]},
        "was": npcs_shown.mark_of(found["text"]),
        "known_to": memory_format.known_to(found["audience"], begun["names"]),
        "longest": correcting.LENGTH,
    }


def correct_known(
    account_id: int, npc_id: int, who: str, kind: str, number: int, was: str, words: str
) -> str:
    """Let the NPC know something else of somebody, or ("") nothing of it; return what to say of it."""
    keeper, npc = visitors.with_npc(account_id, npc_id)
    chosen = _chosen(npc_id, who, kind, number)
    if was and npcs_shown.mark_of(chosen["text"]) != was:
        return npcs_shown.MEANWHILE
    return visitors.changes(
        account_id,
        lambda: memory_changes.correct_known(
            keeper, npc, who, chosen, words, name=npcs_shown.name_of(npc)
        ),
    )


def _chosen(npc_id: int, who: str, kind: str, number: int) -> dict[str, Any]:
    known = correcting.known_of(lookup.object_by_id(npc_id), who) if who else []
    found = next((one for one in known if (one["kind"], one["id"]) == (kind, number)), None)
    if found is None:
        raise visitors.NotFound("It knows no such thing of them.")
    return found


def forget(account_id: int, npc_id: int, who: str) -> Deferred[str]:
    """Let an NPC forget somebody and all that they told it; fires with what to say of it."""
    keeper, npc = visitors.with_npc(account_id, npc_id)
    known = entity_profiles.find_profile(npc, who) if who else None
    if known is None:
        raise visitors.NotFound("It knows nothing of them.")
    name, whom = npcs_shown.name_of(npc), known.name or "somebody"
    near = search_object(known.name, exact=True) if known.name else ()
    target = memory_changes.somebody(npc, who, near)
    return memories_shown.told_when_done(
        visitors.changes(account_id, lambda: memory_changes.forget(keeper, npc, target)),
        name,
        f"{whom}, and what they told",
    )


def known_by(account_id: int, who: str, mind_ids: Iterable[int]) -> list[dict[str, Any]]:
    """Return the NPCs of some minds that know somebody, of those that the visitor may change."""
    found = visitors.builders(account_id)
    rows = []
    minds = (mind for mind in map(lookup.script_by_id, mind_ids) if mind is not None and mind.obj)
    for npcs in bridge.portions(mind.obj for mind in minds if visitors.keeper(found, mind.obj)):
        for npc, known in entity_profiles.profiles_by_each(npcs, who):
            rows.append(
                {"id": npc.id, "name": npcs_shown.name_of(npc), "regard": known.relationship}
            )
    return rows


def dispose(account_id: int, npc_id: int, who: str, word: str) -> str:
    """Let the NPC be hostile to somebody, or open again; return what to say of it."""
    keeper, npc = visitors.with_npc(account_id, npc_id)
    known = entity_profiles.find_profile(npc, who) if who else None
    if known is None:
        raise visitors.NotFound("It knows nothing of them.")
    name = known.name or who
    done = visitors.changes(
        account_id, lambda: memory_views.dispose(keeper, npc, who, word, name=name)
    )
    if not done:
        return f"Of {name} nothing is kept. Nothing was done."
    how = "is hostile to" if word == "hostile" else "is open to"
    return f"{npcs_shown.name_of(npc)} {how} {name} now."
