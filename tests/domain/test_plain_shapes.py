"""Tests of the shapes of plain data."""

import unittest

from evennia_ai.domain.files.plain_shapes import Each, audience, check, moment, words


class CheckTests(unittest.TestCase):
    FITS = (
        ("x", str),
        (3, int),
        (3, float),
        (0.5, float),
        (True, bool),
        (None, type(None)),
        (None, (str, type(None))),
        ("x", (str, type(None))),
        ([], [int]),
        ([1, 2], [int]),
        ({"a": 1, "more": object()}, {"a": int}),
        ({}, Each(int)),
        ({"a": 1}, Each(int)),
        ({"a": [{"b": "x"}]}, {"a": [{"b": str}]}),
        ("public", audience),
        ([], audience),
        (["ann"], audience),
        ("2026-01-01T00:00:00.000Z", moment),
        (" x ", words),
    )
    WRONG = (
        (3, str, "it is not text."),
        (True, int, "it is not a whole number."),
        (0.5, int, "it is not a whole number."),
        (True, float, "it is not a number."),
        ("x", bool, "it is not true or false."),
        ("x", [str], "it is not a list."),
        ([1, "x"], [int], "it[1] is not a whole number."),
        ([], {"a": int}, "it is not a mapping."),
        ({}, {"a": int}, "it has no a."),
        ({"a": {"b": []}}, {"a": {"b": str}}, "it.a.b is not text."),
        ({"a": "x"}, Each(int), "it.a is not a whole number."),
        (3, (str, type(None)), "it is not text."),
        ("ann", audience, 'it is not an audience ("public" or a list of identities).'),
        ([""], audience, 'it is not an audience ("public" or a list of identities).'),
        (None, audience, 'it is not an audience ("public" or a list of identities).'),
        ("soon", moment, "it is not a time."),
        (None, moment, "it is not a time."),
        (" ", words, "it is not text that says something."),
    )

    def test_what_fits(self):
        for value, shape in self.FITS:
            with self.subTest(value=value, shape=shape):
                check(value, shape, "it")

    def test_what_does_not(self):
        for value, shape, sentence in self.WRONG:
            with self.subTest(value=value, shape=shape):
                with self.assertRaises(ValueError) as caught:
                    check(value, shape, "it")
                self.assertEqual(str(caught.exception), sentence)
