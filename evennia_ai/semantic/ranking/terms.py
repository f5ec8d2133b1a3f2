"""Words of lines and questions as a store looks them up, by their stems, and BM25 over those that may be told.

The common word of a hundred secrets is as rare as before for whoever may not know them: only what may be told counts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from evennia_ai.core import words
from evennia_ai.semantic.ranking import fusion

if TYPE_CHECKING:
    import numpy

# What a word counts that stands in the line before, beside 1 for the line itself.
BEFORE_WEIGHT = 0.5
# A token of a word in the line before begins with this.
BEFORE = "<"
# How much length counts against a line, and how soon a word's weight saturates: the usual of BM25.
SATURATION, LENGTH_SHARE = 1.2, 0.75
# Words of a query that are looked up; nobody asks for more at once.
QUERY_TERMS = 40


def of_line(text: str, before: str = "", *, language: str = "") -> list[str]:
    """Return the tokens of a line and of the line before it; `language` is what it probably is."""
    own = _stems(text, language)
    return sorted({*own, *(f"{BEFORE}{stem}" for stem in _stems(before, language) - own)})


def of_query(query: str, names: Iterable[str], *, language: str = "") -> list[set[str]]:
    """Return for each word of a query the tokens of it, one a language in which lines may be told."""
    asked = words.language_of(words.words(query), default=language)
    languages = {asked, language or words.Game.language, words.Game.language}
    terms = fusion.query_terms(query, names=names, language=asked)[:QUERY_TERMS]
    alternatives = [{words.stem(term, one) for one in languages} for term in terms]
    return [one for index, one in enumerate(alternatives) if one not in alternatives[:index]]


def often(term: Iterable[str], found: Mapping[str, numpy.ndarray], count: int) -> numpy.ndarray:
    """Return how much each of `count` lines has of a word, by the places at which its tokens were found."""
    import numpy as np

    having = np.zeros(count)
    for weight, prefix in ((BEFORE_WEIGHT, BEFORE), (1.0, "")):
        for token in term:
            if f"{prefix}{token}" in found:
                having[found[f"{prefix}{token}"]] = weight
    return having


def bm25(having: Sequence[numpy.ndarray], lengths: numpy.ndarray) -> numpy.ndarray:
    """Return how well lines fit the words of a question, 0 for none; `having` is `often` of each word."""
    import numpy as np

    fitting = np.zeros(len(lengths))
    usual = max(1.0, float(lengths.mean())) if len(lengths) else 1.0
    for times in having:
        found = np.flatnonzero(times)
        rarity = math.log1p((len(lengths) - len(found) + 0.5) / (len(found) + 0.5))
        slow = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * lengths[found] / usual)
        fitting[found] += rarity * times[found] * (SATURATION + 1) / (times[found] + slow)
    return fitting


def _stems(text: str, language: str) -> set[str]:
    if not text:
        return set()
    found = words.words(fusion.without_speaker(text))
    of = words.language_of(found, default=language)
    return {words.stem(word, of) for word in words.telling(found, of)}
