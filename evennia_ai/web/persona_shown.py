"""The page of a persona and its lore: what it asks of the game and writes there; called over the bridge."""

from __future__ import annotations

from typing import Any

from evennia_ai.commands.aimemory import memory_format
from evennia_ai.commands.assistants import persona_drafts
from evennia_ai.commands.assistants.naming import names_known
from evennia_ai.core.records import Lore
from evennia_ai.domain.files.seed_files import Change
from evennia_ai.memory import persona
from evennia_ai.memory.seeds import seeding
from evennia_ai.web import npcs_shown, visitors


def begin(account_id: int, npc_id: int) -> dict[str, Any]:
    """Return who the NPC is, its persona and its lore, and the mark of both."""
    _, npc = visitors.with_npc(account_id, npc_id)
    names = names_known(npc)
    return {
        "npc": npcs_shown.head(npc),
        "persona": persona.load_persona(npc),
        "lore": [_fact(npc, fact, names) for fact in persona.load_lore(npc)],
        "was": persona_drafts.mark_of(npc),
    }


def plan(account_id: int, npc_id: int, draft: persona_drafts.Draft) -> tuple[str, list[Change]]:
    """Return what is wrong with a draft, "" if nothing is, and what it would change."""
    _, npc = visitors.with_npc(account_id, npc_id)
    wrong = persona_drafts.problem(npc, draft)
    return wrong, [] if wrong else persona_drafts.changes(npc, draft)


def save(account_id: int, npc_id: int, draft: persona_drafts.Draft) -> str:
    """Write a draft; return what to say of it."""
    who, npc = visitors.with_npc(account_id, npc_id)
    if wrong := persona_drafts.problem(npc, draft):
        return wrong
    count = visitors.changes(account_id, lambda: persona_drafts.write(who, npc, draft))
    much = "1 change" if count == 1 else f"{count} changes"
    return f"You write the persona and lore of {npcs_shown.name_of(npc)}: {much}."


def _fact(npc: Any, fact: Lore, names: dict[str, str]) -> dict[str, Any]:
    told = f"if {fact.only_if}" if fact.only_if else memory_format.known_to(fact.audience, names)
    return {"text": fact.text, "told": told, "files": seeding.files_of(npc, fact)}
