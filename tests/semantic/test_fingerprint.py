"""Tests of when two memories are one."""

import unittest

from evennia_ai.semantic.facts import new_fact


def fingerprint(text, metadata):
    return new_fact(text, assistant_key="mara", audience="public", metadata=metadata).fingerprint


class FingerprintTests(unittest.TestCase):
    def test_case_and_spaces_do_not_matter(self):
        self.assertEqual(
            fingerprint("The  Bridge is\nbroken.", {}),
            fingerprint("the bridge is broken.", {}),
        )

    def test_words_and_sources_do(self):
        texts = [
            fingerprint("It rains.", {}),
            fingerprint("It rained.", {}),
            fingerprint("It rains.", {"source_id": "ann"}),
            fingerprint("It rains.", {"speaker": "ann"}),
            fingerprint("It rains.", {"source_id": "ann", "speaker": "ann"}),
        ]
        self.assertEqual(len(set(texts)), 5)

    def test_the_same_words_to_something_else_are_another_line(self):
        first, second, again = (
            fingerprint("Yes, exactly!", {"speaker": "Ann", "previous": previous})
            for previous in ("Is the bridge safe?", "Is the king dead?", " is the  KING dead?")
        )
        self.assertNotEqual(first, second)
        self.assertEqual(second, again)
