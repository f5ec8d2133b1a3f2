"""Ranking of memories: one order over all of them, whatever store they are from."""

from __future__ import annotations

import math
from datetime import datetime
from typing import Iterable, TypeVar

from msgspec import structs

from evennia_ai.core import records
from evennia_ai.core.records import Audience, Entry
from evennia_ai.core.talk import OVERHEARD, POSE, TOLD, is_claim
from evennia_ai.domain import audience as audiences
from evennia_ai.domain import errand_rules
from evennia_ai.domain.memories import promises, retrieval
from evennia_ai.domain.memories.long_term import Memory
from evennia_ai.domain.memories.remembered import Remembered
from evennia_ai.domain.sleeping.importance import HIGHEST

# Hours after which something is a third as fresh: 0.995 to the power of the hours, as in the research.
TAU_HOURS = 199.5
# What counts besides fitting the question. Fitting is a factor: what does not fit never comes up,
# however recent or important it is.
RECENCY, IMPORTANCE, TRUST = 0.1, 0.1, 0.1

# What a memory is that somebody told.
SAID = "said"
# Kinds of what is done, and not said; an entry has its kind among its tags.
DEEDS = frozenset({"give", promises.TAG, errand_rules.TAG})
# How a mind is told of what it saw somebody do, and of what it did itself.
WITNESSED = ("seen", "own doing")
# What is believed less is a rumour: it is told as one, and nothing is concluded from it.
BELIEVED = 0.5

Known = TypeVar("Known", bound=Remembered)


def origin(memory: Memory) -> tuple[str, str]:
    """Return whom a long-term memory is from ("" : nobody) and of what kind it is.

    What a mind has concluded is nobody's word, whoever it spoke with: it is a note of its own.
    """
    speaker = memory.speaker
    if done := deed(memory.source_type, memory.tags, by=speaker):
        return "", done
    if memory.metadata.get("evidence") and not speaker:
        return "", "insight"
    if not speaker or is_claim(memory.source_type or "direct", memory.tags):
        return speaker, _said_as(memory.tags) if speaker else "journal"
    return ("", "journal") if memory.metadata.get("source") == "journal" else (speaker, "note")


def deed(source_type: str, tags: Iterable[str], *, by: str) -> str:
    """Return "deed" for what a mind saw somebody do, "done" for what it did itself, else "".

    That is told by the source and the tags of its entry, and by whom it has it from (`by`).
    """
    is_seen = source_type == "observation" and not DEEDS.isdisjoint(tags)
    return ("deed" if by else "done") if is_seen else ""


def how_known(source_type: str, tags: Iterable[str], known: Audience, *, by: str) -> str:
    """Return how a mind has something that somebody said or did, "" if they told it."""
    if done := deed(source_type, tags, by=by):
        return WITNESSED[done == "done"]
    if POSE in tags:
        return "acts"
    if audiences.is_confidence(known):
        return "in confidence"
    return "overheard" if by and source_type == OVERHEARD else ""


def of_entry(entry: Entry, kind: str = "journal") -> Remembered:
    """Return an entry of the journal as a memory, of a `kind` unless somebody told it, or it was done."""
    # What a mind saw or worked out itself it has from nobody.
    told = is_claim(entry.source_type, entry.tags)
    done = deed(entry.source_type, entry.tags, by=entry.source_entity)
    return Remembered(
        text=entry.content,
        by=entry.source_entity if told else "",
        said_by=entry.said_by if told else "",
        kind=_said_as(entry.tags) if told else done or kind,
        heard=heard_as(entry.source_type, entry.source_trust),
        timestamp=entry.timestamp,
        trust=entry.source_trust,
        importance=entry.importance,
        audience=entry.audience,
        event_id=entry.event_id,
        origins=entry.origins,
    )


def _said_as(tags: Iterable[str]) -> str:
    return POSE if POSE in tags else SAID


def heard_as(source_type: str, trust: float) -> str:
    """Return how a mind has somebody's words: "overheard", as a "rumour", or "" if they told it."""
    if source_type == OVERHEARD:
        return "overheard"
    return "rumour" if source_type in TOLD and trust < BELIEVED else ""


def recency(age_hours: float, *, tau_hours: float = TAU_HOURS) -> float:
    """Return 1 for now, falling to 0; what lies in the future counts as now."""
    # The inverse is taken first: it gives the digits of `exp(-0.99 * age_hours)`.
    return math.exp(-(1 / tau_hours) * max(0.0, age_hours))


def rank(
    items: Iterable[Known],
    query: str,
    *,
    now: datetime,
    limit: int | None = None,
    names: Iterable[str] = (),
) -> list[Known]:
    """Return what fits a question, best first, each with its `score` (0..1).

    `names` are those of whoever is asked: they call somebody, and are not what is asked about.

    One that a search by meaning has found brings its `likeness` (0..1). The order is stable.
    """
    known = list(items)
    fits = dict(retrieval.rank(query, _texts(known), limit=len(known), names=names))
    scored = []
    for index, item in enumerate(known):
        fit = max(fits.get(index, 0.0), item.likeness)
        if fit > 0:
            worth = _worth(item, now=now)
            score = round(fit * worth, 6)
            scored.append(structs.replace(item, score=score, fits=score))
    return sorted(scored, key=lambda item: -item.score)[:limit]


def mark_fitting(
    items: Iterable[Known],
    query: str,
    *,
    relevant: float,
    now: datetime,
    names: Iterable[str] = (),
) -> list[Known]:
    """Return the items in their order, each with `fits`: how far it is about what is asked, 0 if not.

    So it is by a `likeness` of at least `relevant`, or by its words; a search finds what is nearest,
    and that may be far off.
    """
    known = list(items)
    by_words = dict(retrieval.rank(query, _texts(known), limit=len(known), names=names))
    marked = []
    for index, item in enumerate(known):
        likeness = item.score if item.likeness >= relevant else 0.0
        fit = max(by_words.get(index, 0.0), likeness)
        marked.append(structs.replace(item, fits=fit * _worth(item, now=now)))
    return marked


def about(
    found: Iterable[Memory], query: str, *, relevant: float, names: Iterable[str] = ()
) -> list[Memory]:
    """Return what of a search is about a question, in its order, by the same measure as `mark_fitting`.

    None may be left: a search finds the nearest, however far.
    """
    known = list(found)
    texts = [_text(one.text, origin(one)[0]) for one in known]
    by_words = dict(retrieval.rank(query, texts, limit=len(known), names=names))
    return [
        one
        for index, one in enumerate(known)
        if one.cosine >= relevant or by_words.get(index, 0.0) > 0
    ]


def without_doubles(items: Iterable[Known]) -> list[Known]:
    """Return each thing once, though a journal, a conversation and a store may all have it."""
    seen: set[tuple[str, str]] = set()
    once = []
    for item in items:
        key = (item.by, " ".join(item.text.casefold().split()))
        if key not in seen:
            seen.add(key)
            once.append(item)
    return once


def _texts(items: Iterable[Remembered]) -> list[str]:
    return [_text(item.text, item.by) for item in items]


def _text(text: str, by: str) -> str:
    # A speaker's name counts for finding what they said, though it stands in no word of it.
    return f"{by} {text}" if by else text


def _worth(item: Remembered, *, now: datetime) -> float:
    hours = records.age_seconds(item.timestamp, now=now) / 3600 if item.timestamp else 0.0
    fresh = recency(hours)
    rest = 1 - RECENCY - IMPORTANCE - TRUST
    return rest + RECENCY * fresh + IMPORTANCE * item.importance / HIGHEST + TRUST * item.trust
