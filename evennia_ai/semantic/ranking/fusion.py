"""One ranking from several signals: meaning, words, who said it, when, and what stands beside it.

A store hands in arrays for the rows that the reader may know, in order of time, and gets a score
from 0 to 1 for each. What was measured to help is in the weights; each has its reason there.
"""

from __future__ import annotations

import math
import re
from calendar import monthrange
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING

from evennia_ai.core import name_patterns, words
from evennia_ai.domain.memories import retrieval
from evennia_ai.domain.memories.passages import TALK_GAP
from evennia_ai.semantic.embedders import sentences

if TYPE_CHECKING:
    import numpy


# Found on the development half of tests/benchmarks/data, by `tests.benchmarks.recall`.
WEIGHTS = MappingProxyType(
    {
        "cosine": 1.3,
        "keyword": 0.3,
        # How much of its neighbours' score a line gets: an answer makes sense by its question.
        "cosine_previous": 0.6,
        "cosine_next": 0.35,
        "keyword_previous": 0.5,
        "keyword_next": 0.2,
        # Lines of whom the query names.
        "speaker": 1.5,
        "date": 1.5,
        # Lines that tell something, against those that only greet, cheer or ask.
        "worth": 5.0,
        # Lines that hold the kind of thing that is asked for: a time where it is asked when.
        "kind": 1.5,
        "recency": 0.25,
        "importance": 0.25,
        "trust": 0.25,
    }
)
# Where the embedder does not know the language, likeness is hardly more than chance.
BY_WORDS = MappingProxyType({**WEIGHTS, "cosine": 0.2, "keyword": 1.0})
# What scores look like where there are too few rows to tell: (mean, deviation, rows it counts for).
COSINE_PRIOR = (0.1, 0.1, 5.0)
KEYWORD_PRIOR = (0.0, 1.5, 5.0)
# A fused score of MIDDLE becomes 0.5; SLOPE is how slowly it goes to 0 and 1.
MIDDLE = 4.0
SLOPE = 2.0
# People tell of what happened after it happened.
TOLD_WITHIN = timedelta(days=10)
# Rare words, beyond which a longer line tells no more.
WORTH_WORDS = 6
# What such a word counts in a question, and in one that the line answers.
ASKED_WORTH, ANSWERED_WORTH = 0.25, 0.5
# A word as common as "day" (`sentences.rarity`) tells nothing, and one as rare as "mill" all it can.
COMMON, RARE = 10.0, 13.0
# What a word counts of a language that is not among those.
UNRANKED = 0.5

_PREFIX = re.compile(r"^\s*[^\s:][^:\n]{0,40}:\s+")
_SPACES = re.compile(r"\s+")
_MONTHS = (
    "january february march april may june july august september october november december"
).split()
_MONTH = "|".join([*_MONTHS, *(name[:3] for name in _MONTHS if name != "may")])
_DATE = re.compile(
    rf"(?:\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?)?"
    rf"\b(?P<month>{_MONTH})\b\.?"
    rf"(?:\s+(?P<day_after>\d{{1,2}})(?:st|nd|rd|th)?\b(?!\d))?(?:,?\s+(?P<year>\d{{4}}))?",
    re.I,
)


def prepare(text: str, *, names: Iterable[str] = ()) -> str:
    """Return a line or a query as it is embedded: without the names of those who talk.

    A name is in half of the lines and in each question; it would drown what is asked.
    """
    for name in sorted({name for name in names if name}, key=len, reverse=True):
        text = name_patterns.sub(rf"(?<!\w){name_patterns.NAME}(?:['’]s)?(?!\w):?", name, " ", text)
    return _SPACES.sub(" ", text).strip(" ,:") or "…"


def query_terms(query: str, *, names: Iterable[str] = (), language: str = "") -> list[str]:
    """Return the words of a query to look up, each once, in order.

    Without function words and names; all of them where nothing else is left.
    """
    found = words.words(query)
    called = {word for name in names for word in words.words(name)}
    kept = words.telling(found, language or words.language_of(found))
    return list(dict.fromkeys([word for word in kept if word not in called] or kept or found))


def weights(
    query: str, *, known: Collection[str] | None, language: str = ""
) -> Mapping[str, float]:
    """Return what each signal counts for a question to an embedder that knows these languages, None for all."""
    asked = words.language_of(words.words(query), default=language)
    return WEIGHTS if known is None or asked in known else BY_WORDS


def without_speaker(text: str) -> str:
    """Return a line without the name of whoever says it."""
    return _PREFIX.sub("", text)


def named_in(query: str, names: Iterable[str]) -> set[str]:
    """Return those of the names that stand in the query as a whole or by their first word."""
    there = set(map(words.bare, words.words(query)))
    return {
        name
        for name in names
        if (parts := words.words(name)) and (parts[0] in there or there.issuperset(parts))
    }


def line_worth(text: str, before: str = "") -> float:
    """Return from 0 to 1 how much a line tells: its rarer words, fewer if it asks, more if it answers.

    It does not depend on the query, so that a store can keep it beside the row. `before` is the line
    before it in the talk.
    """
    tells = _tells(text, asked=ASKED_WORTH)
    if _asks(before) and not _asks(text):
        tells += ANSWERED_WORTH * _tells(before, asked=1.0)
    return min(1.0, math.log1p(tells) / math.log1p(WORTH_WORDS))


def _tells(text: str, *, asked: float) -> float:
    """Return how many rare words a text has; in a question each counts `asked`."""
    text = without_speaker(text)
    language = words.language_of(words.words(text))
    return sum(
        (asked if _asks(sentence) else 1.0)
        * sum(
            _word_worth(word, language)
            for word in set(words.telling(words.words(sentence), language))
        )
        for sentence in retrieval.sentences(text)
    )


def _word_worth(word: str, language: str) -> float:
    """Return from 0 to 1 how much a word tells: "glacier" more than "day"."""
    if language not in sentences.SentenceEmbedder.languages:
        return UNRANKED
    return min(1.0, max(0.0, (sentences.rarity(word) - COMMON) / (RARE - COMMON)))


def _asks(text: str) -> bool:
    return text.rstrip("\"'”’) ").endswith(("?", "？"))


def previous_rows(
    timestamps: Sequence[float],
) -> numpy.ndarray:
    """Return for each row the index of the one before it in the same talk, or -1.

    `timestamps` are seconds, of rows in order of time. TALK_GAP ends a talk.
    """
    import numpy as np

    seconds = np.asarray(timestamps, dtype=np.float64)
    before = np.arange(len(seconds)) - 1
    if len(seconds) > 1:
        before[1:][np.diff(seconds) > TALK_GAP.total_seconds()] = -1
    return before


def spread(
    scores: numpy.ndarray, previous: numpy.ndarray, *, from_previous: float, from_next: float
) -> numpy.ndarray:
    """Return the scores with a share of those of the line before and of the line after."""
    import numpy as np

    spread_scores = scores.copy()
    linked = np.flatnonzero(previous >= 0)
    before = previous[linked]
    spread_scores[linked] += from_previous * scores[before]
    np.add.at(spread_scores, before, from_next * scores[linked])
    return spread_scores


def fuse(
    *,
    cosine: numpy.ndarray,
    keyword: numpy.ndarray,
    recency: numpy.ndarray | None = None,
    importance: numpy.ndarray | None = None,
    trust: numpy.ndarray | None = None,
    worth: numpy.ndarray | None = None,
    by_named: numpy.ndarray | None = None,
    dates: numpy.ndarray | None = None,
    previous: numpy.ndarray | None = None,
    weights: Mapping[str, float] = WEIGHTS,
    cosine_prior: tuple[float, float, float] = COSINE_PRIOR,
) -> numpy.ndarray:
    """Return a score from 0 to 1 for each row, higher is better.

    All arrays are of the rows that may be told, in order of time.

    Args:
        cosine: of the query with each row.
        keyword: bm25 of each row's own text, higher is better, 0 where no word is shared.
        recency, importance, trust: 0 to 1.
        worth: `line_worth` of each row.
        by_named: 1 where the query names the speaker of the row.
        dates: `date_match` of each row.
        previous: `previous_rows`; without it no row has neighbours.
        cosine_prior: mean and deviation of this embedder's scores for unrelated texts, and how
            many rows that counts for.

    """
    import numpy as np

    if not len(cosine):
        return np.zeros(0)
    texts = {"cosine": (cosine, cosine_prior), "keyword": (keyword, KEYWORD_PRIOR)}
    fused = np.zeros(len(cosine))
    for name, (given, prior) in texts.items():
        fused += weights[name] * _linked(name, _standard(given, prior), previous, weights)
    for name, signal in (
        ("speaker", by_named),
        ("date", dates),
        ("worth", worth),
        ("recency", recency),
        ("importance", importance),
        ("trust", trust),
    ):
        if signal is not None:
            fused = fused + weights[name] * np.asarray(signal, dtype=np.float64)
    return 1.0 / (1.0 + np.exp(-(fused - MIDDLE) / SLOPE))


def raised(score: float, by: float) -> float:
    """Return a score from 0 to 1 as it is with so much more of what is fused."""
    return 1.0 / (1.0 + math.exp(-by / SLOPE) * (1.0 - score) / score) if score > 0.0 else 0.0


def date_ranges(query: str, *, now: datetime) -> list[tuple[float, float]]:
    """Return the times that a query names ("in May 2023", "on 8 June"), in seconds since 1970.

    A month without a year is the last one of that name.
    """
    ranges = []
    for found in _DATE.finditer(query):
        if found["month"].islower() and not (found["day"] or found["day_after"] or found["year"]):
            # "may I", "to march".
            continue
        month = next(
            index
            for index, name in enumerate(_MONTHS, start=1)
            if name.startswith(found["month"].casefold()[:3])
        )
        year = int(found["year"] or (now.year if month <= now.month else now.year - 1))
        day = int(found["day"] or found["day_after"] or 0)
        last = monthrange(year, month)[1]
        if year < 1 or day > last:
            continue
        first = datetime(year, month, day or 1, tzinfo=UTC)
        end = first + timedelta(days=1 if day else last)
        ranges.append((first.timestamp(), end.timestamp()))
    return ranges


def date_match(
    timestamps: Sequence[float], ranges: Iterable[tuple[float, float]]
) -> numpy.ndarray | None:
    """Return 1 for rows of one of these times, less for those soon after, or None if there is none.

    Who is asked about the eighth may have told of it on the twelfth.
    """
    import numpy as np

    ranges = list(ranges)
    if not ranges:
        return None
    seconds = np.asarray(timestamps, dtype=np.float64)
    late = TOLD_WITHIN.total_seconds()
    return np.max(
        [
            np.where(
                seconds < start,
                0.0,
                np.clip(1.0 - (seconds - end) / late, 0.0, 1.0),
            )
            for start, end in ranges
        ],
        axis=0,
    )


def _linked(
    name: str, signal: numpy.ndarray, previous: numpy.ndarray | None, weights: Mapping[str, float]
) -> numpy.ndarray:
    """Return a signal of texts with what the lines before and after add to it.

    They add only what fits better than most: a line is no worse for those around it.
    """
    import numpy as np

    if previous is None:
        return signal
    fitting = np.maximum(signal, 0.0)
    shared = spread(
        fitting,
        previous,
        from_previous=weights[f"{name}_previous"],
        from_next=weights[f"{name}_next"],
    )
    return signal + shared - fitting


def _standard(scores: numpy.ndarray, prior: tuple[float, float, float]) -> numpy.ndarray:
    """Return deviations from the mean, of few rows from what is usual elsewhere."""
    import numpy as np

    scores = np.asarray(scores, dtype=np.float64)
    usual, usual_deviation, rows = prior
    count = len(scores) + rows
    mean = (scores.sum() + rows * usual) / count
    variance = (((scores - mean) ** 2).sum() + rows * usual_deviation**2) / count
    return (scores - mean) / np.sqrt(variance)
