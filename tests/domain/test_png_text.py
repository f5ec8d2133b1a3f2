"""Tests of the text beside a picture; the images are put together here, chunk by chunk."""

import unittest
import zlib

from evennia_ai.domain.files import png_text


def chunk(kind, body, *, check_sum=None):
    """Return one chunk of a PNG image."""
    summed = zlib.crc32(kind + body) if check_sum is None else check_sum
    return len(body).to_bytes(4, "big") + kind + body + summed.to_bytes(4, "big")


def image(*chunks):
    """Return a PNG image with these chunks."""
    return png_text.SIGNATURE + b"".join([*chunks, chunk(b"IEND", b"")])


class TextsTests(unittest.TestCase):
    def refused(self, data):
        with self.assertRaises(ValueError) as caught:
            png_text.texts(data)
        return str(caught.exception)

    def test_texts_are_found_by_keyword_among_other_chunks(self):
        data = image(
            chunk(b"IHDR", b"0" * 13),
            chunk(b"tEXt", b"Title\x00A mill"),
            chunk(b"IDAT", b"pixels"),
            chunk(b"tEXt", b"chara\x00e30="),
        )
        self.assertEqual(png_text.texts(data), {"Title": b"A mill", "chara": b"e30="})

    def test_of_two_with_one_keyword_the_first_counts(self):
        data = image(chunk(b"tEXt", b"a\x00one"), chunk(b"tEXt", b"a\x00two"))
        self.assertEqual(png_text.texts(data), {"a": b"one"})

    def test_an_image_without_text_has_none(self):
        self.assertEqual(png_text.texts(image(chunk(b"IDAT", b""))), {})

    def test_what_is_no_image_is_refused(self):
        self.assertFalse(png_text.is_png(b"{}"))
        self.assertEqual(self.refused(b"{}"), "it is no PNG image.")
        self.assertEqual(self.refused(b""), "it is no PNG image.")

    def test_an_image_that_is_cut_off_anywhere_is_refused(self):
        whole = image(chunk(b"tEXt", b"a\x00one"))
        for end in range(len(png_text.SIGNATURE), len(whole)):
            with self.subTest(end=end):
                self.assertEqual(self.refused(whole[:end]), "the image is cut off.")

    def test_a_length_beyond_the_end_is_refused(self):
        data = png_text.SIGNATURE + b"\xff\xff\xff\xfftEXt" + b"x" * 100
        self.assertEqual(self.refused(data), "the image is cut off.")

    def test_a_damaged_text_is_refused(self):
        data = image(chunk(b"tEXt", b"a\x00one", check_sum=1))
        self.assertEqual(self.refused(data), "a text in the image is damaged.")

    def test_a_text_without_a_keyword_is_refused(self):
        data = image(chunk(b"tEXt", b"no keyword"))
        self.assertEqual(self.refused(data), "a text in the image has no keyword.")

    def test_chunks_without_end_are_refused(self):
        data = image(*[chunk(b"IDAT", b"")] * 10_001)
        self.assertEqual(self.refused(data), "the image has more than 10000 chunks.")
