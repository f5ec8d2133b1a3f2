"""Tests of the codes of metadata and filters."""

import unittest

from evennia_ai.semantic.stores import postgres_sql


class FacetTests(unittest.TestCase):
    def fits(self, filters, **metadata):
        codes = set(postgres_sql.codes(metadata))
        return all(codes & set(wanted) for wanted in postgres_sql.filter_codes(filters))

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
        [code] = postgres_sql.codes({"secret": "the crown"})
        self.assertRegex(code, "^[0-9a-f]{16}$")
