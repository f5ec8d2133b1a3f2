"""Patterns with a name in them."""

import re
from unittest import TestCase
from unittest.mock import patch

from evennia_ai.core import name_patterns
from evennia_ai.core.name_patterns import NAME
from evennia_ai.domain import classification
from evennia_ai.domain.offline import reading


class TestPatternsWithANameInThem(TestCase):
    def test_each_place_of_a_name_is_looked_at_by_itself(self):
        found = name_patterns.matches(
            rf"(?P<before>\w*),? {NAME}(?!\w)", "Bob", "Hi Bob, Bobby and Bob"
        )
        self.assertEqual([match["before"] for match in found], ["Hi", "and"])

    def test_a_name_is_no_pattern_itself(self):
        self.assertTrue(name_patterns.is_in(rf"\A{NAME}\Z", "R.2(d", "R.2(d"))
        self.assertFalse(name_patterns.is_in(rf"\A{NAME}\Z", "R.2", "Rx2"))

    def test_what_stands_for_a_name_is_none_where_somebody_writes_it(self):
        self.assertFalse(name_patterns.is_in(rf"\A{NAME}\Z", "Bob", NAME))
        self.assertFalse(name_patterns.is_in(rf"\A{NAME}", "Bob", f"{NAME} and Bob"))

    def test_something_else_stands_in_the_place_of_each_that_is_found(self):
        self.assertEqual(
            name_patterns.sub(rf",?\s*{NAME}(?!\w)", "Bob", "", "Hi, BOB: bob, Bobby"), "Hi:, Bobby"
        )
        self.assertEqual(name_patterns.sub(NAME, "aa", "b", "aaaaa"), "bba")

    def test_letters_that_grow_when_small_do_not_move_what_is_found(self):
        self.assertEqual(name_patterns.sub(rf"{NAME}!", "Bob", "x", "İİ Bob! ß"), "İİ x ß")

    def test_nobody_has_no_name(self):
        self.assertEqual(name_patterns.sub(NAME, "", "x", "Bob"), "Bob")

    def test_no_pattern_is_made_for_somebody_with_another_name(self):
        def ask(name):
            line = f"Good evening, {name}! Who brews the ale here?"
            classification.is_called(line, [name])
            classification.name_fit(line, [name, "Otto"], is_speech=True)
            reading.classify(line, names=[name])

        # The first reading of a language makes more patterns than `re` keeps; the second time all are there.
        ask("Bob")
        ask("Otto")
        with (
            patch.object(re, "compile", side_effect=AssertionError),
            patch.object(re._compiler, "compile", side_effect=AssertionError),
        ):
            ask("Mirabel")
