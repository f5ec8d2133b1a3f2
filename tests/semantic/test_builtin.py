import subprocess
import sys
import unittest

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evennia_ai.core import senses
from evennia_ai.semantic.embedders import builtin

LARGEST_TABLE = 1_500_000


class BuiltinEmbedderTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.embedder = builtin.BuiltinEmbedder()

    def likeness(self, one, other):
        first, second = self.embedder.embed([one, other])
        return float(first @ second)

    def assert_nearer(self, text, near, far):
        self.assertGreater(self.likeness(text, near), self.likeness(text, far) + 0.1)

    def test_what_a_store_asks_of_it(self):
        self.assertEqual((self.embedder.name, self.embedder.dimensions), ("builtin-4", 512))
        scale = {"cosine_prior": (0.03, 0.09, 5.0), "relevant": 0.2, "alike": 0.4}
        self.assertEqual(self.embedder.scale, scale)
        rows = self.embedder.embed(["A dog barks.", "", "犬", "???"])
        self.assertEqual((rows.shape, rows.dtype), ((4, 512), np.float32))
        np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, rtol=1e-5)

    def test_no_text_gives_no_row(self):
        self.assertEqual(self.embedder.embed([]).shape, (0, 512))

    def test_a_query_is_embedded_as_a_text(self):
        text = "Who feeds the dog?"
        np.testing.assert_array_equal(
            self.embedder.embed_query(text), self.embedder.embed([text])[0]
        )

    def test_what_means_the_same_is_near_without_a_word_in_common(self):
        for text, near, far in (
            ("My dog is ill.", "The puppy has a fever.", "The king raised taxes."),
            ("Where does she work?", "Her job is boring.", "The wolf ate a sheep."),
            ("He bought a ship.", "They sailed in boats.", "I baked bread."),
        ):
            with self.subTest(text):
                self.assert_nearer(text, near, far)

    def test_forms_of_a_word_have_its_sense(self):
        for text, near in (
            ("wolf", "wolves"),
            ("They dig.", "They are digging."),
            ("berry", "berries"),
            ("sing", "singing"),
        ):
            with self.subTest(text):
                self.assertGreater(self.likeness(text, near), 0.6)

    def test_unknown_words_count_by_themselves(self):
        self.assert_nearer("Who is Xyzzofrax?", "Xyzzofrax laughed.", "Qwortlemund laughed.")
        self.assert_nearer("Bor ett troll här?", "Ett troll bor i berget.", "Kungen sover.")

    def test_texts_that_differ_in_a_name_are_told_apart(self):
        self.assertLess(self.likeness("Grisk stole it.", "Kestrel stole it."), 0.9)

    def test_no_likeness_is_called_a_duplicate(self):
        """A small word turns the sense around and hardly moves the vector."""
        self.assertNotIn("duplicate", self.embedder.scale)
        self.assertLess(self.likeness("The king is dead.", "The king is not dead."), 0.9999)

    def test_the_table_is_small_and_has_no_code(self):
        self.assertLess(senses.TABLE.stat().st_size, LARGEST_TABLE)
        with np.load(senses.TABLE, allow_pickle=False) as table:
            self.assertEqual(table["senses"].shape, (24_000, senses.SENSES // 2))
            self.assertEqual(table["words"].tobytes().count(b"\n"), 23_999)

    def test_the_table_is_read_when_it_is_needed(self):
        source = (
            "from evennia_ai.core import senses\n"
            "from evennia_ai.semantic.embedders import builtin\n"
            "builtin.BuiltinEmbedder()\n"
            "assert not senses.table.cache_info().currsize\n"
        )
        subprocess.run([sys.executable, "-c", source], check=True)

    @given(st.text())
    def test_any_text_has_a_row_of_length_1(self, text):
        row = self.embedder.embed_query(text)
        self.assertTrue(np.isfinite(row).all())
        self.assertAlmostEqual(float(np.linalg.norm(row)), 1.0, places=4)

    def test_the_same_text_has_the_same_row_in_another_process(self):
        source = (
            "from evennia_ai.semantic.embedders.builtin import BuiltinEmbedder\n"
            "print(BuiltinEmbedder().embed_query('A red horse').tobytes().hex())\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", source], check=True, capture_output=True, text=True
        )
        self.assertEqual(
            done.stdout.strip(), self.embedder.embed_query("A red horse").tobytes().hex()
        )
