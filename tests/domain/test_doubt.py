"""What a weak model says is doubted where small models are known to fail."""

import unittest

from evennia_ai.domain.model_text import doubt

KNOWN = """You are Bertil. The ferry goes at sunrise. The crossing costs two coppers, and a horse costs five.
Cilla: Bertil, when does your ferry go?"""


def why(words, *, recalled=()):
    return doubt.why(words, name="Bertil", known=KNOWN, recalled=recalled)


class DoubtTests(unittest.TestCase):
    def test_what_it_was_shown_may_be_said(self):
        for words in (
            "At sunrise, Cilla. It costs two coppers.",
            "I think I'll go. I've time, and I'm slow.",
            "Five coppers for a horse, 2 for you.",
            "I am Bertil. My name is Bertil.",
            "Good evening. One moment, friend.",
        ):
            with self.subTest(words):
                self.assertEqual(why(words), "")

    def test_a_name_or_a_number_that_nobody_told_it_is_invented(self):
        for words in ("It goes at ten o'clock.", "It goes at 8.", "King Harold, I think, Harold."):
            with self.subTest(words):
                self.assertEqual(why(words), "it names what nobody told it")

    def test_it_is_not_somebody_else_to_itself(self):
        for words in ("Hello, Bertil.", "Bertil can row you over.", "Bertil's boat is small."):
            with self.subTest(words):
                self.assertEqual(why(words), "it speaks of itself by name")

    def test_it_knows_what_is_remembered(self):
        for words in ("I don't know, friend.", "I do not remember that.", "I'm not sure."):
            with self.subTest(words):
                self.assertEqual(why(words), "")
                found = why(words, recalled=["The ferry goes at sunrise."])
                self.assertEqual(found, "it does not know what the NPC remembers")

    def test_it_answers_with_something_of_what_is_remembered(self):
        recalled = ["i was a carpenter in kolm", "The ferry goes at sunrise."]
        found = why("Cilla was a farmer.", recalled=recalled)
        self.assertEqual(found, "it does not know what the NPC remembers")
        for words in ("Cilla was a carpenter.", "At sunrise, friend.", "Yes.", "Of course, yes."):
            with self.subTest(words):
                self.assertEqual(why(words, recalled=recalled), "")

    def test_it_is_no_helpless_assistant(self):
        for words in ("I'm sorry, friend.", "Oh, I am so sorry.", "I'll check the weather."):
            with self.subTest(words):
                self.assertEqual(why(words), "it speaks as no character does")
