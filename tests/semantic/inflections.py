"""Lines and questions of several languages, and what every store must make of them."""

import functools
from datetime import UTC, datetime, timedelta
from pathlib import Path

import yaml

from evennia_ai.core import words
from evennia_ai.semantic.embedders.sentences import SentenceEmbedder
from evennia_ai.semantic.facts import Search

DATA = Path(__file__).parent.parent / "data" / "inflections.yaml"
ACROSS = DATA.with_name("across_languages.yaml")
FIRST_DAY = datetime(2026, 3, 1, tzinfo=UTC)


@functools.cache
def pairs():
    """Return lines with questions about them, by language."""
    return yaml.safe_load(DATA.read_text(encoding="utf-8"))


@functools.cache
def across():
    """Return lines with questions about them in another language."""
    return yaml.safe_load(ACROSS.read_text(encoding="utf-8"))


def speak(case, language):
    """Let the game of a test be of a language."""
    before = words.Game.language
    case.addCleanup(words.Game.speaks, before)
    words.Game.speaks(language)


class InflectionContract:
    """A question finds its line among twenty by other forms of its words, in each language."""

    def missed(self, language):
        """Return the questions that do not find their line first."""
        speak(self, language)
        return self.unfound(pairs()[language], (), limit=1)

    def unfound(self, asked, others, *, limit):
        """Return the questions that do not find their line among these and others."""
        store, lines = self.make_store(SentenceEmbedder()), [line for line, _ in asked]
        for day, line in enumerate([*lines, *others]):
            said = (FIRST_DAY + timedelta(days=day)).isoformat()
            self.keep(store, line, timestamp=said)
        return [
            question
            for line, question in asked
            if line
            not in [
                one.text
                for one in store.search(
                    Search.of(question, assistant_key="mara", hearers=(), limit=limit)
                )
            ]
        ]

    def test_what_was_told_in_another_language_is_found(self):
        """Of ten questions seven must find their line first, and all do; among 160 others all find it in ten."""
        others = [line for listed in pairs().values() for line, _ in listed]
        self.assertEqual(self.unfound(across(), (), limit=1), [])
        self.assertEqual(self.unfound(across(), others, limit=10), [])

    def test_english(self):
        self.assertEqual(self.missed("en"), [])

    def test_swedish(self):
        self.assertEqual(self.missed("sv"), [])

    def test_german(self):
        self.assertEqual(self.missed("de"), [])

    def test_spanish(self):
        self.assertEqual(self.missed("es"), [])

    def test_french(self):
        self.assertEqual(self.missed("fr"), [])

    def test_finnish(self):
        self.assertEqual(self.missed("fi"), [])

    def test_chinese(self):
        self.assertEqual(self.missed("zh"), [])

    def test_japanese(self):
        self.assertEqual(self.missed("ja"), [])
