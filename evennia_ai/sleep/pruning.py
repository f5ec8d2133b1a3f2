"""Pruning of the journal: old entries that matter little are removed, and insights and summaries beyond their share go to
long-term memory.

Each insight becomes a memory of its own, with the entries that it rests on. Killed at any point none
is lost: an entry leaves the journal after it was kept, and what is kept twice is known by its words.
"""

from __future__ import annotations

from typing import Any

from evennia.utils import logger
from twisted.internet.defer import inlineCallbacks

from evennia_ai import scheduling
from evennia_ai.core.records import Entry
from evennia_ai.domain.memories.long_term import NewMemory
from evennia_ai.domain.memories.page_counts import TRIVIAL
from evennia_ai.domain.sleeping import insights, pruning_rules
from evennia_ai.memory import journal, lookup
from evennia_ai.memory.state import assistant
from evennia_ai.semantic import journal_sync
from evennia_ai.semantic.base import get_memory
from evennia_ai.semantic.memory_thread import MemoryUnavailable

# What hardly mattered may be forgotten after so many days, so many entries at once.
DAYS = 30
ENTRIES = 10
# Entries that are kept for good in one tick.
CONSOLIDATIONS = 10


def prune_low_importance_entries(character: Any) -> dict[str, list[int]]:
    """Remove some entries that hardly mattered and are old.

    Returns {"removed": [ids]}. What is pinned, made of other entries or cited by one that is stays;
    so does what long-term memory, where there is one, does not have yet.
    """
    removed = pruning_rules.select_forgettable(
        journal.oldest_first(character, "trivial"),
        now=scheduling.now(),
        importance=TRIVIAL,
        days=DAYS,
        limit=ENTRIES,
        only_consolidated=get_memory().enabled,
    )
    if removed:
        journal.remove_entries(character, removed)
        logger.log_info(f"[evennia_ai] {character}(#{character.id}) forgets entries {removed}")
    return {"removed": removed}


@inlineCallbacks
def let_insights_age(script: Any, character: Any):
    """Let the oldest insights and summaries that nothing cites leave the journal; return {"aged"}.

    They are a fifth of it at most. Without a long-term memory they are lost, as status says. "error"
    says why it could not be reached: then they stay.
    """
    key, character_id, memory = assistant.key_of(script), character.id, get_memory()
    beyond = journal.syntheses_beyond(character)[:CONSOLIDATIONS]
    if not memory.enabled:
        return {"aged": journal.let_go(character, [one.id for one in beyond], is_kept=False)}
    aged = 0
    try:
        for entry in beyond:
            yield memory.add_all(_memories(entry), assistant_key=key)
            npc = lookup.object_by_id(character_id)
            # What was changed or forgotten while it was kept is looked at again in the next tick.
            if npc is None or journal.get_entry(npc, entry.id) != entry:
                break
            aged += journal.let_go(npc, [entry.id], is_kept=True)
            yield scheduling.yield_to_reactor()
    except MemoryUnavailable as error:
        return {"aged": aged, "error": str(error)}
    return {"aged": aged}


def _memories(entry: Entry) -> list[NewMemory]:
    """Return what an entry becomes: each of its insights, or what it sums up."""
    told = insights.read(entry.content) or [(insights.unmarked(entry.content), entry.derived_from)]
    return [journal_sync.as_memory(entry, text=text, evidence=evidence) for text, evidence in told]
