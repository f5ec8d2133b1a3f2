"""Retrieval from long-term memory: by events and goals in two stages (what is relevant, then what is to be believed), and by
links, which bring what sleep linked to the best that a search found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from msgspec import structs
from twisted.internet.defer import inlineCallbacks

from evennia_ai.core.records import Event
from evennia_ai.domain import audience
from evennia_ai.domain.memories.long_term import Memory
from evennia_ai.domain.sleeping import link_rules as linking
from evennia_ai.memory import identity, links
from evennia_ai.memory.storage.pages import plain
from evennia_ai.semantic.base import SemanticMemory, get_memory

# The source's thresholds. The first holds where an embedder measured none of its own.
MIN_RELEVANCE = 0.7
MIN_SOURCE_TRUST = 0.5
# Memories that are looked at in each search, and that come back.
LOOKED_AT = 30
LIMIT = 10
# Of how many of the best hits the links are followed, and how many memories they bring at most.
FOLLOWED = 3
BROUGHT = 3


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


@inlineCallbacks
def with_neighbours(script: Any, hits: list[Memory], *, assistant_key: str, hearers: Iterable[str]):
    """Return what a search found, and after it what its best hits are linked to.

    Who may know is asked of each link and of each neighbour, before any of them is ranked. A neighbour has a
    `score` by that of the hit and how alike they are, and the same as its `cosine`.
    """
    listening = set(hearers)
    best = sorted(hits, key=lambda hit: -hit.score)[:FOLLOWED]
    linked = links.linked(script, [hit.id for hit in best if hit.id])
    lead_to = {one: audience.select_tellable(found, listening) for one, found in linked.items()}
    known = {hit.id for hit in hits}
    wanted = {link.id for found in lead_to.values() for link in found} - known
    memory = get_memory()
    told: dict[str, Memory] = {}
    for one in sorted(wanted):
        item = yield memory.get(one, assistant_key=assistant_key)
        if item is not None and audience.may_know(item.audience, listening):
            told[one] = item
    open_links = {
        source: [link for link in found if link.id in told] for source, found in lead_to.items()
    }
    ranked = linking.neighbours(best, open_links, limit=BROUGHT)
    brought = (structs.replace(told[one], score=score, cosine=score) for one, score in ranked)
    return [*hits, *brought]
