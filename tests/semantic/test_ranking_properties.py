"""What holds of words, senses and scores, whatever stands in the memories and is asked for."""

import unicodedata
import unittest

import numpy as np
from hypothesis import given
from hypothesis import strategies as some

from evennia_ai.semantic import word_senses
from evennia_ai.semantic.ranking import fusion
from evennia_ai.semantic.ranking.word_index import WordIndex
from evennia_ai.semantic.stores import postgres_sql
from evennia_ai.semantic.stores.search_cache import OwnedRows, Row

WORDS = some.sampled_from(
    """the wolf wolves frightens afraid horse mill Mills ÅNGEST angest naïve running ran I'm 雪 مطر x1 42
    Bo's ﬁre straße STRASSE""".split()
)
LINES = some.lists(WORDS, max_size=8).map(" ".join) | some.text(max_size=30)


class FacetTests(unittest.TestCase):
    VALUES = some.none() | some.booleans() | some.integers(-9, 9) | some.text(max_size=3)
    METADATA = some.dictionaries(
        some.sampled_from("abc"), VALUES | some.lists(VALUES, max_size=3), max_size=3
    )

    @given(METADATA, some.sampled_from("abc"), VALUES | some.lists(VALUES, max_size=3))
    def test_a_filter_finds_just_what_is_equal_or_a_member(self, metadata, key, wanted):
        """None is no value: what is not there cannot be asked for."""
        [codes] = postgres_sql.filter_codes({key: wanted})
        given_ = metadata.get(key, ())
        members = given_ if isinstance(given_, (list, tuple)) else [given_]
        choices = wanted if isinstance(wanted, list) else [wanted]
        fits = any(one is not None and one in choices for one in members)
        self.assertEqual(bool(set(codes) & set(postgres_sql.codes(metadata))), fits)


class SenseTests(unittest.TestCase):
    @given(WORDS | some.text(max_size=12))
    def test_any_word_has_a_sense_or_none_and_is_alike_by_a_share(self, word):
        sense = word_senses.sense(word)
        places, likeness = word_senses.related(word)
        self.assertEqual(len(places), len(likeness))
        if sense is None:
            self.assertEqual((word_senses.rank(word), len(places)), (-1, 0))
            return
        self.assertEqual(sense.shape, (word_senses.SENSES,))
        self.assertAlmostEqual(float(np.linalg.norm(sense)), 1.0, places=5)
        self.assertTrue(((likeness > 0) & (likeness <= 1)).all())
        self.assertIn(word_senses.rank(word), places)

    def test_each_form_of_a_word_leads_to_a_place_of_the_table(self):
        words, senses, _ = word_senses.table()
        self.assertEqual(len(words), len(senses))
        for base in ("wolf", "berry", "dig", "frighten", "horse", "house", "mill"):
            forms = {base, f"{base}s", f"{base}ed", f"{base}ing"}
            ranks = {word_senses.rank(form) for form in forms}
            self.assertTrue(all(-1 <= rank < len(senses) for rank in ranks), base)
            self.assertNotEqual(word_senses.rank(base), -1)


LINE_PAIRS = some.tuples(some.lists(WORDS, max_size=4), some.lists(WORDS, max_size=3))


class WordIndexTests(unittest.TestCase):
    @staticmethod
    def index(*parts):
        index = WordIndex()
        for lines in parts:
            index.extend(lines)
        return index

    @given(some.lists(LINE_PAIRS, max_size=6), some.lists(WORDS, max_size=3))
    def test_each_line_has_a_number_whatever_is_asked(self, lines, terms):
        folded = [term.casefold() for term in terms]
        view = self.index(lines).view()
        fitting = view.fit(folded, np.arange(len(lines)))
        self.assertEqual(fitting.shape, (len(lines),))
        self.assertTrue(np.isfinite(fitting).all() and (fitting >= 0).all())

    @given(
        some.lists(LINE_PAIRS, min_size=1, max_size=6), some.lists(WORDS, max_size=3), some.data()
    )
    def test_it_makes_no_difference_in_how_many_goes_lines_came_in(self, lines, terms, data):
        cut = data.draw(some.integers(0, len(lines)))
        places = np.arange(len(lines))
        whole = self.index(lines).view().fit(terms, places)
        parts = self.index(lines[:cut], lines[cut:]).view().fit(terms, places)
        np.testing.assert_allclose(parts, whole)

    @given(some.lists(LINE_PAIRS, min_size=1, max_size=6), LINE_PAIRS, WORDS)
    def test_a_view_is_as_it_was_when_more_comes(self, lines, more, term):
        index = self.index(lines)
        view, places = index.view(), np.arange(len(lines))
        before = view.fit([term], places)
        index.extend([more] * 40)
        np.testing.assert_array_equal(view.fit([term], places), before)


class ScopeTests(unittest.TestCase):
    ROWS = some.lists(
        some.tuples(some.floats(0, 1e9), some.sampled_from(["Ann", "Bo", ""]), LINES), max_size=8
    )

    @staticmethod
    def rows(given_, first=1):
        vector = np.ones(4, dtype=np.float32).tobytes()
        return [
            Row(number, moment, 0.5, 5.0, speaker, 1.0, text, "", vector)
            for number, (moment, speaker, text) in enumerate(given_, first)
        ]

    @given(ROWS, some.lists(some.integers(-3, 12), max_size=12))
    def test_places_are_those_of_the_rows_that_are_there_oldest_first(self, given_, numbers):
        owned = OwnedRows(4)
        owned.extend(self.rows(given_))
        view = owned.view()
        known = view.known(view.places(list(set(numbers))))
        self.assertEqual(
            sorted(known.numbers), sorted({one for one in numbers if 1 <= one <= len(given_)})
        )
        moments = list(known.moments)
        self.assertEqual(moments, sorted(moments))
        for number, moment in zip(known.numbers, known.moments, strict=True):
            self.assertEqual(given_[number - 1][0], moment)

    @given(ROWS, ROWS)
    def test_rows_that_came_later_change_nothing_of_those_before(self, first, second):
        owned = OwnedRows(4)
        owned.extend(self.rows(first))
        view = owned.view()
        owned.extend(self.rows(second, len(first) + 1))
        self.assertEqual(len(view.rows.numbers), len(first))
        self.assertEqual(owned.last, len(first) + len(second))
        self.assertEqual(list(view.rows.moments), [row[0] for row in first])
        self.assertEqual(len(owned.view().vectors), len(first) + len(second))


class TellingWordTests(unittest.TestCase):
    @given(LINES)
    def test_the_words_that_tell_are_words_of_the_line(self, text):
        folded = unicodedata.normalize("NFKC", text).casefold()
        for word in fusion.telling_words(text):
            self.assertIn(word, folded)
