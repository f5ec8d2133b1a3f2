"""Episodic ranking by recency, importance and relevance (Park et al. 2023), and what an entry answers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from datetime import datetime, timezone
from itertools import takewhile

from evennia.typeclasses.models import TypedObject

from evennia_ai.core import words
from evennia_ai.core.records import Entry, format_time, parse_time
from evennia_ai.core.talk import Line
from evennia_ai.domain.memories import memory_ranking, passages
from evennia_ai.domain.memories.passages import TALK_GAP
from evennia_ai.domain.sleeping.importance import HIGHEST
from evennia_ai.memory import journal, working_memory

# An entry of the journal, or the same as plain data.
Given = Entry | Mapping[str, object]
# The published decay is 0.99 an hour, by which a day is as good as for ever.
SOURCE_TAU_HOURS = 1 / 0.99


def score_episodic_memory(
    entry: Given,
    query: str,
    now: datetime | str,
    alpha_recency: float = 1.0,
    alpha_importance: float = 1.0,
    alpha_relevance: float = 1.0,
) -> float:
    """Return how much an entry of the journal comes to mind, 0 to 1, with the published decay."""
    record, weights = journal.as_entry(entry), (alpha_recency, alpha_importance, alpha_relevance)
    age_hours = _age_hours(record, parse_time(now))
    parts = _parts(record, _overlap(query, record.content), age_hours, SOURCE_TAU_HOURS)
    return _scored(parts, weights)["score"]


def search_episodic_memory(
    entries: Iterable[Given],
    query: str,
    days_back: float | None = 7,
    min_importance: int = 5,
    alpha_recency: float = 1.0,
    alpha_importance: float = 1.0,
    alpha_relevance: float = 1.0,
    *,
    now: datetime | str | None = None,
    tau_hours: float = memory_ranking.TAU_HOURS,
    min_trust: float = 0.0,
) -> list[dict[str, object]]:
    """Return the entries of the last days that matter enough, as they come to mind, best first.

    Each result is {"entry", "score" (0..1), "raw_score", "recency", "importance", "relevance"},
    where `entry` is the one that was given. `days_back=None` looks back for ever.
    `min_trust` leaves out what is less sure.

    Raises:
        ValueError: The three weights add up to 0.
    """
    moment = parse_time(now if now is not None else datetime.now(timezone.utc))
    weights = (alpha_recency, alpha_importance, alpha_relevance)
    _total(weights)
    oldest = math.inf if days_back is None else days_back * 24
    results = []
    for given in entries:
        entry = journal.as_entry(given)
        if entry.importance < min_importance or entry.source_trust < min_trust:
            continue
        age_hours = _age_hours(entry, moment)
        if age_hours <= oldest:
            relevance = _share_of_stems(query, entry.content)
            parts = _parts(entry, relevance, age_hours, tau_hours)
            scored = _scored(parts, weights)
            result: dict[str, object] = {"entry": given, **scored}
            results.append((-scored["score"], age_hours, entry.id, result))
    return [result for *_, result in sorted(results, key=lambda ranked: ranked[:3])]


def _age_hours(entry: Entry, now: datetime) -> float:
    return (now - parse_time(entry.timestamp)).total_seconds() / 3600


def _total(weights: tuple[float, float, float]) -> float:
    total = sum(weights)
    if total == 0:
        raise ValueError("the weights of recency, importance and relevance add up to 0.")
    return total


def _parts(entry: Entry, relevance: float, age_hours: float, tau_hours: float) -> dict[str, float]:
    return {
        "recency": memory_ranking.recency(age_hours, tau_hours=tau_hours),
        "importance": entry.importance / HIGHEST,
        "relevance": relevance,
    }


def _scored(parts: dict[str, float], weights: tuple[float, float, float]) -> dict[str, float]:
    raw = sum(weight * part for weight, part in zip(weights, parts.values(), strict=True))
    return {"score": raw / _total(weights), "raw_score": raw, **parts}


def _overlap(query: str, content: str) -> float:
    """Return the share of the query's words that the content has, letter by letter."""
    return _share(query.lower().split(), content.lower().split())


def _share_of_stems(query: str, content: str) -> float:
    """Return the share of the query's words that the content has in any form, in any language."""
    told = words.words(content)
    language = words.language_of(told)
    wanted, there = (
        [words.stem(words.bare(one), language) for one in text]
        for text in (words.words(query), told)
    )
    return _share(wanted, there)


def _share(wanted: Iterable[str], there: Iterable[str]) -> float:
    different = set(wanted)
    return len(different & set(there)) / max(len(different), 1)


def question_of(npc: TypedObject, entry: Entry) -> Line | None:
    """Return the question that an entry of a journal answers, as long as the talk is kept.

    The assistant asked it, or one of those who told something in the same talk. Whoever may know the entry
    may know it.
    """
    moment = parse_time(entry.timestamp)
    since, until = (format_time(moment + gap) for gap in (-TALK_GAP, TALK_GAP))
    noted = takewhile(lambda one: one.timestamp >= since, journal.newest_first(npc))
    speaking = (one.said_by for one in noted if one.said_by and one.timestamp <= until)
    return working_memory.answered_question(npc, entry, among=speaking)


def asked_of(npc: TypedObject, entry: Entry) -> str:
    """Return what is told with an entry of what it answers: with a short answer the question, else ""."""
    if not passages.is_short(entry.content):
        return ""
    question = question_of(npc, entry)
    return passages.asked(entry.content, question.text if question else "")
