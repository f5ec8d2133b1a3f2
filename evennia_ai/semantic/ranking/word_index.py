"""Finds memories by words: the same ones in any form, and those of a like sense.

A vector of a whole line blurs its one telling word. Here each word of a question is held against each
word of a line, and the best of them counts: "afraid" answers "frightens".
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from evennia_ai.core import senses, words
from evennia_ai.semantic import word_senses
from evennia_ai.semantic.stores.growable_arrays import Column

if TYPE_CHECKING:
    import numpy

# How much a word counts that stands in the line before, beside 1 for the line itself. Less than
# where the word itself is looked for: what is only like a word of another line is far off.
BEFORE_WEIGHT = 0.25
# What it counts where the word itself is looked for.
SAME_BEFORE_WEIGHT = 0.5
# How much length counts against a line, and how soon a word's weight saturates: the usual of BM25.
SATURATION, LENGTH_SHARE = 1.2, 0.75
# Where one line in so many is asked for, the words of the others are not gone through.
FEW = 8
# So many words, and a share of those that are in order, are gone through before all are put in order anew.
UNORDERED, UNORDERED_SHARE = 4096, 8
# Stands first in each line, and is like no word: so no line is empty.
_NO_WORD = 0

# The words that carry the meaning of a line, and those of the line before it.
Line = tuple[Iterable[str], Iterable[str]]
# A line as an index knows it: its words as numbers, and what each counts.
Coded = tuple[list[int], list[float]]


class Forms:
    """Words by their stems in each language that was asked for; more words may come meanwhile."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self._by_stem: dict[str, dict[str, list[int]]] = {}
        self._stemmed: dict[str, int] = {}
        self._lock = threading.Lock()

    def of(self, stem: str, language: str) -> list[int]:
        """Return the places of the words that have this stem in a language."""
        with self._lock:
            by_stem = self._by_stem.setdefault(language, {})
            known = len(self.words)
            for place in range(self._stemmed.get(language, 0), known):
                own = words.stem(self.words[place], language)
                by_stem.setdefault(own, []).append(place)
            self._stemmed[language] = known
            return by_stem.get(stem, [])


class WordIndex:
    """The words of lines, which only ever become more; a `view` does not change with them."""

    def __init__(self) -> None:
        self._ids: dict[str, int] = {"": _NO_WORD}
        self._forms = Forms()
        self._forms.words.append("")
        # For each word its place among the senses, or -1.
        self._ranks = Column("int32")
        self._ranks.extend([-1])
        # The words of all lines, one after another, and where in it each line begins.
        self._words, self._starts = Column("int32"), Column("int64")
        # What each of these words counts.
        self._weights = Column("float32")
        # Where in all of it each word stands: places in order of the words, and where each word begins.
        self._ordered: tuple[numpy.ndarray, numpy.ndarray] | None = None

    def extend(self, lines: Iterable[Line]) -> None:
        """Take in lines: the words that carry the meaning of each, and those of the line before."""
        codes, weights, starts = self._behind(map(self.code, lines))
        self._words.extend(codes)
        self._weights.extend(weights)
        self._starts.extend(starts)

    def view(self, also: Iterable[Coded] = ()) -> WordView:
        """Return what is there now, and after it some lines that are not kept."""
        import numpy as np

        kept = (self._words, self._weights, self._starts)
        behind = self._behind(also)
        codes, weights, starts = (
            (
                np.concatenate([column.values, np.array(more, column.values.dtype)])
                if more
                else column.values
            )
            for column, more in zip(kept, behind, strict=True)
        )
        order, bounds = self._in_order()
        return WordView(self._forms, self._ranks.values, codes, weights, starts, order, bounds)

    def code(self, line: Line) -> Coded:
        """Return a line as this index knows it, for good; its words are kept, the line is not."""
        own, before = line
        counted = {**dict.fromkeys(before, BEFORE_WEIGHT), **dict.fromkeys(own, 1.0)}
        return [_NO_WORD, *map(self._id, counted)], [0.0, *counted.values()]

    def _in_order(self) -> tuple[numpy.ndarray, numpy.ndarray]:
        """Return where each word stands, in all lines but the last ones."""
        import numpy as np

        if self._ordered is None:
            self._ordered = np.zeros(0, dtype=np.int64), np.zeros(1, dtype=np.int64)
        done = len(self._ordered[0])
        if len(self._words) - done > max(UNORDERED, done // UNORDERED_SHARE):
            order = np.argsort(self._words.values, kind="stable")
            ids = np.arange(len(self._ranks) + 1)
            self._ordered = order, np.searchsorted(self._words.values[order], ids)
        return self._ordered

    def _behind(self, lines: Iterable[Coded]) -> tuple[list[int], list[float], list[int]]:
        """Return lines as they stand behind those that are there: words, weights, starts."""
        codes: list[int] = []
        weights: list[float] = []
        starts: list[int] = []
        begin = len(self._words)
        for words_of_it, counted in lines:
            starts.append(begin + len(codes))
            codes += words_of_it
            weights += counted
        return codes, weights, starts

    def _id(self, word: str) -> int:
        known = self._ids.get(word)
        if known is None:
            known = self._ids[word] = len(self._ranks)
            self._ranks.extend([senses.rank(word)])
            self._forms.words.append(word)
        return known


class WordView(NamedTuple):
    """The words of the lines that were there at one moment."""

    forms: Forms
    ranks: numpy.ndarray
    words: numpy.ndarray
    weights: numpy.ndarray
    starts: numpy.ndarray
    # Of the first words: their places by word, and where in it each word begins.
    order: numpy.ndarray
    bounds: numpy.ndarray

    def fit(
        self, terms: Iterable[str], places: numpy.ndarray, *, language: str = ""
    ) -> numpy.ndarray:
        """Return how well lines fit words of a question, 0 where none is of a like sense.

        A word counts the more, the fewer of these lines have one like it.

        Args:
            terms: the words, casefolded.
            places: which lines; the others have no part in it.
            language: of the question; the game's, if not given.

        """
        import numpy as np

        if len(places) * FEW < len(self.starts):
            return self._of(places).fit(terms, np.arange(len(places)), language=language)
        fitting, told = self._empty(places)
        for term in terms:
            likeness = self._likeness(term, language or words.Game.language)
            lines, best = self._best(likeness, told, before=BEFORE_WEIGHT)
            fitting[lines] += best * _rarity(float(best.sum()), len(places))
        return fitting[places]

    def match(
        self, terms: Iterable[str], places: numpy.ndarray, *, language: str = ""
    ) -> numpy.ndarray:
        """Return how well lines fit the words of a question themselves, in any form: BM25, 0 for none.

        Args:
            terms: the words, casefolded.
            places: which lines; the others have no part in it.
            language: of the question; the game's, if not given.

        """
        import numpy as np

        if not len(places):
            return np.zeros(0)
        if len(places) * FEW < len(self.starts):
            return self._of(places).match(terms, np.arange(len(places)), language=language)
        fitting, told = self._empty(places)
        sizes = np.diff(self.starts, append=len(self.words))
        usual = sizes[places].mean()
        language = language or words.Game.language
        for stem in dict.fromkeys(words.stem(term, language) for term in terms):
            is_it = np.zeros(len(self.ranks), dtype=np.float32)
            is_it[self._forms_of(stem, language)] = 1.0
            lines, often = self._best(is_it, told, before=SAME_BEFORE_WEIGHT)
            length = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * sizes[lines] / usual)
            rarity = _rarity(len(lines), len(places))
            fitting[lines] += rarity * often * (SATURATION + 1) / (often + length)
        return fitting[places]

    def _empty(self, places: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
        """Return for each line that nothing fits so far, and whether it is one of those at `places`."""
        import numpy as np

        told = np.zeros(len(self.starts), dtype=bool)
        told[places] = True
        return np.zeros(len(self.starts)), told

    def _best(
        self, likeness: numpy.ndarray, told: numpy.ndarray, *, before: float
    ) -> tuple[numpy.ndarray, numpy.ndarray]:
        """Return the lines with a word that is like one, and the most that one of it is like.

        A word of the line before counts `before`; lines that are not told are left out.
        """
        import numpy as np

        found = self._where(likeness > 0)
        lines = np.searchsorted(self.starts, found, side="right") - 1
        found, lines = found[told[lines]], lines[told[lines]]
        if not len(found):
            return lines, np.zeros(0)
        counted = self.weights[found]
        counted[counted == BEFORE_WEIGHT] = before
        first = np.flatnonzero(np.diff(lines, prepend=-1))
        return lines[first], np.maximum.reduceat(likeness[self.words[found]] * counted, first)

    def _where(self, wanted: numpy.ndarray) -> numpy.ndarray:
        """Return the places in all lines of the words that are wanted, ascending."""
        import numpy as np

        done = len(self.order)
        ids = np.flatnonzero(wanted[: len(self.bounds) - 1])
        spans = zip(self.bounds[ids], self.bounds[ids + 1], strict=True)
        found = [self.order[begin:end] for begin, end in spans if begin < end]
        rest = done + np.flatnonzero(wanted[self.words[done:]])
        return np.sort(np.concatenate([*found, rest]))

    def _of(self, places: numpy.ndarray) -> WordView:
        """Return the view of some lines alone."""
        import numpy as np

        begins, ends = self.starts[places], np.append(self.starts[1:], len(self.words))[places]
        spans = [np.arange(*span) for span in zip(begins, ends, strict=True)]
        told = np.concatenate(spans) if spans else np.zeros(0, dtype=np.int64)
        starts = np.cumsum(ends - begins) - (ends - begins)
        return self._replace(
            words=self.words[told],
            weights=self.weights[told],
            starts=starts,
            order=self.order[:0],
            bounds=self.bounds[:1],
        )

    def _forms_of(self, stem: str, language: str) -> list[int]:
        # What was added since has no place in this view.
        return [id for id in self.forms.of(stem, language) if id < len(self.ranks)]

    def _likeness(self, term: str, language: str) -> numpy.ndarray:
        """Return how alike each known word is to a word, 0 to 1."""
        import numpy as np

        alike = np.zeros(len(self.ranks), dtype=np.float32)
        if language == senses.LANGUAGE:
            # The last one is for words without a sense, whose rank is -1.
            by_rank = np.zeros(len(word_senses.table()[0]) + 1, dtype=np.float32)
            ranks, likeness = word_senses.related(term)
            by_rank[ranks] = likeness
            alike = by_rank[self.ranks]
        alike[self._forms_of(words.stem(term, language), language)] = 1.0
        return alike


def _rarity(having: float, lines: int) -> float:
    """Return what a word counts that so many of the lines have."""
    return math.log1p((lines - having + 0.5) / (having + 0.5))
