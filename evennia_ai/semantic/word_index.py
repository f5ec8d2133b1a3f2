"""Finds memories by words of the same sense: "afraid" answers "frightens".

The full-text index knows only stems, and a vector of a whole line blurs its one telling word. Here
each word of a question is held against each word of a line, and the best of them counts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from evennia_ai.domain import retrieval
from evennia_ai.semantic import word_senses
from evennia_ai.semantic.columns import Column

if TYPE_CHECKING:
    import numpy

# How much a word counts that stands in the line before, beside 1 for the line itself. Less than in the
# full-text index: what is only like a word of another line is far off.
BEFORE_WEIGHT = 0.25
# Stands first in each line, and is like no word: so no line is empty.
_NO_WORD = 0


class WordIndex:
    """The words of lines, which only ever become more; a `view` does not change with them."""

    def __init__(self) -> None:
        self._ids: dict[str, int] = {"": _NO_WORD}
        # By stem, the words that have it.
        self._forms: dict[str, list[int]] = {}
        # For each word its place among the senses, or -1.
        self._ranks = Column("int32")
        self._ranks.extend([-1])
        # The words of all lines, one after another, and where in it each line begins.
        self._words, self._starts = Column("int32"), Column("int64")
        # What each of these words counts.
        self._weights = Column("float32")

    def extend(self, lines: Iterable[tuple[Iterable[str], Iterable[str]]]) -> None:
        """Take in lines: the words that carry the meaning of each, and those of the line before."""
        words: list[int] = []
        weights: list[float] = []
        starts: list[int] = []
        begin = len(self._words)
        for own, before in lines:
            starts.append(begin + len(words))
            counted = {**dict.fromkeys(before, BEFORE_WEIGHT), **dict.fromkeys(own, 1.0)}
            words += [_NO_WORD, *map(self._id, counted)]
            weights += [0.0, *counted.values()]
        self._words.extend(words)
        self._weights.extend(weights)
        self._starts.extend(starts)

    def view(self) -> WordView:
        """Return what is there now."""
        return WordView(
            self._forms,
            self._ranks.values,
            self._words.values,
            self._weights.values,
            self._starts.values,
        )

    def _id(self, word: str) -> int:
        known = self._ids.get(word)
        if known is None:
            known = self._ids[word] = len(self._ranks)
            self._ranks.extend([word_senses.rank(word)])
            self._forms.setdefault(retrieval.stem(word), []).append(known)
        return known


class WordView(NamedTuple):
    """The words of the lines that were there at one moment."""

    forms: dict[str, list[int]]
    ranks: numpy.ndarray
    words: numpy.ndarray
    weights: numpy.ndarray
    starts: numpy.ndarray

    def fit(self, terms: Iterable[str], places: numpy.ndarray) -> numpy.ndarray:
        """Return how well lines fit words of a question, 0 where none is of a like sense.

        A word counts the more, the fewer of these lines have one like it.

        Args:
            terms: the words, casefolded.
            places: which lines; the others have no part in it.

        """
        import numpy as np

        fitting = np.zeros(len(places))
        for term in terms:
            likeness = self._likeness(term)
            if not likeness.any():
                continue
            best = np.maximum.reduceat(likeness[self.words] * self.weights, self.starts)[places]
            having = float(best.sum())
            fitting += best * math.log1p((len(places) - having + 0.5) / (having + 0.5))
        return fitting

    def _likeness(self, term: str) -> numpy.ndarray:
        """Return how alike each known word is to a word, 0 to 1."""
        import numpy as np

        # The last one is for words without a sense, whose rank is -1.
        by_rank = np.zeros(len(word_senses.table()[0]) + 1, dtype=np.float32)
        ranks, likeness = word_senses.related(term)
        by_rank[ranks] = likeness
        alike = by_rank[self.ranks]
        # What was added since has no place in this view.
        forms = [id for id in self.forms.get(retrieval.stem(term), ()) if id < len(alike)]
        alike[forms] = 1.0
        return alike
