"""What strangers say in their own words, answered without a model: classes of lines, by example."""

import unittest

from evennia_ai.domain.offline import corrections
from tests.domain.small_talk_scene import answer

BAKER = {"name": "Hanna", "persona": "Hanna is the baker of Millbrook."}
LORE = (
    "A loaf of rye costs three pennies and a wheat loaf five.",
    "Hanna gets up at three in the morning to light the oven.",
    "The flour comes from Gil's mill, a mile up the brook.",
    "Honey buns are a penny each, seven for six pennies.",
    "Hanna has twin boys, Tam and Will.",
    "The bakery is closed on Sundays.",
    "Every cart pays a toll of four pence.",
    "The road south is flooded until the moon wanes.",
    "There is a reward of fifty crowns for the outlaw called Red Jenny.",
    "A riding horse can be hired for ten silvers a day.",
    "Stabling costs two silvers a night.",
    "The oldest map in the hall shows an island that nobody has found.",
    "A storm sank three ships off Gull Point.",
    "Hanna was a soldier until an arrow took her left eye.",
    "The food is barley porridge.",
    "A sea serpent was seen off Skerry Rock.",
    "A dress for a ball takes a fortnight.",
    "Mending a tear costs a silver.",
    "The grey mare Thistle kicks strangers.",
)


def theirs(text, by="Ann"):
    return {"text": text, "by": by, "kind": "said", "timestamp": "2025-01-01T00:00:00Z"}


TOLD = [
    theirs("My cousin Lotte is getting married on Friday."),
    theirs("I found a bottle on the beach."),
    theirs("My brother Garrick is locked up here for debt."),
    theirs("I am looking for a cat called Misse."),
]


def said(text):
    return answer(text, npc=BAKER, lore=list(LORE), memories=TOLD)


class LoreTests(unittest.TestCase):
    def test_what_is_asked_for_is_told(self):
        for asked, expected in (
            ("who are you getting your flour from?", "Gil's mill"),
            ("who's this Gil everyone talks about?", "Gil's mill"),
            ("got any kids?", "twin boys"),
            ("are you open tomorrow?", "closed on Sundays"),
            ("What must I pay to bring my cart through?", "four pence"),
            ("What's the bounty on Red Jenny now?", "fifty crowns"),
            ("is the road to the south passable?", "flooded"),
            ("What does it cost to leave my horse here overnight?", "two silvers"),
            ("i'll have seven honey buns then", "a penny each"),
            ("when's lotte's wedding again?", "on Friday"),
            ("Is there any sea monster round here?", "serpent"),
            ("How did you lose the eye?", "an arrow"),
            ("what do you feed them?", "porridge"),
            ("Would a dress be ready in time?", "a fortnight"),
            ("could you fix this sleeve?", "Mending a tear costs a silver."),
            ("Which crime is my brother in here for?", "for debt"),
            ("What was my name again, do you remember?", "Ann"),
            ("Do you remember what I found on the beach?", "a bottle"),
        ):
            with self.subTest(asked):
                self.assertIn(expected, said(asked))

    def test_a_verb_that_says_little_is_no_reason_to_tell_something(self):
        self.assertNotIn("oven", said("who are you getting your salt from?"))

    def test_what_another_did_is_not_what_the_npc_ever_did(self):
        self.assertNotIn("storm", said("you ever been on a ship?"))
        self.assertNotIn("storm", said("you ever been on a ship"))

    def test_who_asks_for_a_sign_of_something_is_not_told_that_they_seek_it(self):
        self.assertNotIn("looking", said("have you seen my cat anywhere?"))
        self.assertIn("looking", said("what am I looking for?"))

    def test_how_something_is_done_is_told_by_nothing_that_was_told_before(self):
        self.assertRegex(said("How would one get him out?"), "mean|asking|other words")

    def test_what_will_be_is_not_told_by_a_word_alone(self):
        self.assertNotIn("porridge", said("Will it feed?"))
        self.assertNotIn("fortnight", said("would you take another one on?"))

    def test_leave_for_something_is_not_given_by_what_is_like_it(self):
        self.assertNotIn("horse", said("may I pet that grey one?"))


class PassingTests(unittest.TestCase):
    def test_short_greetings_are_greetings(self):
        for greeting in ("ahoy", "Morning, Hanna!", "Evening."):
            with self.subTest(greeting):
                self.assertRegex(said(greeting), "Hello|Well met|Greetings")

    def test_questions_of_the_day_have_a_line_of_the_day(self):
        for asked, expected in (
            ("long day?", "work"),
            ("how's the baking?", "work|complain"),
            ("Are you happy with your job?", "faring|complain|company"),
            ("why so tired today?", "long day|say so"),
        ):
            with self.subTest(asked):
                self.assertRegex(said(asked), expected)


class EmptyTests(unittest.TestCase):
    def test_a_memory_without_words_is_no_fact(self):
        self.assertRegex(
            answer("what is the mill?", npc=BAKER, lore=[], memories=[theirs("")]), "Ann"
        )


class CorrectionTests(unittest.TestCase):
    def test_it_was_another_number(self):
        put = corrections.read("Sorry, it was fifty crowns, not forty.")
        self.assertEqual(
            corrections.applied("I won forty crowns at dice.", put), "I won fifty crowns at dice."
        )

    def test_what_only_denies_puts_nothing_right(self):
        for words in ("I hope I am not disturbing you.", "Sorry, I am not from here."):
            with self.subTest(words):
                self.assertIsNone(corrections.read(words))

    def test_a_correction_keeps_one_article_and_no_word_twice(self):
        put = corrections.read("No, sorry, I meant the right foreleg, not the left.")
        self.assertEqual(
            corrections.applied("My mule is lame in the left foreleg.", put),
            "My mule is lame in the right foreleg.",
        )
