"""Looking again at how much something matters: what waits for it, by rules, and what a mind answered."""

from __future__ import annotations

import re
from typing import Any, Iterable, Mapping

from evennia_ai.core import languages
from evennia_ai.core.records import SPOKEN as SPOKEN_KINDS
from evennia_ai.core.records import Entry
from evennia_ai.domain import audience
from evennia_ai.domain.offline import reading
from evennia_ai.domain.sleeping import importance

# Who rated an entry, where no model did; a model that is configured later may look once more.
OFFLINE = "offline"

SPOKEN = frozenset(SPOKEN_KINDS)
# What binds somebody, and what moves somebody; words that the keywords of the heuristic do not have.
_BINDING = languages.Pattern("rating.binding", of_words=True)
_MOVING = languages.Pattern("rating.moving", of_words=True)
# What a model may say that something is worth: small models give one number to all that they rate.
WORTH = {"trivial": 1, "ordinary": 3, "personal": 5, "important": 7, "secret": 9}
CONFIDENCE = 2
# Below this nobody meant the assistant to know it.
OVERHEARD_TRUST = 0.5
# Two entries of which so much of the words is shared (0..1) say the same.
SAME_WORDS = 0.8


def is_unrated(entry: Entry) -> bool:
    """Return whether nothing but the rules of the moment has rated an entry."""
    return entry.importance_method == "heuristic" and not entry.scored


def is_rated_offline(entry: Entry) -> bool:
    """Return whether the offline mind rated an entry that is not kept for good yet."""
    return (
        entry.importance_method == "heuristic"
        and entry.scored
        and entry.scored_by == OFFLINE
        and not entry.consolidated
    )


def select_pending(entries: Iterable[Entry], *, by_model: bool) -> list[Entry]:
    """Return the entries that only rules have rated, in the order of the journal.

    A model also looks at those that the offline mind rated, after all others, until they are kept
    for good.
    """
    known = list(entries)
    unrated = list(filter(is_unrated, known))
    return unrated + list(filter(is_rated_offline, known)) if by_model else unrated


def is_greeting(entry: Entry, *, names: Iterable[str]) -> bool:
    """Return whether somebody only greeted one of these names, or took their leave."""
    spoken = not SPOKEN.isdisjoint(entry.tags) and entry.source_type == "direct"
    return spoken and reading.is_greeting(entry.content, names=names)


def batch(pending: list[Entry], *, size: int, failures: int = 0) -> list[Entry]:
    """Return the entries of one request.

    After failures in a row it is fewer of them, further on: one entry that a model will not read
    must not keep the others from being rated.
    """
    if not pending:
        return []
    smaller = max(1, size >> failures)
    start = failures * smaller % len(pending)
    return pending[start : start + smaller]


def score_of(worth: Any, *, in_confidence: bool = False) -> int | None:
    """Return the score within 1 to 10 that a mind gave, None for what is no number and no word of `WORTH`.

    What was told in confidence matters more than its words alone tell.
    """
    if isinstance(worth, str) and worth in WORTH:
        return importance.clamp(WORTH[worth] + CONFIDENCE * in_confidence)
    score = _number(worth)
    return None if score is None else importance.clamp(round(score))


def rate(entries: Iterable[Mapping[str, Any]]) -> dict[int, int]:
    """Return {id: score} of each entry, by rules that see the entries side by side.

    Each is what a mind is shown of it: its `id`, `content`, `importance`, `audience`, `source_trust`.
    """
    rated: dict[int, int] = {}
    seen: list[frozenset[str]] = []
    for entry in entries:
        words = frozenset(re.findall(r"\w+", entry["content"].casefold()))
        said_before = any(_alike(words, others) for others in seen)
        seen.append(words)
        score = entry["importance"] + _difference(entry, said_before=said_before)
        rated[entry["id"]] = importance.clamp(score)
    return rated


def _difference(entry: Mapping[str, Any], *, said_before: bool) -> int:
    """Return by how much an entry matters more than the words alone told when it was noted."""
    told_in_confidence = entry["audience"] != audience.PUBLIC
    overheard = entry["source_trust"] < OVERHEARD_TRUST
    return (
        bool(_BINDING.search(entry["content"]))
        + bool(_MOVING.search(entry["content"]))
        + told_in_confidence
        - overheard
        - said_before
    )


def _alike(words: frozenset[str], others: frozenset[str]) -> bool:
    return len(words & others) >= SAME_WORDS * max(1, len(words | others))


def _number(value: Any) -> float | None:
    """Return what a model meant by 7, 7.0, "7" or "7/10"; None for what is no number."""
    if isinstance(value, str):
        found = re.match(r"\s*(-?\d{1,6}(?:\.\d{1,6})?)\s*(?:/\s*10\s*)?$", value)
        value = float(found.group(1)) if found else None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value:
        return None
    # Infinity is no rating, and cannot be rounded.
    return float(value) if abs(value) < 1e9 else None
