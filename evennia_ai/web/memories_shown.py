"""The pages of an NPC's memories: what they read and change; called over the bridge.

Records are plain and never changed: they go to the page as they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from twisted.internet.defer import Deferred, inlineCallbacks, succeed
from twisted.python.failure import Failure

from evennia_ai import scheduling
from evennia_ai.agent.revising import entry_changes, forget_people
from evennia_ai.commands.aimemory import memory_changes, memory_format, memory_views, rumours
from evennia_ai.commands.assistants.naming import names_known
from evennia_ai.core.records import Entry, Profile
from evennia_ai.domain.memories.long_term import Memory
from evennia_ai.memory import identity, journal, lookup
from evennia_ai.memory.people import entity_profiles
from evennia_ai.memory.state import assistant
from evennia_ai.memory.storage import readahead
from evennia_ai.semantic.base import get_memory
from evennia_ai.semantic.memory_thread import MemoryUnavailable
from evennia_ai.typeclasses import scripts
from evennia_ai.web import bridge, npcs_shown, visitors

# Long-term memories that are looked through, the newest ones.
LONG_TERM = 500


def begin(account_id: int, npc_id: int) -> dict[str, Any]:
    """Return who the NPC is, the pages of its journal, its promises, and whom it knows."""
    _, npc = visitors.with_npc(account_id, npc_id)
    return {
        "npc": npcs_shown.head(npc),
        "pages": journal.page_numbers(npc),
        "promises": assistant.reminders(scripts.find(npc)),
        "people": entity_profiles.known_identities(npc),
    }


def names(account_id: int, npc_id: int) -> dict[str, str]:
    """Return the names of those whom the NPC knows, by identity."""
    _, npc = visitors.with_npc(account_id, npc_id)
    return names_known(npc)


def noted(account_id: int, npc_id: int, pages: Iterable[int]) -> list[Entry]:
    """Return what the NPC noted on some pages of its journal, the newest first."""
    _, npc = visitors.with_npc(account_id, npc_id)
    return [entry for page in pages for entry in journal.entries_on(npc, page)]


def profiles(account_id: int, npc_id: int, people: Iterable[str]) -> list[Profile]:
    """Return what the NPC knows of some people."""
    _, npc = visitors.with_npc(account_id, npc_id)
    return [
        known
        for some in bridge.portions(people)
        for known in entity_profiles.find_profiles(npc, some)
    ]


def long_term(account_id: int, npc_id: int) -> Deferred[tuple[list[Memory], str]]:
    """Fire with the newest long-term memories, and why there are none if they cannot be read."""
    _, npc = visitors.with_npc(account_id, npc_id)
    reading = get_memory().get_all(assistant_key=identity.identity_of(npc), limit=LONG_TERM)
    return reading.addCallbacks(lambda found: (found, ""), _unread)


def entries(account_id: int, npc_id: int, numbers: Iterable[int]) -> dict[str, Any]:
    """Return entries, to be looked at before they are forgotten; NotFound if none is there."""
    _, npc = visitors.with_npc(account_id, npc_id)
    kept = journal.get_entries(npc, numbers)
    if not kept:
        raise visitors.NotFound("There is no such entry.")
    return {
        "npc": npcs_shown.head(npc),
        "entries": [{"id": one.id, "text": one.content} for one in kept.values()],
    }


def entry(account_id: int, npc_id: int, number: int) -> dict[str, Any]:
    """Return an entry that may be changed, and who may know it; NotFound if it is not there."""
    _, npc, found = _entry(account_id, npc_id, number)
    names = names_known(npc)
    own = identity.identity_of(npc)
    is_public = found.audience == "public"
    others = [] if is_public else [one for one in found.audience if one != own]
    return {
        "npc": npcs_shown.head(npc),
        "entry": {"id": found.id, "text": found.content},
        "was": npcs_shown.mark_of(found.content),
        "known_to": memory_format.known_to(found.audience, names),
        "people": [{"who": one, "name": names.get(one, "somebody")} for one in others],
        "is_public": is_public,
        "names": names,
    }


def edit(account_id: int, npc_id: int, number: int, was: str, words: str) -> Deferred[str]:
    """Let an entry say something else; fires with what to say of it."""
    _, _, now = _entry(account_id, npc_id, number)
    if was and npcs_shown.mark_of(now.content) != was:
        return succeed(npcs_shown.MEANWHILE)
    return _change(
        account_id, npc_id, number, lambda npc, found: entry_changes.reworded(found, words)
    )


def narrow(account_id: int, npc_id: int, number: int, who: Iterable[str]) -> Deferred[str]:
    """Let these identities alone know an entry; fires with what to say of it."""
    return _change(
        account_id, npc_id, number, lambda npc, found: entry_changes.narrowed(found, npc, who)
    )


def forget(account_id: int, npc_id: int, numbers: Iterable[int]) -> Deferred[str]:
    """Let entries be forgotten, with what rests on them; fires with what to say of it."""
    _, npc = visitors.with_npc(account_id, npc_id)
    kept, name = list(journal.get_entries(npc, numbers)), npcs_shown.name_of(npc)
    if not kept:
        raise visitors.NotFound("There is no such entry.")
    words = f"entry {kept[0]} and what rests on it"
    if len(kept) > 1:
        words = f"{len(kept)} entries and what rests on them"
    forgetting = visitors.changes(account_id, lambda: _forget_each(account_id, npc_id, kept))
    return told_when_done(forgetting, name, words)


def told_when_done(forgetting: Deferred[Any], name: str, words: str) -> Deferred[str]:
    """Fire with what to say once an NPC has forgotten something, or that it has not yet."""

    def told(counts: dict[str, int] | None) -> str:
        much = f": {memory_format.forgotten(counts)}" if counts else ""
        return f"{name} has forgotten {words}{much}."

    return forgetting.addCallbacks(told, _not_yet, errbackArgs=(name,))


def pin(account_id: int, npc_id: int, number: int, *, pinned: bool) -> str:
    """Let an entry never go, or go as any other; return what to say of it."""
    who, npc, found = _entry(account_id, npc_id, number)
    name = npcs_shown.name_of(npc)
    return visitors.changes(
        account_id, lambda: memory_changes.pin(who, npc, name, found, pinned=pinned)
    )


def asked_by(account_id: int, npc_id: int) -> dict[str, Any]:
    """Return who the NPC is, and the names of those who may be thought to ask it."""
    _, npc = visitors.with_npc(account_id, npc_id)
    return {"npc": npcs_shown.head(npc), "names": names_known(npc)}


@inlineCallbacks
def come_to_mind(account_id: int, npc_id: int, question: str, who: str):
    """Fire with what the NPC would find if that identity asked it alone; "": whoever may know it.

    Whether the visitor may ask it, what that reads, and what comes to its mind take some milliseconds each: a
    slice for each.
    """
    visitors.with_npc(account_id, npc_id)
    yield scheduling.yield_to_reactor(first=True)
    npc = lookup.object_by_id(npc_id)
    if npc is not None and (mind := scripts.find(npc)) is not None:
        readahead.read_ahead(npc, mind, who)
    yield scheduling.yield_to_reactor(first=True)
    npc = lookup.object_by_id(npc_id)
    if npc is None or scripts.find(npc) is None:
        raise visitors.NotFound("It is gone.")
    return (yield memory_views.come_to_mind(npc, question, who))


def check_staff(account_id: int) -> None:
    """Raise Refused unless the visitor is a builder."""
    visitors.builders(account_id)


def who_knows(
    account_id: int, npc_ids: Iterable[int], words: str, likely: rumours.Candidates
) -> Deferred[tuple[list[rumours.Known], str]]:
    """Fire with what those of some NPCs know of something whom the visitor may change."""
    found = visitors.builders(account_id)
    npcs = filter(None, map(lookup.object_by_id, npc_ids))
    mine = [npc.id for npc in npcs if visitors.keeper(found, npc) is not None]
    return rumours.who_knows(mine, words, likely, name_of=npcs_shown.name_of)


def _entry(account_id: int, npc_id: int, number: int) -> tuple[visitors.AsPlayed, Any, Entry]:
    who, npc = visitors.with_npc(account_id, npc_id)
    found = journal.get_entry(npc, number)
    if found is None:
        raise visitors.NotFound(f"There is no entry {number}.")
    return who, npc, found


def _change(
    account_id: int, npc_id: int, number: int, changed: Callable[[Any, Entry], dict[str, Any]]
) -> Deferred[str]:
    who, npc, found = _entry(account_id, npc_id, number)
    try:
        instead = changed(npc, found)
    except ValueError as error:
        return succeed(f"{error} Nothing was done.")
    name = npcs_shown.name_of(npc)
    changing = visitors.changes(
        account_id, lambda: memory_changes.change(who, npc, number, instead)
    )
    return changing.addCallbacks(
        lambda counts: memory_format.has_changed(name, number, counts),
        _not_yet,
        errbackArgs=(name,),
    )


def _not_yet(failure: Failure, name: str) -> str:
    if failure.check(ValueError):
        return str(failure.value)
    failure.trap(*forget_people.NOT_YET)
    return f"{name} has not forgotten all of it: {failure.value} Do it once more."


@inlineCallbacks
def _forget_each(account_id: int, npc_id: int, numbers: list[int]):
    counts: Counter[str] = Counter()
    for number in numbers:
        who, npc = visitors.with_npc(account_id, npc_id)
        # It may have gone with one on which it rested.
        if journal.get_entry(npc, number) is not None:
            counts.update((yield memory_changes.forget(who, npc, number)))
    return counts


def _unread(failure: Failure) -> tuple[list[Memory], str]:
    failure.trap(MemoryUnavailable)
    return [], f"Long-term memory cannot be asked: {failure.value}"
