"""Room in a full journal: what is to go is copied to long-term memory before it goes.

Whoever told most makes room first, with what matters least: nobody's chatter makes an assistant
forget what somebody else told it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from evennia.utils import logger
from twisted.internet.defer import inlineCallbacks

from evennia_ai import scheduling
from evennia_ai.core.records import Entry
from evennia_ai.domain.memories import page_counts
from evennia_ai.memory import episodic, journal, lookup
from evennia_ai.memory.state import assistant
from evennia_ai.semantic import journal_sync
from evennia_ai.semantic.base import get_memory
from evennia_ai.semantic.memory_thread import MemoryUnavailable

# Entries beyond what is needed that are copied on the way, as a share of a journal (one in so many).
AHEAD = 20
# Copies that are marked by one write.
TOGETHER = 20


def is_needed(npc: Any) -> bool:
    """Return whether a journal is full of what exists nowhere else, and there is a place for it."""
    return bool(journal.excess(npc)) and get_memory().enabled


def describe_lost(npc: Any) -> str:
    """Return one sentence on what the journal of an assistant has lost for good, "" if nothing."""
    lost = journal.lost(npc)
    if not lost:
        return ""
    told = f"Its journal let {lost} of its entries go that were kept nowhere else"
    memory = get_memory()
    why = "more was said than was kept in time." if memory.enabled else memory.describe()
    return f"{told}: {why}"


@inlineCallbacks
def make_room(script: Any, npc: Any):
    """Copy what a journal lets go next; return how many entries that were."""
    key, npc_id = assistant.key_of(script), npc.id
    ahead = journal.journal_size(npc) // AHEAD
    ids = journal.select_to_keep(npc, journal.excess(npc) + ahead)
    kept, error = yield keep(key, npc_id, journal.get_entries(npc, ids).values())
    if error:
        logger.log_warn(f"evennia_ai: the journal of #{npc_id} is full: {error}")
    return kept


@inlineCallbacks
def keep(assistant_key: str, character_id: int, entries: Iterable[Entry]):
    """Copy entries, as they are now, to long-term memory, and mark them.

    Return how many were marked, and why the others could not be copied, "" if they could.
    """
    memory, given, marked, error = get_memory(), list(entries), 0, ""
    copied: list[Entry] = []
    try:
        copies = yield journal_sync.find_copies(memory, given, assistant_key=assistant_key)
        for entry_id in [entry.id for entry in given]:
            entry = _waiting(character_id, entry_id)
            if entry is None:
                continue
            yield journal_sync.keep_entry(
                memory,
                entry,
                assistant_key=assistant_key,
                copies=copies.get(entry_id, ()),
                question=episodic.question_of(lookup.object_by_id(character_id), entry),
            )
            copied.append(entry)
            if len(copied) == TOGETHER:
                marked += _mark(character_id, copied)
                copied = []
            yield scheduling.yield_to_reactor()
    except MemoryUnavailable as unavailable:
        error = str(unavailable)
    return marked + _mark(character_id, copied), error


def _mark(character_id: int, copied: Iterable[Entry]) -> int:
    """Mark what is still as it was copied; return how many entries those are.

    What was changed meanwhile is found there by the next tick, and changed as well.
    """
    character = lookup.object_by_id(character_id)
    if character is None:
        return 0
    given = {entry.id: entry for entry in copied}
    now = journal.get_entries(character, given).values()
    unchanged = [one.id for one in now if _is_as_copied(one, given[one.id])]
    if unchanged:
        journal.mark_consolidated(character, unchanged)
    return len(unchanged)


def _is_as_copied(now: Entry, copied: Entry) -> bool:
    return page_counts.is_to_copy(now) and all(
        getattr(now, key) == getattr(copied, key) for key in ("content", "audience", "importance")
    )


def _waiting(character_id: int, entry_id: int) -> Entry | None:
    character = lookup.object_by_id(character_id)
    entry = journal.get_entry(character, entry_id) if character else None
    return entry if entry is not None and page_counts.is_to_copy(entry) else None
