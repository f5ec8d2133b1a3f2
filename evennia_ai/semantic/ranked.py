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

    See `best_of`.
    """
    import numpy as np

    numbers, moments, trusts, importances, speakers, worths = zip(*rows, strict=True)
    codes: dict[str, int] = {}
    known = Known(
        numbers=np.array(numbers),
        moments=np.array(moments),
        trusts=np.array(trusts),
        importances=np.array(importances),
        worths=np.array(worths),
        speaker_codes=np.array([codes.setdefault(speaker, len(codes)) for speaker in speakers]),
        speakers=list(codes),
    )
    return best_of(
        query, known=known, cosine=cosine, keyword=keyword, names=names, limit=limit, prior=prior
    )


def best_of(
    query: str,
    *,
    known: Known,
    cosine: numpy.ndarray,
    keyword: numpy.ndarray,
    senses: numpy.ndarray | None = None,
    names: Iterable[str],
    limit: int,
    prior: Any = None,
) -> list[Hit]:
    """Return the memories that fit best, best first; those that score alike come newest first.

    `prior` is what unrelated texts score with the embedder.
    """
    import numpy as np

    from evennia_ai.semantic import fusion

    named = fusion.named_in(query, {*names, *known.speakers} - {""})
    is_named = np.array([float(speaker in named) for speaker in known.speakers])
    options = {"cosine_prior": prior} if prior else {}
    scores = fusion.fuse(
        cosine=cosine,
        keyword=keyword,
        senses=senses,
        importance=np.clip(known.importances / MOST_IMPORTANT, 0.0, 1.0),
        trust=np.clip(known.trusts, 0.0, 1.0),
        worth=known.worths,
        by_named=is_named[known.speaker_codes],
        dates=fusion.date_match(known.moments, fusion.date_ranges(query, now=pace.now())),
        previous=fusion.previous_rows(known.moments),
        **options,
    )
    scores = np.clip(np.nan_to_num(np.asarray(scores, dtype=np.float64)), 0.0, 1.0)
    order = np.lexsort((-np.arange(len(scores)), -scores))[:limit]
    likeness = np.clip(np.nan_to_num(cosine), 0.0, 1.0)
    return [Hit(int(known.numbers[i]), float(scores[i]), float(likeness[i])) for i in order]
