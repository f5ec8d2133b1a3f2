"""Lines and questions of several languages, and what every store must make of them."""

import functools
from datetime import UTC, datetime, timedelta
from pathlib import Path

import yaml

from evennia_ai.core import words
from evennia_ai.semantic.embedders.sentences import SentenceEmbedder
from evennia_ai.semantic.facts import Search

DATA = Path(__file__).parent.parent / "data" / "inflections.yaml"
FIRST_DAY = datetime(2026, 3, 1, tzinfo=UTC)


@functools.cache
def pairs():
    """Return lines with questions about them, by language."""
    return yaml.safe_load(DATA.read_text(encoding="utf-8"))


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
        store = self.make_store(SentenceEmbedder())
        for day, (line, _) in enumerate(pairs()[language]):
            said = (FIRST_DAY + timedelta(days=day)).isoformat()
            self.keep(store, line, key=language, timestamp=said)
        missed = []
        for line, question in pairs()[language]:
            asked = Search.of(question, assistant_key=language, hearers=(), limit=1)
            if store.search(asked)[0].text != line:
                missed.append(question)
        return missed

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
