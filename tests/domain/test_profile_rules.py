"""Lasting knowledge of a person without a model: their own words, and nothing made of them."""

import unittest

from evennia_ai.domain.sleeping import profile_rules


def drawn(*contents, known=(), background=()):
    return profile_rules.draw(
        {
            "name": "Anna",
            "listener": "Mara",
            "observations": [
                {"id": number, "content": content} for number, content in enumerate(contents, 1)
            ],
            "known": list(known),
            "background": list(background),
        }
    )


class DrawTests(unittest.TestCase):
    def test_words_are_kept_as_they_were_said(self):
        self.assertEqual(
            drawn("Says: I love tea.", "Bo says: Anna owns a mill.", "Anna orders ale."),
            [
                {
                    "type": "own_words",
                    "value": 'Says "I love tea"',
                    "evidence": [1],
                    "replaces": [],
                },
                {
                    "type": "own_words",
                    "value": 'Bo says "Anna owns a mill"',
                    "evidence": [2],
                    "replaces": [],
                },
                {
                    "type": "own_words",
                    "value": "Anna orders ale",
                    "evidence": [3],
                    "replaces": [],
                },
            ],
        )

    def test_the_same_words_are_kept_once(self):
        [found] = drawn("Says: I love tea.", "Says: I love tea.")
        self.assertEqual(found["evidence"], [1, 2])

    def test_the_newest_four_are_kept(self):
        found = drawn(*(f"Says: I have {number} cats." for number in range(6)))
        self.assertEqual(
            [one["value"] for one in found],
            [f'Says "I have {number} cats"' for number in range(2, 6)],
        )

    def test_what_is_known_is_not_kept_again(self):
        known = [{"id": 1, "type": "own_words", "value": 'Says "I love tea"', "evidence": [9]}]
        self.assertEqual(drawn("Says: I love tea.", known=known), [])
        self.assertEqual(drawn("Says: I love tea.", background=known), [])
