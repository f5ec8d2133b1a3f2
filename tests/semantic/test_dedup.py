"""Tests of when two memories are one."""

import unittest

from evennia_ai.semantic.ranking import dedup


class FingerprintTests(unittest.TestCase):
    def test_case_and_spaces_do_not_matter(self):
        self.assertEqual(
            dedup.fingerprint("The  Bridge is\nbroken.", {}),
            dedup.fingerprint("the bridge is broken.", {}),
        )

    def test_words_and_sources_do(self):
        texts = [
            dedup.fingerprint("It rains.", {}),
            dedup.fingerprint("It rained.", {}),
            dedup.fingerprint("It rains.", {"source_id": "ann"}),
            dedup.fingerprint("It rains.", {"speaker": "ann"}),
            dedup.fingerprint("It rains.", {"source_id": "ann", "speaker": "ann"}),
        ]
        self.assertEqual(len(set(texts)), 5)

    def test_the_same_words_to_something_else_are_another_line(self):
        first, second, again = (
            dedup.fingerprint("Yes, exactly!", {"speaker": "Ann", "previous": previous})
            for previous in ("Is the bridge safe?", "Is the king dead?", " is the  KING dead?")
        )
        self.assertNotEqual(first, second)
        self.assertEqual(second, again)


class SaysTheSameTests(unittest.TestCase):
    def test_other_words_for_it_are_the_same(self):
        for one, other in (
            ("The tavern is in the north wing.", "The tavern lies in the north wing."),
            ("Bob saw 5 wolves.", "Bob has seen 5 wolves!"),
            ("He isn't here.", "He is not here."),
            ("he isn’t here", "he isn't here"),
        ):
            with self.subTest(one):
                self.assertTrue(dedup.says_the_same(one, other))

    def test_what_vectors_are_blind_to_differs(self):
        for one, other in (
            ("The ale costs 5 coins.", "The ale costs 6 coins."),
            ("The old bridge is safe.", "The old bridge is not safe."),
            ("Today Ann owes Bob money.", "Today Bob owes Ann money."),
            ("We saw Ann.", "We saw Carl."),
        ):
            with self.subTest(other):
                self.assertFalse(dedup.says_the_same(one, other))
