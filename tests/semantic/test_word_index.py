"""Tests of words of the same sense."""

import unittest
from unittest import mock

import numpy as np

from evennia_ai.semantic import word_senses
from evennia_ai.semantic.ranking import fusion, word_index
from evennia_ai.semantic.ranking.word_index import WordIndex

LINES = (
    "Ann: I am afraid of deep water.",
    "Bo: The baker sold bread.",
    "Ann: Grisk stole a ring.",
    "Bo: Hello!",
)


class WordSenseTests(unittest.TestCase):
    def test_forms_of_a_word_have_one_place(self):
        for one, other in (
            ("wolf", "wolves"),
            ("berry", "berries"),
            ("dig", "digging"),
            ("frighten", "frightens"),
        ):
            with self.subTest(one):
                self.assertEqual(word_senses.sense(one) is None, word_senses.sense(other) is None)
                self.assertGreater(word_senses.sense(one) @ word_senses.sense(other), 0.5)

    def test_a_word_that_is_not_in_the_table_has_no_sense(self):
        self.assertEqual(word_senses.rank("xyzzofrax"), -1)
        self.assertIsNone(word_senses.sense("xyzzofrax"))
        places, likeness = word_senses.related("xyzzofrax")
        self.assertEqual((len(places), len(likeness)), (0, 0))

    def test_a_word_is_wholly_like_itself_and_less_like_its_kin(self):
        places, likeness = word_senses.related("ocean")
        found = dict(zip(places.tolist(), likeness.tolist(), strict=True))
        self.assertAlmostEqual(found[word_senses.rank("ocean")], 1.0, places=5)
        self.assertGreater(found[word_senses.rank("sea")], 0.2)
        self.assertLess(found[word_senses.rank("sea")], 1.0)
        self.assertNotIn(word_senses.rank("spoon"), found)
        self.assertTrue(likeness.min() > 0 and likeness.max() <= 1)


class WordIndexTests(unittest.TestCase):
    def index(self, *lines):
        index = WordIndex()
        index.extend((fusion.telling_words(line), []) for line in lines)
        return index

    def fit(self, *terms, lines=LINES, places=None):
        places = np.arange(len(lines)) if places is None else np.array(places, dtype=int)
        return self.index(*lines).view().fit(terms, places)

    def test_a_word_of_a_like_sense_is_found(self):
        self.assertEqual(np.argmax(self.fit("frightens")), 0)
        self.assertEqual(np.argmax(self.fit("bakery")), 1)

    def test_the_word_itself_counts_more_than_one_like_it(self):
        found = self.fit("sea", lines=("A sea.", "An ocean.", "A spoon."))
        self.assertGreater(found[0], found[1])
        self.assertGreater(found[1], found[2])

    def test_few_lines_of_many_are_held_against_words_as_if_they_were_all(self):
        many = (*LINES, *(f"Bo: The ring of day {number}." for number in range(60)))
        few = self.index(*LINES[:3]).view()
        for terms in (["frightens", "ring"], ["bread"], ["stole", "grisk"]):
            view = self.index(*many).view()
            places, alone = np.arange(3), np.arange(3)
            np.testing.assert_allclose(view.fit(terms, places), few.fit(terms, alone))
            np.testing.assert_allclose(view.match(terms, places), few.match(terms, alone))

    def test_it_finds_the_same_whether_words_are_in_order_or_gone_through(self):
        """The last line comes after those before were put in order, and another is not kept."""
        many = [(["ring"], [f"tale{n % 7}"]) if n % 3 else (["ale", "ring"], []) for n in range(90)]
        views = []
        for few in (10_000, 20):
            with mock.patch.object(word_index, "UNORDERED", few):
                index = WordIndex()
                index.extend(many)
                index.view()
                index.extend([(["ale", "wolf"], [])])
                views.append(index.view([index.code((["rings"], ["wolf"]))]))
        self.assertEqual([len(view.order) > 0 for view in views], [False, True])
        for terms, places in ((["ale", "rings"], range(92)), (["wolf", "tale3"], range(50, 92))):
            for how in ("fit", "match"):
                one, other = (getattr(view, how)(terms, np.array(places)) for view in views)
                np.testing.assert_array_equal(one, other)
                self.assertGreater(one[-1] + one[-2], 0)

    def test_words_without_a_sense_are_found_by_their_forms(self):
        self.assertEqual(np.argmax(self.fit("grisk")), 2)
        self.assertEqual(np.argmax(self.fit("trollen", lines=("Gås.", "En trollen."))), 1)

    def test_a_line_without_words_and_a_question_without_words_fit_nothing(self):
        self.assertEqual(self.fit("ring")[3], 0.0)
        self.assertEqual(self.fit().tolist(), [0.0] * 4)
        self.assertEqual(self.fit("qwortlemund").tolist(), [0.0] * 4)

    def test_a_rare_word_counts_more(self):
        lines = ("A wolf.", "A wolf.", "A wolf and a spoon.", "A spade.")
        found = self.fit("wolf", "spoon", lines=lines)
        self.assertGreater(found[2] - found[0], found[0])

    def test_other_lines_have_no_part_in_it(self):
        """Of a word that stands in secrets alone nobody learns how common it is."""
        secrets = [f"The wolf tells secret {number}." for number in range(9)]
        alone = self.fit("wolf", "spoon", lines=LINES[:3])
        among = self.fit("wolf", "spoon", lines=[*LINES[:3], *secrets], places=[0, 1, 2])
        np.testing.assert_array_equal(alone, among)

    def test_a_word_of_the_line_before_counts_a_quarter(self):
        index = WordIndex()
        index.extend([(["yes"], ["wolf", "yes"]), (["wolf"], ["wolf"]), (["spade"], [])])
        found = index.view().fit(["wolf"], np.arange(3))
        np.testing.assert_allclose(found / found[1], [0.25, 1.0, 0.0], atol=0.01)

    def test_lines_that_come_later_are_found_in_a_later_view(self):
        index = self.index("A wolf.")
        early = index.view()
        index.extend([(["zebra"], []), (["wolves"], [])])
        self.assertEqual(len(early.fit(["zebra", "wolf"], np.array([0]))), 1)
        found = index.view().fit(["zebra"], np.arange(3))
        self.assertEqual(np.argmax(found), 1)

    def test_who_says_it_is_no_word_of_the_line(self):
        self.assertEqual(fusion.telling_words("Ann: Bo's wolves are here!"), ["bo", "wolves"])


class MatchTests(unittest.TestCase):
    def match(self, *terms, lines, places=None, also=()):
        index = WordIndex()
        index.extend(lines)
        places = np.arange(len(lines) + len(also)) if places is None else np.array(places)
        return [
            round(float(score), 4)
            for score in index.view(map(index.code, also)).match(terms, places)
        ]

    def test_bm25_of_two_lines_that_are_as_long(self):
        """log(1 + 1.5 / 1.5) · 2.2 / (1 + 1.2) of the line that has the word."""
        self.assertEqual(
            self.match("dogs", lines=[(["dog", "barks"], []), (["cat", "purrs"], [])]),
            [0.6931, 0.0],
        )

    def test_the_line_before_counts_half(self):
        own, before, neither = self.match(
            "dog", lines=[(["dog"], ["cat"]), (["cat"], ["dog"]), (["cat"], ["ale"])]
        )
        self.assertTrue(own > before > neither == 0.0)

    def test_a_longer_line_and_a_common_word_count_less(self):
        lines = [(["dog"], []), (["dog", "ale", "inn", "mill"], []), (["cat"], [])]
        short, long, _ = self.match("dog", lines=lines)
        *_, rare = self.match("cat", lines=lines)
        self.assertTrue(rare > short > long > 0)

    def test_lines_that_may_not_be_told_have_no_part_in_how_rare_a_word_is(self):
        lines = [(["dog"], []), (["cat"], []), (["dog"], [])]
        self.assertEqual(
            self.match("dog", lines=lines, places=[0, 1]), self.match("dog", lines=lines[:2])
        )

    def test_lines_that_are_not_kept_are_ranked_along(self):
        lines = [(["dog"], []), (["cat"], [])]
        self.assertEqual(
            self.match("dog", lines=lines[:1], also=lines[1:]), self.match("dog", lines=lines)
        )
        index = WordIndex()
        index.extend(lines[:1])
        index.view(map(index.code, lines[1:]))
        self.assertEqual(len(index.view().starts), 1)
