"""Ranking of the rows that one may know: the signals, handed to the fusion."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import structs

from evennia_ai import scheduling
from evennia_ai.core import answer_kinds, words
from evennia_ai.domain.memories.long_term import Memory
from evennia_ai.domain.memories.memory_ranking import TAU_HOURS
from evennia_ai.domain.sleeping.importance import HIGHEST
from evennia_ai.semantic.facts import Fact, Search
from evennia_ai.semantic.ranking import fusion

if TYPE_CHECKING:
    import numpy

# So many of the best are read where it counts which kind of thing they hold.
READ = 64


class Hit(NamedTuple):
    """One row of the answer: its number, its fused score and its likeness, all but the first 0–1."""

    n: int
    score: float
    cosine: float


class Told(NamedTuple):
    """The rows that may be told, in order of time, and how they fit what is asked."""

    # Number, moment and so on of each (`stores.minds`), and the names that its `speaker` stands for.
    traits: numpy.ndarray
    speakers: Sequence[str]
    cosine: numpy.ndarray
    # BM25 of the words.
    keyword: numpy.ndarray
    # Of most of what is remembered, "" for the game's.
    language: str = ""


def prepared(fact: Fact) -> str:
    """Return a fact's text as it is embedded."""
    return fusion.prepare(fact.text, names=fact.names) or fact.text


def prepared_query(query: str, names: Iterable[str]) -> str:
    """Return a query as it is embedded."""
    return fusion.prepare(query, names=names) or query


def worth(fact: Fact) -> float:
    """Return how much a fact tells, whatever is asked."""
    return fusion.line_worth(fact.text, fact.before)


def by_kind(asked: Search, found: list[Memory]) -> list[Memory]:
    """Return as many as are asked for, best first: what holds the kind of thing that is asked for rises."""
    kind = answer_kinds.wanted(asked.query)
    if not kind:
        return found[: asked.limit]
    called = {word for name in asked.names for word in words.words(name)}
    rated = [
        (
            structs.replace(one, score=fusion.raised(one.score, fusion.WEIGHTS["kind"]))
            if answer_kinds.is_likely(kind, fusion.without_speaker(one.text), called=called)
            else one
        )
        for one in found
    ]
    return sorted(rated, key=lambda one: -one.score)[: asked.limit]


def best_of(
    asked: Search, told: Told, *, prior: Any = None, known: Collection[str] | None = None
) -> list[Hit]:
    """Return the rows that fit best, best first; those that score alike come newest first.

    Where the kind of what is asked for counts, more than the limit are returned. `prior` is what unrelated
    texts score with the embedder, and `known` are the languages that it knows, None for all.
    """
    import numpy as np

    traits, limit = told.traits, asked.limit
    if answer_kinds.wanted(asked.query):
        limit = max(limit, READ)
    named = fusion.named_in(asked.query, {*asked.names, *told.speakers} - {""})
    is_named = np.array([float(speaker in named) for speaker in told.speakers])
    moments = traits["moment"]
    scores = fusion.fuse(
        cosine=told.cosine,
        keyword=told.keyword,
        recency=_recency(moments),
        importance=np.clip(traits["importance"] / HIGHEST, 0.0, 1.0),
        trust=np.clip(traits["trust"], 0.0, 1.0),
        worth=traits["worth"],
        by_named=is_named[traits["speaker"]],
        dates=fusion.date_match(moments, fusion.date_ranges(asked.query, now=scheduling.now())),
        previous=fusion.previous_rows(moments),
        weights=fusion.weights(asked.query, known=known, language=told.language),
        **({"cosine_prior": prior} if prior else {}),
    )
    scores = np.clip(np.nan_to_num(np.asarray(scores, dtype=np.float64)), 0.0, 1.0)
    best = np.arange(len(scores))
    if len(scores) > limit:
        # All that score as the last one does: which of them is newest is told after.
        best = np.flatnonzero(scores >= np.partition(scores, -limit)[-limit])
    order = best[np.lexsort((-best, -scores[best]))][:limit]
    likeness = np.clip(np.nan_to_num(told.cosine), 0.0, 1.0)
    return [Hit(int(traits["n"][i]), float(scores[i]), float(likeness[i])) for i in order]


def nearest(numbers: numpy.ndarray, likeness: numpy.ndarray, limit: int) -> list[Hit]:
    """Return the rows that are most alike, the most alike first."""
    import numpy as np

    likeness = np.clip(np.nan_to_num(likeness), 0.0, 1.0)
    order = np.lexsort((numbers, -likeness))[:limit]
    return [Hit(int(numbers[i]), float(likeness[i]), float(likeness[i])) for i in order]


def _recency(moments: numpy.ndarray) -> numpy.ndarray:
    """Return `memory_ranking.recency` of many moments, 1 for those of no time at all."""
    import numpy as np

    hours = (scheduling.now().timestamp() - moments) / 3600
    fresh = np.exp(-np.clip(hours, 0.0, None) / TAU_HOURS)
    return np.where(moments < 0, 1.0, fresh)
