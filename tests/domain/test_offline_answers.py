"""Answers without a model: the line that surely fits, told as what it is, else "I don't know"."""

import unittest

from evennia_ai.core import languages
from evennia_ai.domain.offline import mind, ranking

LORE = [
    "The ale here is brewed by old Tam, in the mill below the ford.",
    "A bed costs three coppers a night, and breakfast is one more.",
    "The ferry crosses the river at noon and at dusk.",
    "My cat is called Comma and sleeps on the deeds.",
]
UNKNOWN = [line.format(name="Ann") for line in languages.phrase("en", "unknown")]
PERSONA = "You are Mara, the innkeeper of the Lantern."


def memory(text, by="", kind="", **more):
    return {"text": text, "by": by, "kind": kind or ("said" if by else "journal"), **more}


def said(text, *, persona=PERSONA, lore=LORE, memories=(), tools=(), **context):
    """What Mara answers to Ann."""
    event = {"kind": "say", "text": text, "actor_name": "Ann"}
    scene = {
        "npc": {"name": "Mara", "persona": persona},
        "event": event,
        "speaker": {"name": "Ann"},
        "place": "The Lantern",
        "lore": lore,
        "memories": list(memories),
        **context,
    }
    return mind.respond(scene, tools=tools).text


class LoreTests(unittest.TestCase):
    def test_a_question_is_answered_by_the_line_that_fits_word_for_word(self):
        for text, expected in (
            ("Who brews the ale?", LORE[0]),
            ("how much is a bed", LORE[1]),
            ("Mara, when does the ferry cross?", LORE[2]),
            ("tell me about your cat", LORE[3]),
            ("What do you sell?", LORE[1]),
        ):
            with self.subTest(text):
                self.assertEqual(said(text), expected)

    def test_nothing_is_told_that_only_shares_a_verb_or_lacks_the_price(self):
        for text in (
            "where can i sleep tonight?",
            "How much does the ale cost?",
            "Who is the captain of the watch?",
            "is there a dragon in the ford of the north?",
        ):
            with self.subTest(text):
                self.assertIn(said(text), UNKNOWN)

    def test_of_two_questions_the_first_that_is_known_is_answered(self):
        self.assertEqual(said("Who is the king? And when does the ferry cross?"), LORE[2])
        self.assertEqual(said("Who brews the ale, and when does the ferry cross?"), LORE[0])

    def test_a_question_about_a_secret_is_like_one_about_nothing(self):
        self.assertEqual(said("Where is the silver key?"), said("Where is the silver key?"))
        self.assertIn(said("Where is the silver key?"), UNKNOWN)


class MemoryTests(unittest.TestCase):
    def test_words_of_others_are_quoted_with_their_name(self):
        bridge = memory("the bridge was washed away", "Bob")
        self.assertIn(
            said("what do you know about the bridge?", memories=[bridge]),
            [
                'Bob told me: "the bridge was washed away"',
                'I have it from Bob: "the bridge was washed away"',
            ],
        )
        rumour = {**bridge, "heard": "rumour"}
        self.assertEqual(
            said("what do you know about the bridge?", memories=[rumour]),
            'It is only a rumour, from Bob: "the bridge was washed away"',
        )

    def test_what_somebody_told_of_themselves_is_told_as_theirs(self):
        sister = memory("My sister is called Mabel.", "Ann")
        self.assertIn("Mabel", said("what is my sister called?", memories=[sister]))
        self.assertIn(said("what is your sister called?", memories=[sister]), UNKNOWN)
        self.assertIn("Mabel", said("what do you know about me?", memories=[sister]))

    def test_a_question_that_was_heard_is_no_answer(self):
        asked = memory("what do you know about the mill?", "Bob")
        self.assertIn(said("what do you know about the mill?", lore=[], memories=[asked]), UNKNOWN)


class OwnTests(unittest.TestCase):
    def test_she_says_who_and_where_she_is(self):
        self.assertEqual(said("who are you?"), "I am Mara, the innkeeper of the Lantern.")
        self.assertEqual(
            said("who are you?", persona="Mara is the innkeeper. She hates rain."),
            "I am Mara, the innkeeper.",
        )
        self.assertEqual(said("where am I?"), "This is The Lantern, Ann.")

    def test_she_says_her_name_alone_where_her_description_speaks_of_others(self):
        for persona in ("A gruff innkeeper.", "You are Mara, who trusts you.", ""):
            with self.subTest(persona):
                self.assertEqual(said("who are you?", persona=persona), "I am Mara.")

    def test_what_is_meant_to_be_a_secret_is_not_told(self):
        for written in (
            "Mara is secretly a spy for the duke.",
            "Mara is a smuggler, but nobody knows.",
            "You are Mara, in truth a witch.",
            "Mara is actually the heir of Ravenhall.",
        ):
            with self.subTest(written):
                self.assertEqual(said("who are you?", persona=written), "I am Mara.")

    def test_a_secret_is_not_owned_to_either(self):
        persona = "Mara weaves carpets. Mara is secretly a spy for the duke. The duke pays her."
        for asked in ("are you a spy?", "do you spy for the duke?", "who pays you?"):
            with self.subTest(asked):
                self.assertIn(said(asked, persona=persona), UNKNOWN)


class BestTests(unittest.TestCase):
    def test_the_line_is_told_with_how_sure_it_is(self):
        line, score = ranking.best("Who brews the ale?", LORE)
        self.assertEqual(line, LORE[0])
        self.assertGreater(score, 0.9)
        self.assertEqual(ranking.best("and?", LORE), ("", 0.0))
        for asked in ("is there a dragon?", "who is the king?"):
            with self.subTest(asked):
                self.assertLess(ranking.best(asked, LORE)[1], ranking.SURE)

    def test_a_short_question_goes_on_about_the_line_before(self):
        asked, before = "and who makes it?", "Do you have any ale?"
        self.assertLess(ranking.best(asked, LORE)[1], ranking.SURE)
        line, score = ranking.best(asked, LORE, before=before)
        self.assertEqual((line, score >= ranking.SURE), (LORE[0], True))

    def test_of_equal_lines_the_first_wins(self):
        self.assertEqual(
            ranking.best("the ale", ["Ale is cheap.", "Ale is good."])[0], "Ale is cheap."
        )


class SureTests(unittest.TestCase):
    def test_rules_answer_a_weak_model_where_it_would_promise_or_misquote(self):
        def sure(text, **context):
            event = {"kind": "say", "text": text, "actor_name": "Ann"}
            return mind.is_sure({"npc": {"name": "Mara"}, "event": event, "lore": LORE, **context})

        self.assertTrue(sure("follow me"))
        self.assertFalse(sure("who is the king?"))
        self.assertFalse(sure("the bridge fell", memories=[]))
        self.assertTrue(sure("what about the bridge?", memories=[memory("the bridge fell", "Bob")]))
        self.assertFalse(sure("who brews the ale?"))
        self.assertFalse(sure("Hello, Mara!"))
