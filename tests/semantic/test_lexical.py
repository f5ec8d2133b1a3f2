"""Tests of stems and of the codes of filters."""

import unittest

from evennia_ai.semantic.facts import new_fact
from evennia_ai.semantic.stores import lexical


def fact(text, **metadata):
    """Return a fact of these words."""
    return new_fact(text, assistant_key="mara", audience="public", metadata=metadata)


class StemTests(unittest.TestCase):
    def test_case_accents_and_endings_do_not_count(self):
        for text, expected in (
            ("", []),
            ("☃ -- _ !", []),
            ("The DOGS barked.", ["the", "dog", "bark"]),
            ("Räksmörgåsen är här", ["raksmorgas", "ar", "har"]),
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
