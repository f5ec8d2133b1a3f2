"""Evennia's markup is taken off as Evennia does it, in less time."""

import unittest

from evennia.utils.ansi import strip_ansi, strip_mxp

from evennia_ai import markup


class PlainTests(unittest.TestCase):
    def test_it_is_what_evennia_makes_of_it(self):
        for text in (
            "Ann sees you",
            "|rAnn|n sees |500you|n |[Band|| |=zgrey",
            "\x1b[1;31mred\x1b[0m",
            "|lclook|ltsees|le you, |lchelp|lthelps|le me",
            "|luhttps://example.org|ltthe page|le",
            "|lc|lc|ltone|le two",
            "|lclook|ltno end",
            "|lclook|lt|le",
            "||lclook||ltsees||le",
            "|lc |lt |le |lc",
            "a {{ b \\\\ c",
        ):
            with self.subTest(text):
                self.assertEqual(markup.plain(text), strip_mxp(strip_ansi(text)).strip())

    def test_a_sentence_begins_with_a_capital_and_keeps_its_colours(self):
        for text, expected in (
            ("a tall guard", "A tall guard"),
            ("|ba tall guard|n", "|bA tall guard|n"),
            ("|202|[reel", "|202|[rEel"),
            ("|lclook|lta tall guard|le", "|lclook|ltA tall guard|le"),
            ("éowyn", "Éowyn"),
            ("|", "|"),
            ("", ""),
        ):
            with self.subTest(text):
                self.assertEqual(markup.capital(text), expected)

    def test_dbrefs_are_taken_off(self):
        self.assertEqual(markup.plain("Ann(#12) and (#x)"), "Ann and (#x)")
