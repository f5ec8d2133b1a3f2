"""Promises: which of two are the same."""

import unittest

from evennia_ai.domain.memories import promises


class SameTests(unittest.TestCase):
    def test_a_note_and_the_words_of_it_are_one(self):
        self.assertTrue(promises.is_same("mend Ann's pot", "I'll mend your pot by Friday, Ann."))
        self.assertFalse(promises.is_same("mend the pot", "I'll mend your shoe."))
