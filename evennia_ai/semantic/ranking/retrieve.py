"""Two stages from events and goals to memories: what is relevant, then what is to be believed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from twisted.internet.defer import inlineCallbacks

from evennia_ai.core.records import Event
from evennia_ai.domain.memories.long_term import Memory
from evennia_ai.memory import identity
from evennia_ai.memory.storage.pages import plain
from evennia_ai.semantic.base import SemanticMemory, get_memory

# The source's thresholds. The first holds where an embedder measured none of its own.
MIN_RELEVANCE = 0.7
MIN_SOURCE_TRUST = 0.5
# Memories that are looked at in each search, and that come back.
LOOKED_AT = 30
LIMIT = 10


@inlineCallbacks
def retrieve_relevant_memories(
    script: Any,
    events: Iterable[Event | Mapping[str, Any]],
    goals: Iterable[str],
    min_source_trust: float = MIN_SOURCE_TRUST,
    *,
    hearers: Iterable[str] | None = None,
    limit: int = LIMIT,
    alias: str = "default",
) -> Any:
    """Return what an assistant knows about events and goals, best first, with score and likeness.

    Ranked first and cut second: by relevance on the scale of the embedder, then by
    `metadata["source_trust"]`. `hearers` are those who may hear of it; by default those who were
    meant by the events.
    """
    given = [plain(one) if isinstance(one, Event) else one for one in events]
    memory = get_memory(alias)
    # Ids and plain data only from here on: the searches take a while.
    key = identity.identity_of(script.obj)
    queries = _queries(given, goals)
    listening = set(_actors(given) if hearers is None else hearers) - {key}
    names = sorted({event.get("actor_name") or "" for event in given} - {""})
    found: dict[str, Memory] = {}
    for query in queries:
        hits = yield memory.search(
            query, assistant_key=key, hearers=listening, limit=LOOKED_AT, names=names
        )
        for hit in hits:
            known = found.get(hit.id)
            if known is None or hit.score > known.score:
                found[hit.id] = hit
    ranked = sorted(found.values(), key=lambda hit: -hit.score)
    relevant = [hit for hit in ranked if hit.cosine > relevance_of(memory)]
    kept = [hit for hit in relevant if trust_of(hit) >= min_source_trust][:limit]
    return [msgspec.to_builtins(hit) for hit in kept]


def relevance_of(memory: SemanticMemory) -> float:
    """Return the likeness above which a memory of this store is about the query."""
    return memory.scale.get("relevant", MIN_RELEVANCE)


def trust_of(hit: Memory) -> float:
    """Return how far a memory is believed; what does not say is believed half."""
    trust = hit.trust
    return float(trust) if isinstance(trust, (int, float)) else MIN_SOURCE_TRUST


def _queries(events: list[Mapping[str, Any]], goals: Iterable[str]) -> list[str]:
    texts = [event.get("text") or "" for event in events]
    texts += [goal if isinstance(goal, str) else goal.get("text", "") for goal in goals]
    return list(dict.fromkeys(text for text in texts if text.strip()))


def _actors(events: list[Mapping[str, Any]]) -> set[str]:
    return {event.get("actor") or "" for event in events} - {""}
