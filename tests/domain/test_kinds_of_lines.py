"""What kind of line it is: lines of lazy players, and the same in other words, by example."""

import unittest

from evennia_ai.core.spelling import spelled_out
from evennia_ai.domain.offline import utterances, voice
from tests.domain.small_talk_scene import answer


def kind_of(text):
    """Return what is said to Bree, as `kind topic`."""
    found = utterances.classify(text, names=("Bree",))
    return f"{found.kind} {found.topic}".strip()


class KindTests(unittest.TestCase):
    def check(self, expected, *lines):
        for line in lines:
            with self.subTest(line):
                self.assertEqual(kind_of(line), expected)

    def test_who_leaves_out_the_verb_or_the_mark_asks(self):
        self.check("question", "Bree, u a wizard", "ur a pirate right", "u scared of goblins")
        self.check("question", "he dead", "this ur shop", "u got potions", "u sell swords")
        self.check("question", "do kids pay too", "anything 2 eat here", "need a room 4 2nite")
        self.check("chat work", "Behöver du hjälp?")
        self.check("question", "du gift", "du är pirat eller", "nåt att äta här", "e du härifrån")

    def test_who_asks_the_same_of_something_else_asks(self):
        self.check("question", "and for fever", "and magnets", "n when do they open")
        self.check("question", "and if i cant pay", "but if we come late")
        self.check("question", "o ålen då", "och för barn", "och om jag inte kan betala")
        self.check("statement", "och om det regnar stannar vi inne", "och sen gick han hem")

    def test_words_of_leaving_are_a_farewell(self):
        self.check("farewell", "k bye", "k thx bye", "Fare thee well!", "im outta here")
        self.check("farewell", "aja hejdå", "okej tack hejdå", "tack o hej")

    def test_words_of_meeting_are_a_greeting(self):
        self.check("greeting", "sup cap", "Ho, Captain!", "good morrow", "tjabba")

    def test_who_is_sorry_says_so_in_many_words(self):
        self.check("sorry", "lol sry", "sry i was rude b4", "my bad", "that was mean of me")
        self.check("sorry", "äh förlåt", "det var dumt av mig", "jag menade inget illa")

    def test_who_is_grateful_says_so_in_many_words(self):
        self.check("thanks", "I am most grateful for your help", "I thank thee", "i owe you one")
        self.check("thanks", "much appreciated", "jag är så tacksam", "vad snällt av dig")

    def test_praise_and_abuse_are_told_by_their_adjectives(self):
        self.check("chat praise", "I think you are a very fair man", "you have a kind heart")
        self.check("chat praise", "Ni är en klok kvinna, Bree.")
        self.check(
            "chat insult", "youre a dusty old robot", "you rusty bucket", "now go, you cheat"
        )
        self.check("chat insult", "du luktar ruttet din gamla häxa")
        self.check("statement", "jag såg din gris", "you are my friend")

    def test_what_is_behind_an_exclamation_counts(self):
        self.check("question", "How dreadful. Who gave her away?", "Vad hemskt. Vem gjorde det?")
        self.check("chat wonder", "How tragic!", "how very interesting")
        self.check("question", "how deep", "how far")
        self.check("statement", "You know what, I saw a whale", "Vet du vad, jag såg en val")

    def test_a_boast_is_no_news(self):
        self.check("chat aside", "I could lift three of those!", "I fear neither bog nor ghost.")
        self.check("statement", "I will slay the dragon")


class ReadTests(unittest.TestCase):
    def test_chat_and_old_spelling_stand_for_what_they_mean(self):
        for typed, meant in (
            ("dost thou know what 2 do", "do you know what to do"),
            ("2 rooms 4 me", "2 rooms for me"),
            ("is it 2 late", "is it too late"),
            ("o va kostar de", "och vad kostar de"),
            ("följ me mej", "följ med mig"),
        ):
            with self.subTest(typed):
                self.assertEqual(spelled_out(typed), meant)

    def test_what_was_done_beside_words_is_not_quoted(self):
        self.assertEqual(voice.quoted("*strides in* I am Ragnar."), "I am Ragnar.")
        self.assertEqual(voice.quoted("*strides in*"), "*strides in*")

    def test_something_that_was_told_of_is_what_is_asked_for(self):
        lost = "Something valuable burned down by the river, I hear. What was it?"
        self.assertIn("old mill", answer(lost))

    def test_a_loss_that_is_told_gets_sympathy(self):
        for told in ("I lost my own mother last spring.", "My brother was slain by trolls."):
            with self.subTest(told):
                self.assertRegex(answer(told), "sorry|alone|grief|listening|day")
