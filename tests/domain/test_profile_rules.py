"""Tests of lasting knowledge of a person that is made by rules."""

import unittest

from evennia_ai.domain.sleeping import profile_rules


def drawn(*contents, known=(), background=(), hearsay=()):
    return profile_rules.draw(
        {
            "name": "Anna",
            "listener": "Mara",
            "observations": [
                {"id": number, "content": content, "is_hearsay": number in hearsay}
                for number, content in enumerate(contents, 1)
            ],
            "known": list(known),
            "background": list(background),
        }
    )


def fact(value, *, number=1, kind="preference", evidence=(90,)):
    return {"id": number, "type": kind, "value": value, "evidence": list(evidence)}


class DrawTests(unittest.TestCase):
    # What is observed, and {type: value} of what comes of it.
    TABLE = (
        (["Says: I love tea."], {"preference": "Loves tea"}),
        (["Says: I like tea.", "Says: I like tea!"], {"preference": "Is very fond of tea"}),
        (["Prefers tea.", "Ordered tea."], {"preference": "Strongly prefers tea"}),
        (
            ["Says: I love my sister.", "Says: I really love my sister."],
            {"preference": "Is very fond of their sister"},
        ),
        (["Says: I hate cats.", "Says: I dislike cats"], {"preference": "Actively dislikes cats"}),
        (["Says: I never drink coffee."], {"preference": "Never drinks coffee"}),
        # Change, majority, and the latest where both are as many.
        (
            ["Says: I used to love tea, now I prefer ale."],
            {"preference": "Prefers ale, used to love tea"},
        ),
        (
            ["Says: I like tea.", "Says: I like tea.", "Says: I dislike tea."],
            {"preference": "Is very fond of tea"},
        ),
        (["Says: I like tea.", "Says: I dislike tea."], {"preference": "Dislikes tea"}),
        (
            ["Says: I like tea.", "Says: I like tea.", "Says: I no longer like tea."],
            {"preference": "No longer cares for tea"},
        ),
        (["Says: I live in the mill.", "Says: I live at court."], {"home": "Lives at court"}),
        (["Says: call me Bo", "Says: I can swim"], {"name": "Is called Bo", "skill": "Can swim"}),
        (["Smiled at Bo.", "Came in."], {}),
        ([], {}),
    )

    def test_what_observations_come_to(self):
        for contents, expected in self.TABLE:
            with self.subTest(contents):
                found = drawn(*contents)
                self.assertEqual({one["type"]: one["value"] for one in found}, expected)

    def test_three_observations_of_tea(self):
        """E41: the attribute of the source by rules, from plainer words, citing each of the three."""
        self.assertEqual(
            drawn("Ordered tea.", "Asked for tea again.", "Says: I really don't like coffee."),
            [
                {
                    "type": "preference",
                    "value": "Strongly prefers tea, actively dislikes coffee",
                    "evidence": [1, 2, 3],
                    "replaces": [],
                }
            ],
        )

    def test_only_what_agrees_is_evidence(self):
        [found] = drawn("Says: I live in the mill.", "Came in.", "Says: I live at court now.")
        self.assertEqual(found["evidence"], [3])

    def test_the_weightiest_four_make_the_value(self):
        foods = ("cake", "ham", "eel", "pie", "jam")
        contents = [f"Says: I like {food}." for food in foods]
        [found] = drawn(*contents, "Says: I like cake.")
        self.assertEqual(found["value"], "Is very fond of cake, likes jam, likes pie, likes eel")


class HearsayTests(unittest.TestCase):
    def test_what_only_others_say_is_reported(self):
        [found] = drawn("Cole says: Anna hates cats.", hearsay=[1])
        self.assertEqual(found["value"], "Reportedly hates cats")

    def test_own_words_weigh_more_than_any_number_of_others(self):
        heard = ["Cole says: Anna hates cats."] * 3
        [found] = drawn(*heard, "Says: I love cats.", hearsay=[1, 2, 3])
        self.assertEqual((found["value"], found["evidence"]), ("Loves cats", [4]))


class KnownTests(unittest.TestCase):
    def test_what_is_new_is_joined_to_what_is_known(self):
        known = fact("Strongly prefers tea, actively dislikes coffee", evidence=[7, 8])
        [found] = drawn("Says: I like rain.", known=[known])
        self.assertEqual(
            found,
            {
                "type": "preference",
                "value": "Strongly prefers tea, likes rain, actively dislikes coffee",
                "evidence": [1, 7, 8],
                "replaces": [1],
            },
        )

    def test_a_change_changes_the_part_that_it_is_about(self):
        known = fact("Strongly prefers tea, actively dislikes coffee")
        [found] = drawn("Says: I used to love tea, now I prefer ale.", known=[known])
        self.assertEqual(found["value"], "Prefers ale, actively dislikes coffee, used to love tea")

    def test_what_the_rules_cannot_read_is_left_alone(self):
        known = fact("Strongly prefers tea, for reasons of her own")
        [found] = drawn("Says: I like rain.", known=[known])
        self.assertEqual((found["value"], found["replaces"]), ("Likes rain", []))

    def test_what_nobody_spoke_of_stays_as_it_is(self):
        self.assertEqual(drawn("Came in.", known=[fact("Likes tea")]), [])

    def test_what_everybody_knows_is_not_said_once_more_in_a_whisper(self):
        tea = {"type": "preference", "value": "Likes tea, dislikes eel"}
        self.assertEqual(drawn("Says: I love tea.", background=[tea]), [])
        [found] = drawn("Says: I hate tea.", background=[tea])
        self.assertEqual(found["value"], "Hates tea")
        home = {"type": "home", "value": "Lives in the mill"}
        [found] = drawn("Says: I live at court.", background=[home])
        self.assertEqual(found["value"], "Lives at court")


class ThemeTests(unittest.TestCase):
    SHEEP = (
        "Says: The dragon took my sheep.",
        "Says: I saw the dragon again.",
        "Says: A dragon sleeps in the hills.",
    )

    def test_what_somebody_keeps_coming_back_to(self):
        self.assertEqual(
            drawn(*self.SHEEP),
            [
                {
                    "type": "theme",
                    "value": "Often talks of the dragon",
                    "evidence": [1, 2, 3],
                    "replaces": [],
                }
            ],
        )

    def test_twice_is_not_often(self):
        self.assertEqual(drawn(*self.SHEEP[:2]), [])

    def test_what_somebody_likes_is_no_theme_besides(self):
        found = drawn("Says: I like tea.", "Says: I love tea.", "Ordered tea.")
        self.assertEqual([one["type"] for one in found], ["preference"])

    def test_names_and_words_without_weight_are_none(self):
        found = drawn("Anna is an old friend.", "Anna met an old man.", "Anna has an old hat.")
        self.assertNotIn("theme", [one["type"] for one in found])
