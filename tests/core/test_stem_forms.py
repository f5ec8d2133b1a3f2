"""Spellings of a stem: whatever form of it a text has, the database finds the text."""

import sqlite3
import unicodedata
from importlib.resources import files
from unittest.mock import patch

import numpy
from twisted.trial.unittest import SynchronousTestCase

from evennia_ai.core import stem_forms, words
from evennia_ai.core.word_tables import IRREGULAR


def vocabulary(language):
    """Return words of a language, with irregular ones; of English not all, as there are 24,000."""
    if language == "en":
        with numpy.load(files("evennia_ai.core") / "builtin_words.npz") as kept:
            found = words.words(kept["words"].tobytes().decode())[::8]
    else:
        found = words.words(files("evennia_ai.languages").joinpath(f"{language}.yaml").read_text())
    return {word for word in found if word.isalpha()} | set(IRREGULAR.get(language, ()))


class SpellingsTests(SynchronousTestCase):
    def setUp(self):
        self.database = sqlite3.connect(":memory:")
        self.addCleanup(self.database.close)

    def finds(self, text, *stems):
        where, values = stem_forms.condition("text", stem_forms.likely(stems))
        asked = f"SELECT count(*) FROM (SELECT ? AS text) WHERE {where}"
        return bool(self.database.execute(asked, [text, *values]).fetchone()[0])

    def test_each_word_is_found_by_its_stem_however_it_is_written(self):
        for language in ("en", "sv", "de"):
            with patch.object(words.Game, "language", language):
                missed = [
                    word
                    for word in vocabulary(language)
                    for written in (word, word.title(), unicodedata.normalize("NFD", word))
                    if not self.finds(f"So: {written}.", words.stem(word))
                ]
            self.assertEqual(missed, [])

    def test_a_text_without_one_of_the_words_is_not_found(self):
        self.assertTrue(self.finds("The bridge fell into the river.", "bridg", "fall"))
        self.assertFalse(self.finds("The bridge fell into the river.", "bridg", "mill"))

    def test_of_languages_that_were_not_tried_nothing_is_said(self):
        with patch.object(words.Game, "language", "fi"):
            self.assertIsNone(stem_forms.likely(["miek"]))
