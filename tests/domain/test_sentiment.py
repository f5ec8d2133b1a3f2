"""How a line takes what was said before it."""

import unittest

from evennia_ai.core import languages
from evennia_ai.domain import sentiment


class ToneTests(unittest.TestCase):
    def check(self, rows):
        for text, expected in rows:
            with self.subTest(text):
                self.assertEqual(sentiment.of_words(text, names=["Bram"]), expected)

    def test_whoever_gives_in_or_is_grateful_is_glad_of_it(self):
        self.check(
            [
                ("Sorry, you are right.", 0.6),
                ("You're quite right, Bram.", 0.6),
                ("Forgive me, Bram.", 0.6),
                ("Thank you, Bram!", 0.6),
                ("Fair enough.", 0.6),
                ("Deal.", 0.6),
                ("All right, I will calm down.", 0.6),
                ("You are wonderful, Bram.", 0.8),
                ("Du har rätt.", 0.6),
                ("Tack så mycket.", 0.6),
            ]
        )

    def test_whoever_sends_you_off_is_not(self):
        self.check(
            [
                ("Get lost!", -1.0),
                ("Go away, Bram.", -1.0),
                ("Shut your mouth!", -1.0),
                ("You are a fool, Bram.", -1.0),
                ("You will regret this.", -1.0),
                ("Försvinn!", -1.0),
                ("Forget it.", -0.5),
                ("Thanks for nothing.", -0.5),
                ("That is no help.", -0.5),
                ("Nej.", -0.3),
            ]
        )

    def test_anger_outweighs_good_words_beside_it(self):
        self.check([("Sorry, but get lost.", -1.0), ("You are right, and you will regret it.", -1)])

    def test_what_says_nothing_of_it_is_neither(self):
        self.check(
            [
                ("", 0.0),
                ("Hello, Bram.", 0.0),
                ("Where is the mill?", 0.0),
                ("The bridge is out.", 0.0),
                ("I'm not sorry.", 0.0),
                ("You are right here, then.", 0.0),
                ("You are not right.", 0.0),
                ("I'll deal the cards now.", 0.0),
                ("!" * 5000, 0.0),
            ]
        )

    def test_small_words_count_a_little(self):
        self.check([("Yes.", 0.3), ("Haha!", 0.2), ("No.", -0.3)])


class BlowTests(unittest.TestCase):
    def test_who_is_struck_is_told_by_whom_the_blow_meets(self):
        for name, deed, expected in (
            ("Mara", "kicks Mara", True),
            ("Mara", "*kicks mara*", True),
            ("Mara", "slaps you hard", True),
            ("Mara", "slår Mara", True),
            ("Mara", "Bob hits Mara in the face.", True),
            ("Mara", "kicks Mara's shin", True),
            ("Mara", "smiles, then kicks your left shin", True),
            ("Mara", "spits at Mara", True),
            ("Mara", "Bob sparkar Maras hund.", True),
            ("Mara", "Bob slår till dig.", True),
            ("Mara", "gives Mara a slap", True),
            ("Mara", "Bob gives you a hard kick.", True),
            ("Mara", "Bob lands a punch on Mara.", True),
            ("Mara", "Bob ger Mara en örfil.", True),
            ("Mara", "gives Mara a hug", False),
            ("Mara", "gives Bob a slap and smiles at Mara", False),
            ("Mara", "pretends to hit Mara", False),
            ("Mara", "Bob pretends to playfully slap Mara.", False),
            ("Mara", "almost hits Mara", False),
            ("Mara", "Bob låtsas slå Mara.", False),
            ("Mara", "Bob slår nästan Mara.", False),
            ("Ann", "Bob hits Anna.", False),
            ("Mara", "Bob does not hit Mara.", False),
            ("Mara", "Bob doesn't even kick Mara.", False),
            ("Mara", "Bob hits Joe. Mara laughs.", False),
            ("Mara", "Bob slaps Mara's friend Joe on the back.", False),
            ("Mara", "Bob hits the road. Farewell, Mara!", False),
            ("Mara", "Bob hits it off with Mara.", False),
            ("Mara", "Bob punches the air and beams at Mara.", False),
            ("Mara", "*kicks the ball to you*", False),
            ("Mara", "pushes Mara a mug", False),
            ("Mara", "Mara hits Bob.", False),
            ("Mara", "Bob slår inte Mara.", False),
            ("Mara", "Bob slår Maras vän Jon på ryggen.", False),
            ("Mara", "Bob slår sig ner hos Mara.", False),
            ("Mara", "Bob sparkar bollen till dig.", False),
        ):
            with self.subTest(deed), languages.reading("sv"):
                self.assertIs(sentiment.is_blow(deed, [name]), expected)

    def test_a_blow_that_meets_another_is_no_gesture_to_answer(self):
        for deed, expected in (
            ("kicks Mara", "hit"),
            ("Bob hits the road.", ""),
            ("Bob hits the drum and waves.", "wave"),
        ):
            with self.subTest(deed):
                self.assertEqual(sentiment.gesture(deed, ["Mara"]), expected)
