"""Pruning: old entries that matter little leave the journal."""

from __future__ import annotations

from typing import Any

from evennia.utils import logger

from evennia_ai import conf, scheduling
from evennia_ai.domain.memories.page_counts import TRIVIAL
from evennia_ai.domain.sleeping import pruning_rules
from evennia_ai.memory import journal
from evennia_ai.semantic.base import get_memory


def prune_low_importance_entries(character: Any) -> dict[str, list[int]]:
    """Remove some entries that hardly mattered and are old, by the setting PRUNE.

    Returns {"removed": [ids]}. What is pinned, made of other entries or cited by one that is stays;
    so does what long-term memory, where there is one, does not have yet.
    """
    bounds = conf.get("PRUNE")
    # What insights rest on is not counted as trivial, and stays.
    kind = "trivial" if bounds["importance"] <= TRIVIAL else "last"
    removed = pruning_rules.select_forgettable(
        journal.oldest_first(character, kind),
        now=scheduling.now(),
        importance=bounds["importance"],
        days=bounds["days"],
        limit=bounds["entries"],
        only_consolidated=get_memory().enabled,
    )
    if removed:
        journal.remove_entries(character, removed)
        logger.log_info(f"[evennia_ai] {character}(#{character.id}) forgets entries {removed}")
    return {"removed": removed}
