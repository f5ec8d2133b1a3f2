"""Which of the rows that one may know fit a query: the signals, handed to the fusion."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from evennia_ai import pace
from evennia_ai.semantic.facts import Fact

if TYPE_CHECKING:
    import numpy


# The upper end of the scale of importance.
MOST_IMPORTANT = 10.0


class Hit(NamedTuple):
    """One row of the answer: its number, its fused score and its likeness, all but the first 0–1."""

    n: int
    score: float
    cosine: float


def prepared(fact: Fact) -> str:
    """Return a fact's text as it is embedded."""
    from evennia_ai.semantic import fusion

    return fusion.prepare(fact.text, names=fact.names) or fact.text


def prepared_query(query: str, names: Iterable[str]) -> str:
    """Return a query as it is embedded."""
    from evennia_ai.semantic import fusion

    return fusion.prepare(query, names=names) or query


def query_terms(query: str, names: Iterable[str]) -> list[str]:
    """Return the words of a query that are looked up in the full-text index."""
    from evennia_ai.semantic import fusion

    return fusion.query_terms(query, names=names)


def worth(fact: Fact) -> float:
    """Return how much a fact tells, whatever is asked."""
    from evennia_ai.semantic import fusion

    return fusion.line_worth(fact.text)


def best(
    query: str,
    *,
    rows: Sequence[Sequence[Any]],
    cosine: numpy.ndarray,
    keyword: numpy.ndarray,
    names: Iterable[str],
    limit: int,
    prior: Any = None,
) -> list[Hit]:
    """Return the rows (n, moment, trust, importance, speaker, worth) that fit best, best first.

    Rows that score alike come newest first. `prior` is what unrelated texts score with the embedder.
    """
    import numpy as np

    from evennia_ai.semantic import fusion

    _, times, trust, importance, speakers, worths = zip(*rows, strict=True)
    named = fusion.named_in(query, {*names, *speakers} - {""})
    options = {"cosine_prior": prior} if prior else {}
    scores = fusion.fuse(
        cosine=cosine,
        keyword=keyword,
        importance=np.clip(np.array(importance) / MOST_IMPORTANT, 0.0, 1.0),
        trust=np.clip(np.array(trust), 0.0, 1.0),
        worth=np.array(worths),
        by_named=np.array([float(speaker in named) for speaker in speakers]),
        dates=fusion.date_match(times, fusion.date_ranges(query, now=pace.now())),
        previous=fusion.previous_rows(times),
        **options,
    )
    scores = np.clip(np.nan_to_num(np.asarray(scores, dtype=np.float64)), 0.0, 1.0)
    order = np.lexsort((-np.arange(len(rows)), -scores))[:limit]
    likeness = np.clip(np.nan_to_num(cosine), 0.0, 1.0)
    return [Hit(int(rows[i][0]), float(scores[i]), float(likeness[i])) for i in order]
