"""Tools for memory: facts to keep and recall."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from twisted.internet.defer import Deferred

from evennia_ai import prompts
from evennia_ai.core.records import SOURCE_TRUST, audience_from
from evennia_ai.domain import audience
from evennia_ai.domain.memories import memory_ranking, passages, self_reference
from evennia_ai.domain.memories.long_term import Memory
from evennia_ai.exceptions import ToolError
from evennia_ai.memory import identity
from evennia_ai.semantic.base import get_memory
from evennia_ai.semantic.memory_thread import MemoryUnavailable
from evennia_ai.tools.base import Tool, ToolCategory

# Memories that one recall may ask for.
MAX_RECALLED = 20


class RecallMemories(Tool):
    """Search your memory for what does not stand here."""

    name = "recall_memories"
    brief = True
    left_out = ("limit", "min_trust")
    category = ToolCategory.SAFE_CHAIN

    def execute(
        self,
        turn,
        query: Annotated[str, "What to remember, in a few words."],
        limit: Annotated[int, "How many memories, 1 to 20."] = 5,
        min_trust: Annotated[
            float, "How far they must be believed, 0 to 1."
        ] = memory_ranking.BELIEVED,
    ):
        if not query.strip():
            raise ToolError("query must say what to remember.")
        if not 1 <= limit <= MAX_RECALLED:
            raise ToolError(f"limit must be between 1 and {MAX_RECALLED}.")
        names = [turn.name_of(turn.character)]
        found = get_memory().search(
            query,
            assistant_key=identity.identity_of(turn.character),
            hearers=turn.hearers,
            limit=limit,
            min_trust=min_trust,
            names=names,
        )
        found.addCallback(_about, query, names)
        return found.addCallbacks(_listed, _unavailable, callbackArgs=(turn,))


class StoreMemory(Tool):
    """Keep a fact about the world or about somebody in your long-term memory, for good."""

    name = "store_memory"
    shown = False
    keeps = True
    category = ToolCategory.SAFE_CHAIN

    def execute(
        self,
        turn,
        content: Annotated[str, "The fact, as one sentence that names whom it is about."],
        importance: Annotated[int, "1 (trivial) to 10 (vital)."] = 5,
        tags: list[str] | None = None,
    ):
        if not content.strip():
            raise ToolError("content must say what to keep.")
        if not 1 <= importance <= 10:
            raise ToolError("importance must be between 1 and 10.")
        own = turn.name_of(turn.character)
        if self_reference.is_about(content, names=[own], addressed=True):
            raise ToolError("This is about yourself; keep only what is so of the world and others.")
        event = turn.event
        kept = get_memory().put(
            content.strip(),
            assistant_key=identity.identity_of(turn.character),
            audience=audience_from(turn.origins()),
            metadata={
                "source_type": "inference",
                "source_trust": min(SOURCE_TRUST["inference"], event.source_trust),
                "source_id": event.said_by,
                "speaker": event.actor_name,
                "importance": importance,
                "tags": tags or [],
                "event_id": event.id,
                "sources": msgspec.to_builtins(turn.origins()),
            },
        )
        return kept.addCallbacks(_kept, _unavailable)


def _about(found: list[Memory], query: str, names: list[str]) -> list[Memory]:
    relevant = get_memory().scale.get("relevant", 0.0)
    return memory_ranking.about(found, query, relevant=relevant, names=names)


def _listed(found: list[Memory], turn: Any) -> str:
    if not found:
        return "You remember nothing about that."
    # Asked again: while memory was searched somebody may have come in.
    tellable = audience.select_tellable(found, turn.hearers)
    for item in tellable:
        turn.include(item)
    return "\n".join(_line(item) for item in tellable) or "You remember nothing about that."


def _line(item: Memory) -> str:
    by, kind = memory_ranking.origin(item)
    trust = memory_ranking.BELIEVED if item.trust is None else item.trust
    heard = memory_ranking.heard_as(item.source_type, trust)
    asked = passages.asked(item.text, item.question)
    told = {"by": by, "kind": kind, "heard": heard, "asked": asked}
    return f"- {prompts.memory(text=item.text, **told, is_quoted=True)}"


def _kept(result: Any) -> str:
    return "You knew that already." if result.event == "duplicate" else "You will remember that."


def _unavailable(failure: Any) -> Deferred[str]:
    failure.trap(MemoryUnavailable)
    raise ToolError("Your long-term memory does not answer now.")
