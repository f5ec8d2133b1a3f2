"""Gossip: what an assistant may pass on of what it was told, and how far it is believed then."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterable

from evennia_ai.core.records import Audience, Entry, Source
from evennia_ai.domain import audience as audiences
from evennia_ai.domain.memories import relationship

# How much an assistant passes on: only what the other may know anyway, to friends, or to anybody.
NEVER, FRIENDS, FREELY = LEVELS = ("never", "friends", "freely")
# What has this tag is for nobody else, unless somebody gossips freely.
SECRET_TAG = "secret"
# What is left of the trust in something each time that it is passed on.
PASSED_ON = 0.5
# People to whom one thing was passed on that are kept, newest last.
SHARED_LIMIT = 50


# Somebody in a chain of tellers: their identity, and the name by which the one who tells of them calls them.
Teller = dict[str, str]


@dataclass(frozen=True)
class Hearsay:
    """What is passed on: the bare words, how far the teller believes them, whom they came through.

    `chain` begins with whoever said it first; the one who passes it on is not in it. `is_news` says that no player did,
    `sources` are what it rests on.
    """

    text: str
    trust: float
    chain: tuple[Teller, ...] = ()
    is_news: bool = False
    sources: tuple[Source, ...] = ()


def level(chosen: Any) -> str:
    """Return a level of gossip as it was chosen; what is none of them passes nothing on."""
    wanted = str(chosen or "").strip().casefold()
    return wanted if wanted in LEVELS else NEVER


def is_secret(tags: Iterable[str]) -> bool:
    """Return whether somebody marked a memory as secret."""
    return any(str(tag).strip().casefold() == SECRET_TAG for tag in tags)


def with_secret(tags: Iterable[str]) -> list[str]:
    """Return tags with the one that marks a memory as secret."""
    known = list(tags)
    return known if is_secret(known) else [*known, SECRET_TAG]


def may_share(
    gossip: str,
    *,
    audience: Audience,
    listener: str,
    tellers: Iterable[str],
    regard: str,
    secret: bool = False,
) -> bool:
    """Return whether an assistant tells somebody what it remembers.

    `gossip` is its level and `regard` the state of its relationship with them; `tellers` are the
    identities whom it has the memory from: they need not hear it again.
    """
    if not listener or listener in tellers:
        return False
    if gossip == FREELY:
        return True
    if secret:
        # That it was said aloud does not make it fit to be passed on.
        return audience != audiences.PUBLIC and listener in audience
    return audiences.may_know(audience, [listener]) or tells_on(gossip, regard=regard)


def tells_on(gossip: str, *, regard: str) -> bool:
    """Return whether an assistant tells somebody what they may not know anyway, unless it is secret."""
    return gossip == FREELY or (gossip == FRIENDS and relationship.of(regard).is_close)


def believed(trust: float, hearsay: Hearsay | None) -> float:
    """Return how far words are believed which somebody may only have passed on."""
    return trust if hearsay is None else min(trust, round(hearsay.trust * PASSED_ON, 6))


def lengthened(chain: Iterable[Teller], *, identity: str, name: str) -> list[Teller]:
    """Return a chain with whoever told it last, if there is somebody."""
    teller: list[Teller] = [{"identity": identity, "name": name}] if identity or name else []
    return [*chain, *teller]


def shared_with(entry: Entry, *, identity: str, name: str, timestamp: str) -> dict:
    """Return what changes in an entry that was told to somebody: they may know it from now on."""
    known, others = entry.audience, [one for one in entry.shared if one["with"] != identity]
    told = {"with": identity, "name": name, "timestamp": timestamp}
    return {
        "audience": known if known == audiences.PUBLIC else sorted({*known, identity}),
        "shared": [*others, told][-SHARED_LIMIT:],
    }
