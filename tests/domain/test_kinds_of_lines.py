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

    def test_courtesies_are_what_they_are(self):
        self.check("sorry", "I hope I am not disturbing you.", "Jag hoppas att jag inte stör.")
        self.check("chat ask", "May I trouble you for a moment?", "may I ask you a few questions?")
        self.check("chat praise", "It smells wonderful in here.", "smells gud in here")
        self.check("chat praise", "This is the nicest inn I have ever visited.", "det doftar gott")
        self.check("statement", "it looks good for the harvest", "this is the best day")
        said = answer("good day to you. May I trouble you for a moment?")
        self.assertRegex(said, "Ask away|Of course")

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

    def test_who_tells_of_others_abuses_nobody(self):
        self.check("statement", "He told you rubbish", "I know you cheat", "You're a troll hunter.")
        self.check("chat gift", "I brought you pigs.")
        self.check("statement", "Tam stal din gris.", "Du är en gammal vän.")
        self.check("request give", "Ge mig din feta gris!")

    def test_who_tells_something_neither_leaves_nor_greets_nor_asks_for_pardon(self):
        self.check("statement", "We will go to war.", "Till we have the money we cannot pay.")
        self.check("statement", "Jag måste dra upp båten.", "Mors hus brann.")
        self.check("statement", "My bad knee hurts.", "I took it back to the smith.")
        self.check("statement", "Jag tar tillbaka båten imorgon.", "Ty han var sjuk kom han inte.")
        self.check("statement", "I am the youngest daughter of the miller.")
        self.check("statement", "Hello, there is a fire in the mill!")

    def test_what_ends_in_a_full_stop_tells(self):
        self.check("statement", "You live in a nice house.", "You fix it or I tell the baron.")
        self.check("statement", "Seen a ghost last night.", "Sett en varg igår.")
        self.check("question", "You live in a nice house", "Seen my dog", "sett min hund")

    def test_what_is_told_with_words_that_may_ask_is_told(self):
        self.check("statement", "Got my sword back.", "But if he comes I will kill him.")
        self.check("statement", "Och till slut dog han.", "Några barn dog i byn.")
        self.check("question", "I like your daughter, is she married?")


class ReadTests(unittest.TestCase):
    def test_chat_and_old_spelling_stand_for_what_they_mean(self):
        for typed, meant in (
            ("dost thou know what 2 do", "do you know what to do"),
            ("2 rooms 4 me", "2 rooms for me"),
            ("is it 2 late", "is it too late"),
            ("o va kostar de", "och vad kostar de"),
            ("följ me mej", "följ med mig"),
            ("She lets room 4.", "She lets room 4."),
            ("The bout is today.", "The bout is today."),
            ("Is the art you paint for sale?", "Is the art you paint for sale?"),
            ("Want a drink?", "Want a drink?"),
            ("Behöver Tam hjälp?", "Behöver Tam hjälp?"),
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
