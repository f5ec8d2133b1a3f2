"""Which words of an assistant are a promise, and which of two are the same."""

import unittest

from evennia_ai.core import languages
from evennia_ai.domain.memories import promises


class MadeTests(unittest.TestCase):
    def test_the_sentence_that_promises_is_kept_and_no_other(self):
        for words, made in [
            ("Of course. I'll mend your pot by Friday.", ["I'll mend your pot by Friday."]),
            (
                "I promise: I speak for you at the moot.",
                ["I promise: I speak for you at the moot."],
            ),
            ("I will never forget you.", []),
            ("Shall I bring you ale? I will remember you.", []),
            ("I'll see.", []),
            ("I'll mend your roof. I promise. You have my word!", ["I'll mend your roof."]),
            ("I promise to come.", ["I promise to come."]),
            ("I'll hold you to it, stranger.", []),
            ("I will hold your horse.", ["I will hold your horse."]),
            ('Ann said "I will bring you the ledger tomorrow", and left.', []),
            ("Ann told me: I will bring you the ledger tomorrow.", []),
            ("Ann told me I will bring you the ledger tomorrow.", []),
            ("If it rains I'll mend your roof.", []),
            ("Maybe I'll mend your roof, and nothing will stop you.", []),
            ("I promise: I will speak for you.", ["I promise: I will speak for you."]),
            ("I'll pour you an ale.", []),
            ("I'll just get you a mug.", []),
            ("I'll bring you the ledger tomorrow.", ["I'll bring you the ledger tomorrow."]),
            ("Aye, I'll mend your roof.", ["Aye, I'll mend your roof."]),
        ]:
            with self.subTest(words):
                self.assertEqual(promises.made(words), made)

    def test_it_is_read_in_the_language_of_the_assistant(self):
        for code, words in [
            ("sv", "Jag ska laga din gryta."),
            ("de", "Ich werde dir den Topf flicken."),
        ]:
            with self.subTest(words), languages.reading(code):
                self.assertEqual(promises.made(words), [words])
                self.assertEqual(promises.made("Ja, ja."), [])

    def test_what_is_on_a_condition_or_done_at_once_is_none_in_swedish_and_german(self):
        for code, words in [
            ("sv", "Jag ska hämta ditt öl."),
            ("sv", "Om det regnar ska jag, jag ska laga ditt tak."),
            ("de", "Vielleicht werde ich dir den Topf flicken."),
            ("de", "Ich werde dir ein Bier holen."),
            ("sv", "Jag lovar. Du har mitt ord."),
            ("de", "Ich verspreche es. Du hast mein Wort!"),
        ]:
            with self.subTest(words), languages.reading(code):
                self.assertEqual(promises.made(words), [])


class SameTests(unittest.TestCase):
    def test_a_note_and_the_words_of_it_are_one(self):
        self.assertTrue(promises.is_same("mend Ann's pot", "I'll mend your pot by Friday, Ann."))
        self.assertFalse(promises.is_same("mend the pot", "I'll mend your shoe."))
