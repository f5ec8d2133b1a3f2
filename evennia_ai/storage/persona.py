"""Who an NPC is: what its builder wrote. It stays with the body when its memory is cleared.

A persona is a dict of text under the keys of `FIELDS` and lists of lines under those of `LINES`; a
plain text counts as its description.
"""

from __future__ import annotations

from typing import Any

from evennia.utils.utils import make_iter

from evennia_ai.storage import attributes

# Builders and prototypes set these as ordinary Attributes: `set bob/ai_persona = …`.
PERSONA_KEY = "ai_persona"
LORE_KEY = "ai_lore"

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
    stored = attributes.load(npc, PERSONA_KEY, category=None) or {}
    given = stored if isinstance(stored, dict) else {"description": str(stored)}
    fields = {key: given.get(key) or "" for key in FIELDS}
    return {**fields, **{key: _listed(given.get(key)) for key in LINES}}


def save_persona(npc: Any, persona: dict[str, Any] | str) -> None:
    """Write a persona; a key that does not exist is a ValueError."""
    if isinstance(persona, dict):
        unknown = persona.keys() - {*FIELDS, *LINES}
        if unknown:
            raise ValueError(f"A persona has no {', '.join(sorted(unknown))}.")
    attributes.save(npc, PERSONA_KEY, persona, category=None)


def load_lore(npc: Any) -> list[dict[str, Any]]:
    """Return the facts that an NPC knows from its builder: {"text", "audience"}."""
    return [_fact(fact) for fact in _listed(attributes.load(npc, LORE_KEY, category=None))]


def save_lore(npc: Any, facts: list[str | dict[str, Any]]) -> None:
    """Write what an NPC knows: sentences, or dicts with `text` and `audience`."""
    attributes.save(npc, LORE_KEY, [_fact(fact) for fact in facts], category=None)


def _listed(value: Any) -> list[Any]:
    # A builder who sets one line by hand writes no list.
    return [value] if value and isinstance(value, (str, dict)) else list(value or ())


def allowed_commands(npc: Any) -> list[str]:
    """Return the commands that its builder lets an NPC use (`npc.db.allowed_commands`)."""
    listed = attributes.load(npc, "allowed_commands", category=None)
    return list(make_iter(listed or ()))


def _fact(fact: str | dict[str, Any]) -> dict[str, Any]:
    whole = {"text": fact} if isinstance(fact, str) else fact
    return {"text": whole["text"], "audience": whole.get("audience", "public")}
