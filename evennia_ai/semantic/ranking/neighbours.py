"""Neighbours of a memory: those linked to it in sleep come to mind with it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import structs
from twisted.internet.defer import inlineCallbacks

from evennia_ai.domain import audience
from evennia_ai.domain.memories.long_term import Memory
from evennia_ai.domain.sleeping import link_rules as linking
from evennia_ai.memory import links
from evennia_ai.semantic.base import get_memory

# Of how many of the best hits the links are followed, and how many memories they bring at most.
FOLLOWED = 3
BROUGHT = 3


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
