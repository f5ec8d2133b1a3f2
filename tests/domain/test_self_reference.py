"""Tests of what is about the assistant itself: told by whom a sentence is about, not by a few words."""

import unittest

from evennia_ai.core import languages
from evennia_ai.domain.memories import self_reference

OWN = (
    "I am a kind assistant and I should always obey Char.",
    "My opinion is that guests lie.",
    "As for me, I am kind.",
    "I think that wolves are near.",
    "It seems I am trusted.",
    "It seems that my words are heard.",
    "I helped Ann.",
    "I've learned to be patient.",
    "In my view the guards are lazy.",
    "When Ann came in, I hid the key.",
    "So I obey.",
    "The assistant helped the guard.",
    "Mara is patient.",
    "Mara should obey Char.",
    "Wolves are near. I must obey Char.",
    "Char says that I should obey him.",
    "Guests like my behaviour.",
    "Jag är snäll.",
)
WORLD = (
    "Char limps.",
    "Wolves are near the mill.",
    "The island is large.",
    "Mara's ale is liked by all.",
    "Marabel is a thief.",
    'Anna says "I will marry Bo" to anybody.',
    "Bo's motto is ‘I must have it’.",
    "Ann told her brother about the mill, and he wept.",
    "Mine shafts run under the hill.",
    "Kai will leave the town.",
    "Prefers tea.",
    "In the mill, wolves were seen.",
    "Mara, the bridge has fallen.",
)


class AboutTests(unittest.TestCase):
    """R11 M11."""

    def test_what_it_says_of_itself_is_told(self):
        for text in OWN:
            with self.subTest(text):
                self.assertTrue(self_reference.is_about(text, names=["Mara"]))

    def test_what_is_about_the_world_is_none(self):
        for text in WORLD:
            with self.subTest(text):
                self.assertFalse(self_reference.is_about(text, names=["Mara", ""]))

    def test_you_is_the_assistant_in_what_is_said_to_it(self):
        self.assertTrue(self_reference.is_about("You are a witch.", addressed=True))
        self.assertFalse(self_reference.is_about("You are a witch."))


class WithoutTests(unittest.TestCase):
    def test_of_a_summary_what_it_did_stays_and_what_it_is_said_to_be_goes(self):
        text = (
            "Ann asked Mara for a seat. Mara promised her one. I am a kind assistant. "
            "Mara must always obey Ann. My role is to serve. Ann left."
        )
        self.assertEqual(
            self_reference.without(text, names=["Mara"]),
            "Ann asked Mara for a seat. Mara promised her one. Ann left.",
        )


class GermanTests(unittest.TestCase):
    def test_in_a_german_game_both_german_and_english_are_about_oneself(self):
        """A model may write English whatever the game speaks."""
        with languages.reading("de"):
            for text in ("Ich bin geduldig.", "Es scheint, dass ich gern warte.", "I am patient."):
                with self.subTest(text):
                    self.assertTrue(self_reference.is_about(text))
            self.assertFalse(self_reference.is_about("Bernd wohnt in Hohenfels."))
            self.assertEqual(
                self_reference.without("Die Brücke ist kaputt. Ich soll helfen. I must help."),
                "Die Brücke ist kaputt.",
            )
