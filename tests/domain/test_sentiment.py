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
    def test_a_blow_is_one_that_meets_the_npc(self):
        for deed, expected in (
            ("kicks Mara", True),
            ("*kicks mara*", True),
            ("slaps you hard", True),
            ("slår Mara", True),
            ("Bob hits poor old Mara in the face.", True),
            ("spits at Mara", True),
            ("gives Mara a hug", False),
            ("hits Anna", False),
            ("slaps Mara's friend Joe on the back.", False),
            ("hits the road. Farewell, Mara!", False),
            ("kicks the ball to Bob", False),
            ("pushes Mara a mug", False),
        ):
            with self.subTest(deed), languages.reading("sv"):
                self.assertIs(sentiment.is_blow(deed, ["Mara"]), expected)

    def test_a_blow_that_meets_another_is_no_gesture_to_answer(self):
        for deed, expected in (
            ("kicks Mara", "hit"),
            ("Bob hits the road.", ""),
            ("Bob hits the drum and waves.", "wave"),
        ):
            with self.subTest(deed):
                self.assertEqual(sentiment.gesture(deed, ["Mara"]), expected)
