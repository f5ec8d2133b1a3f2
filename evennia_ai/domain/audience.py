"""Who may know what: the one rule that keeps a whisper from the wrong ears."""

from __future__ import annotations

from typing import Iterable, TypeVar

from evennia_ai.domain.records import PRIVATE, Audience

PUBLIC: Audience = "public"

Known = TypeVar("Known", bound=dict)


def may_know(audience: Audience, hearers: Iterable[str]) -> bool:
    """Return whether everybody who will hear the reply may know what has this audience."""
    return audience == PUBLIC or set(hearers) <= set(audience)


def select_tellable(items: Iterable[Known], hearers: Iterable[str]) -> list[Known]:
    """Return the items that everybody in earshot may know; each carries its `audience`."""
    listening = set(hearers)
    return [item for item in items if may_know(item["audience"], listening)]


def intersection(audiences: Iterable[Audience]) -> Audience:
    """Return who may know something that was derived from several things."""
    known: set[str] | None = None
    for audience in audiences:
        if audience != PUBLIC:
            known = set(audience) if known is None else known & set(audience)
    return PUBLIC if known is None else sorted(known)


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
