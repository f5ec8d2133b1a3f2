"""What the page of an NPC's memories reads and lets forget; called over the bridge.

Records are plain and never changed: they go to the page as they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from evennia_ai.agent.revising import forget_people
from evennia_ai.commands.aimemory import memory_changes, memory_format
from evennia_ai.commands.assistants.naming import names_known
from evennia_ai.core.records import Profile
from evennia_ai.memory import identity, journal
from evennia_ai.memory.people import entity_profiles
from evennia_ai.memory.state import assistant
from evennia_ai.semantic.base import get_memory
from evennia_ai.semantic.worker import MemoryUnavailable
from evennia_ai.typeclasses import scripts
from evennia_ai.web import desk, visitors

# Long-term memories that are looked through, the newest ones.
LONG_TERM = 500


def begin(account_id: int, npc_id: int) -> dict[str, Any]:
    """Return who the NPC is, its journal, its promises, and whom it knows."""
    _, npc = visitors.with_npc(account_id, npc_id)
    return {
        "npc": {"id": npc.id, "name": desk.name_of(npc)},
        "names": names_known(npc),
        "entries": list(journal.newest_first(npc)),
        "promises": assistant.reminders(scripts.find(npc)),
        "people": entity_profiles.known_identities(npc),
    }


def profiles(account_id: int, npc_id: int, people: Iterable[str]) -> list[Profile]:
    """Return what the NPC knows of some people."""
    _, npc = visitors.with_npc(account_id, npc_id)
    found = (entity_profiles.find_profile(npc, who) for who in people)
    return [known for known in found if known is not None]


def long_term(account_id: int, npc_id: int) -> Deferred[tuple[list[dict[str, Any]], str]]:
    """Fire with the newest long-term memories, and why there are none if they cannot be read."""
    _, npc = visitors.with_npc(account_id, npc_id)
    reading = get_memory().get_all(assistant_key=identity.identity_of(npc), limit=LONG_TERM)
    return reading.addCallbacks(lambda found: (found, ""), _unread)


def entry(account_id: int, npc_id: int, entry_id: int) -> dict[str, Any]:
    """Return one entry, to be looked at before it is forgotten; NotFound if it is gone."""
    _, npc = visitors.with_npc(account_id, npc_id)
    kept = journal.get_entry(npc, entry_id)
    if kept is None:
        raise visitors.NotFound(f"There is no entry {entry_id}.")
    return {
        "npc": {"id": npc.id, "name": desk.name_of(npc)},
        "entry": {"id": kept.id, "text": kept.content},
    }


def forget(account_id: int, npc_id: int, entry_id: int) -> Deferred[str]:
    """Let an entry be forgotten, with what rests on it; fires with what to say of it."""
    who, npc = visitors.with_npc(account_id, npc_id)
    if journal.get_entry(npc, entry_id) is None:
        raise visitors.NotFound(f"There is no entry {entry_id}.")
    name = desk.name_of(npc)

    def told(counts: dict[str, int] | None) -> str:
        much = f": {memory_format.forgotten(counts)}" if counts else ""
        return f"{name} has forgotten entry {entry_id} and what rests on it{much}."

    def not_yet(failure: Failure) -> str:
        failure.trap(*forget_people.NOT_YET)
        return f"{name} has not forgotten all of it: {failure.value} Do it once more."

    forgetting = visitors.changes(account_id, lambda: memory_changes.forget(who, npc, entry_id))
    return forgetting.addCallbacks(told, not_yet)


def _unread(failure: Failure) -> tuple[list[dict[str, Any]], str]:
    failure.trap(MemoryUnavailable)
    return [], f"Long-term memory cannot be asked: {failure.value}"
