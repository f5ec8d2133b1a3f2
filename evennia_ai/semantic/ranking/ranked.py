"""Ranking of the rows that one may know: the signals, handed to the fusion."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import structs

from evennia_ai import conf, scheduling
from evennia_ai.core import answer_kinds, words
from evennia_ai.domain.memories.long_term import Memory
from evennia_ai.domain.sleeping.importance import HIGHEST
from evennia_ai.semantic.facts import Fact, Search

if TYPE_CHECKING:
    import numpy

    from evennia_ai.semantic.stores.search_cache import View


# Words of a query that are looked up; nobody asks for more at once.
QUERY_TERMS = 40
# So many of the best are read where it counts which kind of thing they hold.
READ = 64


class Hit(NamedTuple):
    """One row of the answer: its number, its fused score and its likeness, all but the first 0–1."""

    n: int
    score: float
    cosine: float


class Known(NamedTuple):
    """The memories that a reader may know, in order of time, one array for each of their traits."""

    numbers: numpy.ndarray
    moments: numpy.ndarray
    trusts: numpy.ndarray
    importances: numpy.ndarray
    worths: numpy.ndarray
    # Each one's speaker is a place in `speakers`.
    speaker_codes: numpy.ndarray
    speakers: list[str]


def prepared(fact: Fact) -> str:
    """Return a fact's text as it is embedded."""
    from evennia_ai.semantic.ranking import fusion

    return fusion.prepare(fact.text, names=fact.names) or fact.text


def prepared_query(query: str, names: Iterable[str]) -> str:
    """Return a query as it is embedded."""
    from evennia_ai.semantic.ranking import fusion

    return fusion.prepare(query, names=names) or query


def query_terms(query: str, names: Iterable[str], *, language: str = "") -> list[str]:
    """Return the words of a query that are looked up."""
    from evennia_ai.semantic.ranking import fusion

    return fusion.query_terms(query, names=names, language=language)[:QUERY_TERMS]


def worth(fact: Fact) -> float:
    """Return how much a fact tells, whatever is asked."""
    from evennia_ai.semantic.ranking import fusion

    return fusion.line_worth(fact.text, fact.before)


def _depth(query: str, limit: int) -> int:
    """Return how many of the best rows are to be read for so many answers."""
    return max(limit, READ) if answer_kinds.tells_apart(answer_kinds.wanted(query)) else limit


def by_kind(asked: Search, found: list[Memory]) -> list[Memory]:
    """Return as many as are asked for, best first: what holds the kind of thing that is asked for rises."""
    from evennia_ai.semantic.ranking import fusion

    kind = answer_kinds.wanted(asked.query)
    if not answer_kinds.tells_apart(kind):
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
    asked: Search,
    *,
    view: View,
    places: numpy.ndarray,
    cosine: numpy.ndarray,
    prior: Any = None,
) -> list[Hit]:
    """Return the memories that fit best, best first; those that score alike come newest first.

    Args:
        asked: what is asked for; where its kind counts, more than its limit are returned.
        view: the memories.
        places: those that may be told, in order of time.
        cosine: of the query with each memory of the view.
        prior: what unrelated texts score with the embedder.

    """
    import numpy as np

    from evennia_ai.semantic.ranking import fusion

    query, names = asked.query, asked.names
    known, cosine, limit = view.known(places), cosine[places], _depth(query, asked.limit)
    language = words.language_of(words.words(query), default=view.language)
    terms = query_terms(query, names, language=language)
    named = fusion.named_in(query, {*names, *known.speakers} - {""})
    is_named = np.array([float(speaker in named) for speaker in known.speakers])
    options = {"cosine_prior": prior} if prior else {}
    scores = fusion.fuse(
        cosine=cosine,
        keyword=view.words.match(terms, places, language=language),
        senses=view.words.fit(terms, places, language=language),
        recency=_recency(known.moments),
        importance=np.clip(known.importances / HIGHEST, 0.0, 1.0),
        trust=np.clip(known.trusts, 0.0, 1.0),
        worth=known.worths,
        by_named=is_named[known.speaker_codes],
        dates=fusion.date_match(known.moments, fusion.date_ranges(query, now=scheduling.now())),
        previous=fusion.previous_rows(known.moments),
        **options,
    )
    scores = np.clip(np.nan_to_num(np.asarray(scores, dtype=np.float64)), 0.0, 1.0)
    best = np.arange(len(scores))
    if len(scores) > limit:
        # All that score as the last one does: which of them is newest is told after.
        best = np.flatnonzero(scores >= np.partition(scores, -limit)[-limit])
    order = best[np.lexsort((-best, -scores[best]))][:limit]
    likeness = np.clip(np.nan_to_num(cosine), 0.0, 1.0)
    return [Hit(int(known.numbers[i]), float(scores[i]), float(likeness[i])) for i in order]


def _recency(moments: numpy.ndarray) -> numpy.ndarray:
    """Return `memory_ranking.recency` of many moments, 1 for those of no time at all."""
    import numpy as np

    hours = (scheduling.now().timestamp() - moments) / 3600
    fresh = np.exp(-np.clip(hours, 0.0, None) / conf.get("RECENCY_TAU_HOURS"))
    return np.where(moments < 0, 1.0, fresh)
