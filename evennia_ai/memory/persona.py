"""Who an NPC is: what its builder wrote. It stays with the body when its memory is cleared.

A persona is a dict of text under the keys of `FIELDS` and lists of lines under those of `LINES`; a
plain text counts as its description.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from evennia.utils.dbserialize import deserialize

from evennia_ai.core.records import Lore
from evennia_ai.memory import kinds, repository

# Prototypes and build scripts give these as ordinary Attributes; they are taken up with the mind.
SEEDS = {"ai_persona": kinds.PERSONA, "ai_lore": kinds.LORE}

FIELDS = ("description", "background", "notes", "manner", "language")
LINES = (
    "greeting_lines",
    "farewell_lines",
    "unknown_lines",
    "thinking_lines",
    "fallback_lines",
    "sleepy_lines",
    "beats",
)


def load_persona(npc: Any) -> dict[str, Any]:
    """Return the persona with every key, empty where the builder wrote nothing."""
    given = repository.load(npc, kinds.PERSONA) or {}
    fields = {key: given.get(key) or "" for key in FIELDS}
    return {**fields, **{key: _listed(given.get(key)) for key in LINES}}


def save_persona(npc: Any, persona: dict[str, Any] | str) -> None:
    """Write a persona; a key that does not exist is a ValueError."""
    if isinstance(persona, dict):
        unknown = persona.keys() - {*FIELDS, *LINES}
        if unknown:
            raise ValueError(f"A persona has no {', '.join(sorted(unknown))}.")
    repository.save(npc, kinds.PERSONA, _written(persona))


def load_lore(npc: Any) -> list[Lore]:
    """Return the facts that an NPC knows from its builder."""
    return repository.load(npc, kinds.LORE) or []


def save_lore(npc: Any, facts: Iterable[Lore | str | Mapping[str, Any]]) -> None:
    """Write what an NPC knows: facts, sentences, or dicts with `text` and `audience`."""
    repository.save(npc, kinds.LORE, [_fact(fact) for fact in facts])


def take_up(npc: Any) -> None:
    """Take persona and lore from the ordinary Attributes of an NPC that has none of ours yet.

    So a prototype or a build script says who somebody is; the Attributes go, so that nobody takes
    them for what the mind reads.
    """
    for key, kind in SEEDS.items():
        given = deserialize(npc.attributes.get(key))
        if not given or repository.load(npc, kind):
            continue
        if kind is kinds.PERSONA:
            repository.save(npc, kinds.PERSONA, _written(given))
        else:
            save_lore(npc, _listed(given))
        npc.attributes.remove(key)


def _listed(value: Any) -> list[Any]:
    # A builder who sets one line by hand writes no list.
    return [value] if value and isinstance(value, (str, dict)) else list(value or ())


def _written(given: Any) -> dict[str, Any]:
    return dict(given) if isinstance(given, dict) else {"description": str(given)}


def _fact(fact: Lore | str | Mapping[str, Any]) -> Lore:
    if isinstance(fact, Lore):
        return fact
    if isinstance(fact, str):
        return Lore(text=fact, audience="public")
    return Lore(text=fact["text"], audience=fact.get("audience", "public"))
