"""Audiences: the one rule about who may know what, which keeps a whisper from the wrong ears."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol, TypeVar

from evennia_ai.core.records import PRIVATE, Audience
from evennia_ai.core.records import intersection as intersection

PUBLIC: Audience = "public"
# An identity that is in no audience: who has it may know only what is public.
NOBODY = ""


class Kept(Protocol):
    """What somebody may know: a record, a memory."""

    @property
    def audience(self) -> Audience:
        """Who may know it."""


Known = TypeVar("Known", bound=Kept | Mapping[str, Any])


def may_know(audience: Audience, hearers: Iterable[str]) -> bool:
    """Return whether everybody who will hear the reply may know what has this audience."""
    return audience == PUBLIC or set(hearers) <= set(audience)


def as_kept(audience: Audience) -> Audience:
    """Return an audience as it is kept, so that two that are equal look so."""
    return PUBLIC if audience == PUBLIC else sorted(audience)


def audience_of(kept: Kept | Mapping[str, Any]) -> Audience:
    """Return who may know something that is kept, a record or plain data with its `audience`."""
    known: Audience = kept["audience"] if isinstance(kept, Mapping) else kept.audience
    return known


def select_tellable(items: Iterable[Known], hearers: Iterable[str]) -> list[Known]:
    """Return the items that everybody in earshot may know; each carries its `audience`."""
    listening = set(hearers)
    return [item for item in items if may_know(audience_of(item), listening)]


def divided(items: Iterable[Known]) -> list[tuple[Audience, list[Known]]]:
    """Return the items by who may know them: the public ones first, then the largest group.

    What a mind makes of one group may be known by just the audience of that group, whatever of it
    the mind says that it used: it has seen nothing else.
    """
    groups: dict[str | tuple[str, ...], list[Known]] = {}
    for item in items:
        audience = audience_of(item)
        key = PUBLIC if audience == PUBLIC else tuple(sorted(set(audience)))
        groups.setdefault(key, []).append(item)
    ordered = sorted(groups, key=lambda key: (key != PUBLIC, -len(groups[key]), str(key)))
    return [(key if isinstance(key, str) else list(key), groups[key]) for key in ordered]


def is_open_to(known: Audience, audience: Audience) -> bool:
    """Return whether everybody in an audience may know what is `known` to some; everybody, what is public."""
    return known == PUBLIC or (audience != PUBLIC and may_know(known, audience))


def select_open_to(items: Iterable[Known], audience: Audience) -> list[Known]:
    """Return the items that everybody in an audience may know; to everybody, the public ones."""
    return [item for item in items if is_open_to(audience_of(item), audience)]


def of_speech(
    kind: str,
    *,
    speaker: str,
    listener: str,
    present: Iterable[str],
    public: bool,
) -> Audience:
    """Return who may know words that were spoken.

    A whisper stays between the two; what is said aloud is public, or for those `present`. Whoever
    has no identity ("") is in no audience.
    """
    if kind in PRIVATE:
        return sorted({speaker, listener} - {""})
    return PUBLIC if public else sorted({speaker, listener, *present} - {""})


def is_confidence(audience: Audience) -> bool:
    """Return whether something is for the ears of one other at most."""
    return audience != PUBLIC and len(set(audience)) <= 2
