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
            (
                "I promise you the first verse. To you I swear it.",
                ["I promise you the first verse."],
            ),
            ("Tomorrow, then. To you I swear it!", []),
            (
                "I forgot the loaves. Tomorrow, I promise.",
                ["I forgot the loaves. Tomorrow, I promise."],
            ),
            ("Will you come? Tomorrow, I promise.", []),
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
            ("sv", "Dig lovar jag det."),
            ("de", "Dir schwöre ich es."),
        ]:
            with self.subTest(words), languages.reading(code):
                self.assertEqual(promises.made(words), [])


class DayTests(unittest.TestCase):
    """After how many days something is due, on a Wednesday."""

    def test_a_day_is_told_by_its_name_or_by_how_far_off_it_is(self):
        for code, words, days in [
            ("en", "I'll bring it today.", 0),
            ("en", "I'll bring it tomorrow.", 1),
            ("en", "I'll bring it the day after tomorrow.", 2),
            ("en", "I'll bring it in three days.", 3),
            ("en", "I'll bring it within 2 weeks.", 14),
            ("en", "On Friday I will bring you barley.", 2),
            ("en", "I'll bring it on Tuesday.", 6),
            ("en", "I'll bring it on Wednesday.", 7),
            ("en", "I'll bring it on your birthday.", None),
            ("en", "I'll lend it to you for three days.", None),
            ("en", "I'll bring it in some days.", None),
            ("de", "Ich bringe es übermorgen.", 2),
            ("de", "Am Freitag bringe ich es.", 2),
            ("de", "Ich bringe es in einer Woche.", 7),
            ("sv", "Jag tar med det i övermorgon.", 2),
            ("sv", "Jag tar med det på fredag.", 2),
            ("sv", "Jag tar med det om två veckor.", 14),
        ]:
            with self.subTest(words), languages.reading(code):
                self.assertEqual(promises.days_until(words, weekday=2), days)

    def test_without_a_calendar_nobody_knows_how_far_off_a_friday_is(self):
        self.assertIsNone(promises.days_until("I'll bring it on Friday."))


class SameTests(unittest.TestCase):
    def test_a_note_and_the_words_of_it_are_one(self):
        self.assertTrue(promises.is_same("mend Ann's pot", "I'll mend your pot by Friday, Ann."))
        self.assertFalse(promises.is_same("mend the pot", "I'll mend your shoe."))
