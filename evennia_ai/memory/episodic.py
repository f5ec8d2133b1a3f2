"""Episodic search for callers whose entries are records or plain data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from evennia_ai.core.records import Entry
from evennia_ai.domain.memories import episodic_ranking
from evennia_ai.memory import journal


def score_episodic_memory(
    entry: Entry | Mapping[str, object],
    query: str,
    now: datetime | str,
    alpha_recency: float = 1.0,
    alpha_importance: float = 1.0,
    alpha_relevance: float = 1.0,
) -> float:
    """Return how much an entry of the journal comes to mind, 0 to 1, with the published decay."""
    weights = (alpha_recency, alpha_importance, alpha_relevance)
    return episodic_ranking.score_episodic_memory(journal.as_entry(entry), query, now, *weights)


def search_episodic_memory(
    entries: Iterable[Entry | Mapping[str, object]],
    query: str,
    days_back: float | None = 7,
    min_importance: int = 5,
    alpha_recency: float = 1.0,
    alpha_importance: float = 1.0,
    alpha_relevance: float = 1.0,
    *,
    now: datetime | str | None = None,
    tau_hours: float = episodic_ranking.TAU_HOURS,
    min_trust: float = 0.0,
) -> list[dict[str, object]]:
    """Return the entries of the last days that matter enough, as they come to mind, best first.

    Each result is {"entry", "score" (0..1), "raw_score", "recency", "importance", "relevance"},
    where `entry` is the one that was given. `days_back=None` looks back for ever.
    `min_trust` leaves out what is less sure.

    Raises:
        ValueError: The three weights add up to 0.
    """
    given = list(entries)
    records = [journal.as_entry(one) for one in given]
    found = episodic_ranking.search_episodic_memory(
        records,
        query,
        days_back,
        min_importance,
        alpha_recency,
        alpha_importance,
        alpha_relevance,
        now=now,
        tau_hours=tau_hours,
        min_trust=min_trust,
    )
    by_record = {id(record): one for record, one in zip(records, given, strict=True)}
    return [{**result, "entry": by_record[id(result["entry"])]} for result in found]
