"""What moves an assistant that has rules only."""

import unittest

from evennia_ai.domain import sentiment


def felt(text, *, kind="say"):
    return sentiment.favorability_change(
        {"event": {"kind": kind, "text": text}, "npc": {"name": "Mara"}}
    )


class FeelingTests(unittest.TestCase):
    def test_words_and_gifts_change_how_somebody_is_regarded(self):
        for text, expected in [
            ("Thank you, Mara!", (0.02, "thanks")),
            ("Mara, you are wonderful.", (0.05, "praise")),
            ("You are a fool, Mara.", (-0.1, "insult")),
            ("Tack så mycket, Mara.", (0.02, "thanks")),
        ]:
            with self.subTest(text):
                self.assertEqual(felt(text), expected)
        self.assertEqual(felt("gives you a mug", kind="give"), (0.1, "give"))

    def test_what_is_said_in_a_whisper_counts_as_much(self):
        self.assertEqual(felt("Thank you, Mara!", kind="whisper"), (0.02, "thanks"))

    def test_to_ask_for_something_is_no_gift(self):
        for text in ("Give me the key.", "Mara, give me your purse!", "Ge mig nyckeln."):
            with self.subTest(text):
                self.assertIsNone(felt(text))

    def test_everything_else_leaves_it_cold(self):
        for text in ("Hello, Mara.", "Where is the mill?", "The bridge is out.", "", "Follow me."):
            with self.subTest(text):
                self.assertIsNone(felt(text))
        self.assertIsNone(felt("Thank you, Mara!", kind="pose"))
        self.assertIsNone(sentiment.favorability_change({}))
