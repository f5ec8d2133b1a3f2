"""The SQLite store and the ranking without a store, in several languages."""

import unittest

from evennia_ai.core import words
from evennia_ai.domain.memories import retrieval
from tests.semantic.cases import SemanticTestCase
from tests.semantic.inflections import InflectionContract, pairs, speak


class DataTests(unittest.TestCase):
    def test_each_language_has_twenty_lines(self):
        self.assertEqual(
            {language: len(listed) for language, listed in pairs().items()},
            dict.fromkeys(("en", "sv", "de", "es", "fr", "fi", "zh", "ja"), 20),
        )

    def test_no_question_repeats_a_form_of_its_line(self):
        for language in ("en", "sv", "de", "es", "fr", "fi"):
            for line, question in pairs()[language]:
                both = set(words.words(line)) & set(words.words(question))
                self.assertEqual(words.telling(both, language), [], question)


class StoreTests(InflectionContract, SemanticTestCase):
    """The store in a file."""


class RankTests(unittest.TestCase):
    def missed(self, language):
        lines = [line for line, _ in pairs()[language]]
        return [
            question
            for index, (_, question) in enumerate(pairs()[language])
            if [place for place, _ in retrieval.rank(question, lines, limit=1)] != [index]
        ]

    def test_questions_find_their_lines_in_the_language_of_the_game(self):
        for language in pairs():
            with self.subTest(language):
                speak(self, language)
                self.assertEqual(self.missed(language), [])

    def test_questions_find_their_lines_in_a_game_of_another_language(self):
        for language in pairs():
            with self.subTest(language):
                self.assertEqual(self.missed(language), [])
