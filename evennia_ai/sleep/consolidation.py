"""Keeping the day for good: entries of the journal are copied to long-term memory and marked.

Killed at any point, the next tick loses none and copies none twice: an entry is marked after it was
copied, and before it is copied long-term memory is asked for it.
"""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import inlineCallbacks

from evennia_ai.agent.revising import making_room
from evennia_ai.core.records import Entry
from evennia_ai.domain.memories import page_counts
from evennia_ai.domain.sleeping import rating_rules
from evennia_ai.memory import journal, lookup
from evennia_ai.memory.state import assistant, sleep_state
from evennia_ai.semantic.base import get_memory
from evennia_ai.sleep import learning

# After so many ticks in a row in which nobody would rate, the scores of the rules have to do.
UNRATED_TICKS = 3


@inlineCallbacks
def run_sleep_consolidation(script: Any, character: Any, max_entries_per_tick: int = 5):
    """Copy rated entries to long-term memory; return {"completed", "consolidated", "waiting"}.

    `completed` is whether nothing waits any more, neither to be rated nor to be copied; without a
    long-term memory there is nothing to copy to. "error" says why it could not be reached.
    """
    script_id, character_id = script.id, character.id
    memory, key = get_memory(), assistant.key_of(script)
    consolidated, error = 0, ""
    if memory.enabled:
        with_unrated = sleep_state.failed_ticks(script) >= UNRATED_TICKS
        kinds = ("ready", "unrated") if with_unrated else ("ready",)
        entries = journal.entries_with(character, *kinds, at_least=max_entries_per_tick)
        ready = _select_ready(entries, with_unrated=with_unrated)[:max_entries_per_tick]
        # Before they are marked: killed in between, it is seen which facts are there.
        yield learning.learn(script_id, character.key, ready, assistant_key=key)
        consolidated, error = yield making_room.keep(key, character_id, ready)
    waiting = _count_waiting(script_id, character_id, unrated_only=not memory.enabled)
    result = {"completed": waiting == 0, "consolidated": consolidated, "waiting": waiting}
    return {**result, "error": error} if error else result


def _select_ready(entries: list[Entry], *, with_unrated: bool) -> list[Entry]:
    return [
        entry
        for entry in entries
        if page_counts.is_to_copy(entry) and (with_unrated or not rating_rules.is_unrated(entry))
    ]


def _count_waiting(script_id: int, character_id: int, *, unrated_only: bool) -> int:
    """Return how many entries are still to be rated or copied."""
    character = lookup.object_by_id(character_id)
    if character is None or lookup.script_by_id(script_id) is None:
        return 0
    return journal.count(character, *(("unrated",) if unrated_only else ("unrated", "ready")))
