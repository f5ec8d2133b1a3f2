"""People and things in reach of an assistant, as it sees them."""

from __future__ import annotations

from typing import Any

from evennia_ai import markup
from evennia_ai.agent import speech
from evennia_ai.agent.hearing import presence
from evennia_ai.domain.model_text import reply
from evennia_ai.memory import identity

# Characters of how somebody looks.
LOOKS_LENGTH = 80
# Things that it carries of which one prompt says how they look.
LOOKED_AT = 5

KINDS = ("player", "npc", "object", "exit")


def of(npc: Any) -> list[Any]:
    """Return who and what is where it is, and it sees."""
    here = npc.location.contents if npc.location else []
    return [obj for obj in here if is_seen(npc, obj)]


def described(npc: Any, obj: Any) -> dict[str, str]:
    """Return what a prompt and plain data say of one thing or person."""
    known = {"name": speech.name_of(obj, npc), "identity": "", "kind": _kind(obj), "looks": ""}
    if known["kind"] in ("player", "npc"):
        known["identity"] = identity.perceived(npc, obj)
        known["looks"] = looks(obj)
    return known


def looks(obj: Any) -> str:
    """Return how somebody looks, in short."""
    return reply.printable(description(obj), max_length=LOOKS_LENGTH)


def description(obj: Any) -> str:
    """Return how something is described; as the game shows it, also what a builder set that is no text."""
    return markup.plain(str(obj.db.desc or ""))


def is_seen(npc: Any, obj: Any) -> bool:
    """Return whether it sees something, which is not itself."""
    return obj is not npc and bool(obj.access(npc, "view"))


def has_more_to_see(npc: Any) -> bool:
    """Return whether to look tells more than the prompt: of things, of ways, of who has a long story."""
    if not description(npc.location) or len(npc.contents) > LOOKED_AT:
        return True
    held = [obj for obj in npc.contents if is_seen(npc, obj)]
    if any(obj.contents for obj in held):
        return True
    here = {obj: _kind(obj) for obj in of(npc)}
    known = {"exit": 0, "player": LOOKS_LENGTH, "npc": LOOKS_LENGTH}
    return any(
        kind not in known or len(description(obj)) > known[kind] for obj, kind in here.items()
    )


def _kind(obj: Any) -> str:
    if obj.destination:
        return "exit"
    if presence.is_puppeted(obj):
        return "player"
    is_character = obj.is_typeclass("evennia.objects.objects.DefaultCharacter", exact=False)
    return "npc" if is_character or presence.can_hear(obj) else "object"
