"""Tests of words in common: stems, BM25 and the codes of filters, by hand-counted values."""

import unittest

from evennia_ai.semantic import lexical, postgres_rows, postgres_sql
from evennia_ai.semantic.facts import new_fact


def fact(text, **metadata):
    """Return a fact of these words."""
    return new_fact(text, assistant_key="mara", audience="public", metadata=metadata)


class StemTests(unittest.TestCase):
    def test_case_accents_and_endings_do_not_count(self):
        for text, expected in (
            ("", []),
            ("☃ -- _ !", []),
            ("The DOGS barked.", ["the", "dog", "bark"]),
            ("Räksmörgås", ["raksmorg"]),
            ("ﬁsh", ["fish"]),
            ("x" * 50, ["x" * 40]),
        ):
            with self.subTest(text):
                self.assertEqual(lexical.stems(text), expected)

    def test_no_more_than_a_database_takes_is_indexed(self):
        many = " ".join(f"w{number}" for number in range(5000))
        own, before = lexical.line_stems(fact(many, previous=many))
        self.assertEqual((len(own), len(before)), (4000, 0))
        own, before = lexical.line_stems(fact("One two.", previous=many))
        self.assertEqual((len(own), len(before)), (2, 3998))

    def test_the_line_before_counts_half(self):
        frequencies = lexical.frequencies(fact("Dog eats dog.", speaker="Bo", previous="A dog?"))
        self.assertEqual(frequencies, {"bo": 1.0, "dog": 2.5, "eat": 1.0, "a": 0.5})
        self.assertEqual(lexical.size(fact("Dog eats dog.", speaker="Bo", previous="A dog?")), 6)

    def test_a_query_asks_for_each_stem_once_and_for_forty_at_most(self):
        self.assertEqual(lexical.query_stems(["dogs", "dog", "ale"]), ["dog", "ale"])
        self.assertEqual(len(lexical.query_stems(f"w{number}" for number in range(99))), 40)


class ScoreTests(unittest.TestCase):
    def scores(self, found, sizes, **options):
        return [round(float(score), 4) for score in lexical.scores(found, sizes, **options)]

    def test_bm25_of_two_rows(self):
        """log(1 + 1.5 / 1.5) · 2.2 / (1 + 1.2) of the row that has the word."""
        self.assertEqual(self.scores({"dog": ([0], [1.0])}, [4, 4]), [0.6931, 0.0])

    def test_a_rare_word_counts_more_and_a_long_line_less(self):
        found = {"dog": ([0, 1], [1.0, 1.0]), "cat": ([2], [1.0])}
        dog, _, cat = self.scores(found, [5, 5, 5])
        self.assertGreater(cat, dog)
        short, long, _ = self.scores(found, [2, 8, 5])
        self.assertGreater(short, long)

    def test_saying_it_again_counts_less_each_time(self):
        once, twice, often = (
            self.scores({"dog": ([0], [times])}, [5, 5])[0] for times in (1.0, 2.0, 9.0)
        )
        self.assertTrue(once < twice < 2 * once < 2 * twice and often < 2.2 * once)

    def test_how_rare_words_are_may_be_given(self):
        self.assertEqual(
            self.scores({"dog": ([0], [1.0])}, [4, 4], rarities={"dog": 2.0}), [2.0, 0.0]
        )
        self.assertEqual(round(lexical.rarity(2, 1), 4), 0.6931)

    def test_of_no_words_and_no_rows_there_are_no_scores(self):
        self.assertEqual(self.scores({}, [3, 0]), [0.0, 0.0])
        self.assertEqual(self.scores({}, []), [])
        self.assertEqual(self.scores({"dog": ([0], [1.0])}, [0]), [0.4868])


class FacetTests(unittest.TestCase):
    def fits(self, filters, **metadata):
        codes = set(lexical.facets(metadata))
        return all(codes & set(wanted) for wanted in lexical.filter_codes(filters))

    def test_a_filter_fits_equal_values_and_members(self):
        for filters, metadata, fits in (
            (None, {}, True),
            ({"a": "x"}, {"a": "x"}, True),
            ({"a": "x"}, {"b": "x"}, False),
            ({"a": "x"}, {"a": ["y", "x"]}, True),
            ({"a": ["x", "z"]}, {"a": "x"}, True),
            ({"a": []}, {"a": "x"}, False),
            ({"a": 1}, {"a": True}, True),
            ({"a": "1"}, {"a": 1}, False),
            ({"a": "x", "b": "y"}, {"a": "x"}, False),
            ({"a": None}, {"a": None}, False),
        ):
            with self.subTest(filters=filters, metadata=metadata):
                self.assertIs(self.fits(filters, **metadata), fits)

    def test_a_code_says_nothing_of_the_words(self):
        [code] = lexical.facets({"secret": "the crown"})
        self.assertRegex(code, "^[0-9a-f]{16}$")


class TsvectorTests(unittest.TestCase):
    def test_stems_have_their_places_and_the_line_before_is_marked(self):
        told = fact("A dog's dogs!", speaker="Bo", previous="Dogs?")
        self.assertEqual(postgres_rows.indexed(told), "'bo':1A 'a':2A 'dog':3A,5A,6D 's':4A")
        self.assertEqual(postgres_rows.indexed(fact("☃")), "")
        self.assertEqual(postgres_sql.any_of(["dog", "cat"]), "'dog' | 'cat'")
