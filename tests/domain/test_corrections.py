"""What counts as putting something right, and what an earlier sentence says then."""

import unittest

from evennia_ai.domain.offline import corrections

RIGHT = (
    ("My mother lives in Oakhaven.", "Sorry, she lives in Elmstead, not Oakhaven.", "My mother lives in Elmstead."),
    ("My mother lives in Oakhaven.", "no wait, she lives in Fernhill now", "My mother lives in Fernhill."),
    ("I am afraid of spiders.", "no, I meant snakes, not spiders", "I am afraid of snakes."),
    ("I work as a carpenter.", "actually I'm a mason now, not a carpenter", "I'm a mason now."),
    ("Min bror Erik är snickare.", "nej förlåt, han är fiskare", "Min bror Erik är fiskare."),
    ("I am a weaver.", "Wait, I am a dyer", "I am a dyer."),
    ("My boy is called Per, he is four.", "No, I meant he is five!", "My boy is called Per, he is five."),
    ("Jag kommer från Mariestad.", "Förlåt, jag sade fel förut: jag kommer från Hjo, inte Mariestad", "Jag kommer från Hjo."),
    ("We sail on Thursday for Porto.", "I was wrong: we sail on Saturday, not on Thursday", "We sail on Saturday for Porto."),
    ("My sister Mina sells candles there.", "Actually my sister Mina sells honey, not candles", "My sister Mina sells honey there."),
    ("I lost my dog Pepper near the mill.", "Actually Pepper is a cat, not a dog.", "I lost my cat Pepper near the mill."),
)  # fmt: skip
NOT = (
    ("I am a weaver.", "sorry, I didn't mean that"),
    ("I am a weaver.", "Sorry, I am late"),
    ("I like you.", "no, I don't like you"),
    ("My mother lives in Oakhaven.", "My sister lives in Elmstead."),
    ("My mother lives in Oakhaven.", "does she live in Elmstead, not Oakhaven?"),
    ("I come from Lund.", "Oh, I come from Lund, not Malmö"),
    ("Jag är fiskare.", "förlåt, det var dumt av mig"),
    ("I live in Oakhaven.", "I live in Elmstead now, not in Oakhaven any more"),
    ("Jag bor i Hjo.", "Jag bor i Lund nu, inte i Hjo längre"),
    ("Ich wohne in Lund.", "Ich wohne jetzt in Hjo, nicht mehr in Lund"),
)


# What is taken back, what was said before, and whether that is what is meant.
TAKEN_BACK = (
    ("It is true. I am no lord, and I lied to you.", "I am Lord Corvin of Vell.", True),
    ("I am no smith.", "My smith made this knife.", False),
    ("I'm not a lord", "The lord lives in Vell.", False),
    ("I was never in Holt.", "I come from Holt.", True),
    ("I lied about my mother.", "My mother lives in Oakhaven.", True),
    ("I lied about my mother.", "The mother of Ann lives in Oakhaven.", False),
    ("That was a lie.", "I paid the toll.", True),
    ("That was a lie.", "The toll is high.", False),
    ("Jag är ingen riddare.", "Jag är riddare från Hjo.", True),
    ("I am no lord.", "I am not a lord.", False),
    ("I am no lord.", "Well then, I lied to you: I am no lord.", False),
)


class CorrectionTests(unittest.TestCase):
    def test_an_earlier_sentence_says_what_is_right(self):
        for before, words, after in RIGHT:
            with self.subTest(words):
                self.assertEqual(corrections.applied(before, corrections.read(words)), after)

    def test_what_somebody_takes_back_is_what_they_said_of_themselves(self):
        for words, before, expected in TAKEN_BACK:
            with self.subTest(words, before=before):
                taken = corrections.taken_back(words)
                self.assertEqual(corrections.is_meant(before, taken), expected)
        for words in ("Are you no lord?", "The toll is high.", "I lied down."):
            with self.subTest(words):
                self.assertIsNone(corrections.taken_back(words))

    def test_what_puts_nothing_right_changes_nothing(self):
        for before, words in NOT:
            with self.subTest(words):
                found = corrections.read(words)
                self.assertEqual(found and corrections.applied(before, found) or "", "")
