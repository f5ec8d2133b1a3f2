"""Links between memories that are alike: which to keep, and whether one may lead to another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from evennia_ai.core.records import Audience, Link
from evennia_ai.domain import audience as audiences
from evennia_ai.domain.memories.long_term import Memory

# Links of one memory: beyond that everything would be linked to everything.
LIMIT = 5
# What a neighbour is worth beside what led to it, before their likeness.
NEIGHBOUR_SHARE = 0.8


def may_lead(source: Audience, target: Audience) -> bool:
    """Return whether everybody who may know the one memory may know the other, too."""
    if source == audiences.PUBLIC:
        return target == audiences.PUBLIC
    return audiences.may_know(target, source)


def select_links(memory: Memory, hits: Iterable[Memory], *, threshold: float) -> list[Link]:
    """Return the links of a memory to what a search for it has found, the most alike first.

    Below the threshold of likeness (`cosine`) a hit is about something else.
    """
    alike = [
        (hit.cosine, hit.id)
        for hit in hits
        if hit.id != memory.id
        and hit.cosine >= threshold
        and may_lead(memory.audience, hit.audience)
    ]
    alike.sort(key=lambda one: (-one[0], one[1]))
    ears = audiences.as_kept(memory.audience)
    return [
        Link(id=other, score=round(min(1.0, score), 4), audience=ears)
        for score, other in alike[:LIMIT]
    ]


def back_links(
    memory: Memory, hits: Iterable[Memory], links: Iterable[Link]
) -> list[tuple[str, Link]]:
    """Return (from which memory, link) for the way back, where whoever may know it may go it."""
    scores = {link.id: link.score for link in links}
    return [
        (hit.id, _back(memory, scores[hit.id], hit.audience))
        for hit in hits
        if hit.id in scores and may_lead(hit.audience, memory.audience)
    ]


def with_link(links: Iterable[Link], link: Link) -> list[Link]:
    """Return links with one more; the weakest beyond the limit is let go."""
    others = [one for one in links if one.id != link.id]
    return sorted([*others, link], key=lambda one: -one.score)[:LIMIT]


def without(links: Iterable[Link], gone: set[str]) -> list[Link]:
    return [one for one in links if one.id not in gone]


def neighbours(
    hits: Iterable[Memory], links: Mapping[str, Iterable[Link]], *, limit: int
) -> list[tuple[str, float]]:
    """Return (id, score) of memories that the hits lead to and that are none of them, best first."""
    found = {hit.id: hit.score for hit in hits}
    worth: dict[str, float] = {}
    for source, score in found.items():
        for link in links.get(source, ()):
            if link.id not in found:
                value = round(score * link.score * NEIGHBOUR_SHARE, 6)
                worth[link.id] = max(value, worth.get(link.id, 0.0))
    return sorted(worth.items(), key=lambda one: (-one[1], one[0]))[:limit]


def _back(memory: Memory, score: float, audience: Audience) -> Link:
    return Link(id=memory.id, score=score, audience=audiences.as_kept(audience))
