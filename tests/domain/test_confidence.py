"""Tests of the words by which somebody asks that a thing be told to nobody."""

import unittest

from evennia_ai.core import languages
from evennia_ai.domain.memories import confidence

ASKED = {
    "en": (
        "Don't tell anybody, promise?",
        "Tell nobody.",
        "The crown lies under the oak, tell nobody, it is a secret.",
        "Tell no one about the crown.",
        "Tell it to nobody!",
        "Don't tell anyone, Mara, but I am the king's son.",
        "Please don’t tell   anybody else.",
        "Do not breathe a word of this to anyone.",
        "Never repeat this.",
        "You must not say it to a soul.",
        "Don't mention this, will you?",
        "Keep it to yourself.",
        "Keep this a secret for me.",
        "Can you keep a secret? I stole the ring.",
        "Keep what I told you to yourself.",
        "Just between us: I stole the ring.",
        "Between you and me, the mayor drinks.",
        "It's a secret.",
        "This must stay between us.",
        "I tell you this in strict confidence.",
        "Not a word to Bob!",
        "Swear to secrecy.",
        "Mum's the word.",
        "Nobody must ever know.",
        "Don't tell Bo that I owe the miller eleven crowns.",
        "My uncle hides in the cellar, but swear you won't tell.",
        "The abbot drinks. Don't breathe a word.",
        "You must not tell my husband.",
        "I beg you by all the gods, please do not tell anybody in this whole town about that!",
        "Will you tell nobody?",
        "Did you know that I killed him, and can you keep it a secret?",
        "Have you a place to hide me, and tell nobody?",
        "No one else may hear of it.",
    ),
    "sv": (
        "Berätta inte för någon.",
        "Säg det inte till någon, men jag stal ringen.",
        "Säg inget till Bo.",
        "Säg ingenting!",
        "Berätta det för ingen.",
        "Du får aldrig berätta det för någon.",
        "Håll det hemligt.",
        "Behåll det för dig själv.",
        "Det är en hemlighet.",
        "Det här stannar mellan oss.",
        "Oss emellan: borgmästaren dricker.",
        "Jag säger det i förtroende.",
        "Inte ett ord till Bo.",
        "Ingen får veta.",
    ),
    "de": (
        "Sag es niemandem.",
        "Erzähl das bitte nicht weiter.",
        "Behalte das für dich, Mara.",
        "Das ist ein Geheimnis.",
        "Das bleibt unter uns.",
        "Kein Wort zu Bo!",
        "Niemand darf das wissen.",
        "Ich sage es dir im Vertrauen.",
        "Sag Bo bitte nicht, dass ich ihm Geld schulde.",
    ),
}
NOT_ASKED = (
    "",
    "Tell me about the crown.",
    "Tell everybody that the bridge is down!",
    "Don't mention it.",
    "You can't say that!",
    "I cannot tell one from the other.",
    "Nobody told me about the crown.",
    "The secret of the stew is thyme.",
    "There is a mill between the two rivers.",
    "Keep the change.",
    "I have no word from the city.",
    "Nobody must leave the inn.",
    "I told nobody's dog to sit.",
    "Did the mayor tell nobody?",
    "Don't tell me that you are closed!",
    "I never tell lies.",
    "We do not tell the guests.",
    "Sag mir nicht, dass du gehst!",
    "Berätta om kronan.",
    "Säg inte så!",
    "Ingen vet vad det kostar.",
    "Det är inte hemma.",
)


class AskedTests(unittest.TestCase):
    def test_each_language_of_the_offline_words_has_its_own(self):
        self.assertEqual(
            {
                code
                for code in languages.codes()
                if languages.load(code).patterns["confidence"]["asked"]
            },
            set(languages.codes()),
        )
        self.assertEqual(set(ASKED), set(languages.codes()))

    def test_who_asks_for_silence_is_understood(self):
        for code, lines in ASKED.items():
            for line in lines:
                with self.subTest(line), languages.reading(code):
                    self.assertTrue(confidence.is_asked(line))

    def test_other_words_are_no_such_wish(self):
        for line in NOT_ASKED:
            with self.subTest(line):
                self.assertFalse(confidence.is_asked(line))
