"""Which of what happened comes to mind: recent, important and to the point (Park et al. 2023)."""

from __future__ import annotations

import math
from datetime import datetime, timezone
from typing import Any, Iterable

from evennia_ai.core.records import Entry, parse_time
from evennia_ai.domain.importance import HIGHEST

# The published decay is 0.99 an hour, by which a day is as good as for ever.
SOURCE_TAU_HOURS = 1 / 0.99
# 0.995 to the power of the hours, as in the research: an hour ago still counts after a week.
TAU_HOURS = 199.5


def recency(age_hours: float, *, tau_hours: float) -> float:
    """Return 1 for now, falling to 0; what lies in the future counts as now."""
    # The inverse is taken first: it gives the digits of `exp(-0.99 * age_hours)`.
    return math.exp(-(1 / tau_hours) * max(0.0, age_hours))


def score_episodic_memory(
    entry: Entry,
    query: str,
    now: datetime | str,
    alpha_recency: float = 1.0,
    alpha_importance: float = 1.0,
    alpha_relevance: float = 1.0,
) -> float:
    """Return how much an entry of the journal comes to mind, 0 to 1, with the published decay."""
    weights = (alpha_recency, alpha_importance, alpha_relevance)
    age_hours = _age_hours(entry, parse_time(now))
    return _scored(entry, query, age_hours, weights, SOURCE_TAU_HOURS)["score"]


def search_episodic_memory(
    entries: Iterable[Entry],
    query: str,
    days_back: float | None = 7,
    min_importance: int = 5,
    alpha_recency: float = 1.0,
    alpha_importance: float = 1.0,
    alpha_relevance: float = 1.0,
    *,
    now: datetime | str | None = None,
    tau_hours: float = TAU_HOURS,
) -> list[dict[str, Any]]:
    """Return the entries of the last days that matter enough, as they come to mind, best first.

    Each result is {"entry", "score" (0..1), "raw_score", "recency", "importance", "relevance"}.
    `days_back=None` looks back for ever.

    Raises:
        ValueError: The three weights add up to 0.
    """
    moment = parse_time(now if now is not None else datetime.now(timezone.utc))
    weights = (alpha_recency, alpha_importance, alpha_relevance)
    _total(weights)
    oldest = math.inf if days_back is None else days_back * 24
    results = []
    for entry in entries:
        if entry.importance < min_importance:
            continue
        age_hours = _age_hours(entry, moment)
        if age_hours <= oldest:
            result = _scored(entry, query, age_hours, weights, tau_hours)
            results.append((-result["score"], age_hours, entry.id, result))
    return [result for *_, result in sorted(results, key=lambda ranked: ranked[:3])]


def _age_hours(entry: Entry, now: datetime) -> float:
    return (now - parse_time(entry.timestamp)).total_seconds() / 3600


def _total(weights: tuple[float, float, float]) -> float:
    total = sum(weights)
    if total == 0:
        raise ValueError("the weights of recency, importance and relevance add up to 0.")
    return total


def _scored(
    entry: Entry,
    query: str,
    age_hours: float,
    weights: tuple[float, float, float],
    tau_hours: float,
) -> dict[str, Any]:
    parts = {
        "recency": recency(age_hours, tau_hours=tau_hours),
        "importance": entry.importance / HIGHEST,
        "relevance": _overlap(query, entry.content),
    }
    raw = sum(weight * part for weight, part in zip(weights, parts.values(), strict=True))
    return {"entry": entry, "score": raw / _total(weights), "raw_score": raw, **parts}


def _overlap(query: str, content: str) -> float:
    """Return the share of the query's words that the content has, letter by letter."""
    wanted = set(query.lower().split())
    return len(wanted & set(content.lower().split())) / max(len(wanted), 1)
