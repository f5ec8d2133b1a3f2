"""The contract of embedders, on those that need no download."""

import shutil
import unittest
import zlib
from pathlib import Path
from unittest import mock

import numpy as np
from django.core.exceptions import ImproperlyConfigured

from evennia_ai.semantic.embedders.adler32 import Adler32Embedder
from evennia_ai.semantic.embedders.onnx import OnnxEmbedder
from evennia_ai.semantic.embedders.words import WordsEmbedder
from tests.semantic.cases import SemanticTestCase

TINY = str(Path(__file__).parent.parent / "data" / "tiny_model")
TEXTS = ["dog runs", "the hound runs", "cat sleeps", "", "☃ \x00", "dog " * 2000]


class EmbedderContract:
    def test_each_text_becomes_a_row_of_length_1(self):
        rows = self.embedder.embed(TEXTS)
        self.assertEqual(rows.shape, (len(TEXTS), self.embedder.dimensions))
        self.assertEqual(rows.dtype, np.float32)
        lengths = np.linalg.norm(rows, axis=1)
        self.assertTrue(all(abs(length - 1) < 1e-5 or length == 0 for length in lengths), lengths)
        self.assertTrue(np.isfinite(rows).all())

    def test_a_text_alone_is_the_same_as_among_others(self):
        rows = self.embedder.embed(TEXTS)
        for text, row in zip(TEXTS, rows, strict=True):
            np.testing.assert_allclose(self.embedder.embed([text])[0], row, atol=1e-5)
            np.testing.assert_allclose(self.embedder.embed_query(text), row, atol=1e-5)

    def test_no_texts_are_no_rows(self):
        self.assertEqual(self.embedder.embed([]).shape, (0, self.embedder.dimensions))

    def test_more_texts_than_a_batch_keep_their_order(self):
        texts = ["dog runs", "cat sleeps a long while"] * 40
        rows = self.embedder.embed(texts)
        np.testing.assert_allclose(rows[0::2], np.tile(rows[0], (40, 1)), atol=1e-5)
        self.assertGreater(np.abs(rows[0] - rows[1]).max(), 0.1)

    def test_it_says_what_it_is(self):
        self.assertTrue(self.embedder.name)
        self.assertIsInstance(self.embedder.scale, dict)


class WordsTests(EmbedderContract, unittest.TestCase):
    def setUp(self):
        self.embedder = WordsEmbedder()

    def test_words_count_by_their_stems_and_little_words_do_not(self):
        rows = self.embedder.embed(
            ["The dogs are barking!", "a dog barked", "the dog is in the inn"]
        )
        self.assertAlmostEqual(float(rows[0] @ rows[1]), 1.0, places=5)
        self.assertAlmostEqual(float(rows[0] @ rows[2]), 0.5, places=5)

    def test_no_word_is_taken_for_another_of_like_meaning(self):
        drunk, sober = self.embedder.embed(["drunk", "sober"])
        self.assertEqual(float(drunk @ sober), 0.0)


class Adler32Tests(EmbedderContract, unittest.TestCase):
    def setUp(self):
        self.embedder = Adler32Embedder()

    def test_a_token_is_counted_where_its_checksum_points(self):
        """D9 D10: the source's: adler32 of each token, in 384 buckets, of length 1."""
        row = self.embedder.embed(["Ale ale mead"])[0]
        self.assertEqual(self.embedder.dimensions, 384)
        self.assertAlmostEqual(row[zlib.adler32(b"ale") % 384], 2 / 5**0.5, places=5)
        self.assertAlmostEqual(row[zlib.adler32(b"mead") % 384], 1 / 5**0.5, places=5)

    def test_no_likeness_makes_two_texts_one(self):
        self.assertEqual(self.embedder.scale, {"relevant": 0.1})
        one, other = self.embedder.embed(["Ann hit Bob", "Bob hit Ann"])
        self.assertAlmostEqual(float(one @ other), 1.0, places=5)


class OnnxTests(EmbedderContract, SemanticTestCase):
    def setUp(self):
        super().setUp()
        self.embedder = OnnxEmbedder(folder=TINY)

    def test_it_knows_what_means_the_same(self):
        dog, hound, cat = self.embedder.embed(["dog sleeps", "hound rests", "cat runs"])
        self.assertAlmostEqual(float(dog @ hound), 1.0, places=5)
        self.assertAlmostEqual(float(dog @ cat), 0.0, places=5)

    def test_padding_counts_for_nothing(self):
        self.assertEqual(self.embedder.embed(["dog", "dog runs"])[0][0], 0)

    def test_another_model_has_another_name(self):
        other = self.folder / "model"
        shutil.copytree(TINY, other)
        self.assertEqual(OnnxEmbedder(folder=str(other)).name, self.embedder.name)
        # Bytes that protobuf passes over: a field that ONNX does not know.
        with (other / "model.onnx").open("ab") as file:
            file.write(b"\xfa\x3e\x01x")
        self.assertNotEqual(OnnxEmbedder(folder=str(other)).name, self.embedder.name)

    def test_what_is_missing_is_named(self):
        with self.assertRaisesRegex(ImproperlyConfigured, "lacks model.onnx, tokenizer.json"):
            OnnxEmbedder(folder=str(self.folder))
        with (
            mock.patch("evennia_ai.semantic.embedders.onnx.find_spec", return_value=None),
            self.assertRaisesRegex(ImproperlyConfigured, r"evennia-ai\[minilm\]"),
        ):
            OnnxEmbedder(folder=TINY)

    def test_thresholds_may_be_given(self):
        """C-23: thresholds are of the embedder."""
        self.assertEqual(self.embedder.scale, {"relevant": 0.2, "alike": 0.45})
        given = OnnxEmbedder(folder=TINY, scale={"relevant": 0.5})
        self.assertEqual(given.scale, {"relevant": 0.5, "alike": 0.45})

    def test_the_model_is_small(self):
        size = sum(path.stat().st_size for path in Path(TINY).iterdir())
        self.assertLess(size, 100_000)
