"""What comes to mind first: one order over all that is remembered, whatever store it is from."""

from __future__ import annotations

import math
from datetime import datetime
from typing import Any, Iterable

from evennia_ai.core import records
from evennia_ai.domain import audience, conversation, retrieval

# What counts besides fitting the question. Fitting is a factor: what does not fit never comes up,
# however fresh or weighty it is.
FRESHNESS, WEIGHT, TRUST = 0.1, 0.1, 0.1
# Seconds within which the line before belongs to the same train of thought.
NEIGHBOUR_SECONDS = 120


def rank(
    items: Iterable[dict[str, Any]],
    query: str,
    *,
    now: datetime,
    tau_hours: float,
    limit: int,
    names: Iterable[str] = (),
) -> list[dict[str, Any]]:
    """Return what fits a question, best first, each with its `score` (0..1).

    `names` are those of whoever is asked: they call somebody, and are not what is asked about.

    An item is {"text", "by", "timestamp", "trust" 0..1, "importance" 1..10, …}; one that a search by
    meaning has found brings its `likeness` (0..1). The order is stable.
    """
    known = list(items)
    # A speaker's name counts for finding what they said, though it stands in no word of it.
    texts = [f"{item['by']} {item['text']}" if item["by"] else item["text"] for item in known]
    fits = dict(retrieval.rank(query, texts, limit=len(texts), names=names))
    scored = []
    for index, item in enumerate(known):
        fit = max(fits.get(index, 0.0), item.get("likeness", 0.0))
        if fit > 0:
            worth = _worth(item, now=now, tau_hours=tau_hours)
            scored.append({**item, "score": round(fit * worth, 6)})
    return sorted(scored, key=lambda item: -item["score"])[:limit]


def without_doubles(items: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return each thing once, though a journal, a conversation and a store may all have it."""
    seen: set[tuple[str, str]] = set()
    once = []
    for item in items:
        key = (item["by"], " ".join(item["text"].casefold().split()))
        if key not in seen:
            seen.add(key)
            once.append(item)
    return once


def with_neighbours(
    found: Iterable[dict[str, Any]], lines: list[dict[str, Any]], *, hearers: Iterable[str]
) -> list[dict[str, Any]]:
    """Return what was found, each with the line of the same speaker just before it as `before`.

    `lines` are all that were said, oldest first, with `event_id` and `audience`; a line that not
    everybody in earshot may know stays out. `before_audience` is who may know that line.
    """
    listening = set(hearers)
    place = {line["event_id"]: index for index, line in enumerate(lines) if line["event_id"]}
    return [_with_line(item, _before(item, lines, place, listening)) for item in found]


def _with_line(item: dict[str, Any], line: dict[str, Any] | None) -> dict[str, Any]:
    if line is None:
        return {**item, "before": "", "before_audience": audience.PUBLIC}
    return {**item, "before": line["text"], "before_audience": line["audience"]}


def _before(
    item: dict[str, Any], lines: list[dict[str, Any]], place: dict[str, int], hearers: set[str]
) -> dict[str, Any] | None:
    index = place.get(item.get("event_id", ""), 0)
    if not index:
        return None
    line, earlier = lines[index], lines[index - 1]
    gap = records.age_seconds(earlier["timestamp"], now=records.parse_time(line["timestamp"]))
    # A summary is nobody's words.
    theirs = not earlier["mine"] and not conversation.is_summary(earlier)
    same = earlier["actor"] == line["actor"] and theirs
    fits = same and gap <= NEIGHBOUR_SECONDS and audience.may_know(earlier["audience"], hearers)
    return earlier if fits else None


def _worth(item: dict[str, Any], *, now: datetime, tau_hours: float) -> float:
    hours = records.age_seconds(item["timestamp"], now=now) / 3600 if item["timestamp"] else 0.0
    freshness = math.exp(-hours / tau_hours)
    weight = item.get("importance", 5) / 10
    rest = 1 - FRESHNESS - WEIGHT - TRUST
    return rest + FRESHNESS * freshness + WEIGHT * weight + TRUST * item.get("trust", 0.8)
