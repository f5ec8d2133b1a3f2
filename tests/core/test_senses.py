"""What words mean, without numpy."""

import subprocess
import sys
import unittest

from evennia_ai.core import senses


class SensesTests(unittest.TestCase):
    def test_words_of_one_sense_are_alike_and_others_are_not(self):
        for one, other in (("thief", "steal"), ("salary", "earns"), ("noon", "midday")):
            with self.subTest(f"{one} {other}"):
                self.assertGreater(senses.likeness(one, other), 0.5)
        for one, other in (("thief", "weather"), ("salary", "wolves")):
            with self.subTest(f"{one} {other}"):
                self.assertLess(senses.likeness(one, other), 0.2)
        self.assertEqual(senses.likeness("noon", "xyzzofrax"), 0.0)

    def test_texts_are_alike_by_all_their_words(self):
        plague = ["plague", "took", "half", "town"]
        self.assertGreater(senses.text_likeness(["epidemic"], plague), 0.4)
        self.assertLess(senses.text_likeness(["epidemic"], ["plain", "sword"]), 0.2)
        self.assertEqual(senses.text_likeness([], plague), 0.0)

    def test_the_file_has_24000_words(self):
        self.assertEqual(len(senses.table().places), 24_000)

    def test_it_needs_no_numpy(self):
        source = (
            "import sys\n"
            "sys.modules['numpy'] = None\n"
            "from evennia_ai.core import senses\n"
            "assert senses.likeness('thief', 'steal') > 0.5\n"
        )
        subprocess.run([sys.executable, "-c", source], check=True)
