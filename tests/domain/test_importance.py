"""Tests of the quick rating: the numbers of the source, and whole words instead of parts."""

import unittest

from evennia_ai.core import languages
from evennia_ai.domain.sleeping import importance
from tests.language_files import language_file

rate = importance.score_importance_heuristic


class SourceTests(unittest.TestCase):
    def test_the_base_is_5_and_the_source_moves_it(self):
        """J22 J24 J25: base 5; direct +2, observation +1, inference 0, environmental -1, else 0."""
        self.assertEqual(rate("Bob slept.", "direct", []), 7)
        self.assertEqual(rate("Bob slept.", "observation", []), 6)
        self.assertEqual(rate("Bob slept.", "inference", []), 5)
        self.assertEqual(rate("Bob slept.", "environmental", []), 4)
        self.assertEqual(rate("Bob slept.", "gossip", []), 5)

    def test_tags_do_not_count(self):
        """J32: they are accepted, for games that rate by them."""
        self.assertEqual(rate("Bob slept.", "inference", ["urgent", "war"]), 5)


class KeywordTests(unittest.TestCase):
    def test_the_keywords_are_those_of_the_source(self):
        """J26 J28: 19 words up, 5 down."""
        self.assertEqual(
            set(languages.load("en").keywords["high"]),
            {
                *("player", "conflict", "discovery", "secret", "revealed", "attack", "danger"),
                *("important", "urgent", "critical", "death", "birth", "marriage", "betrayal"),
                *("alliance", "war", "peace", "treasure", "quest"),
            },
        )
        self.assertEqual(len(languages.load("en").keywords["high"]), 19)
        self.assertEqual(
            languages.load("en").keywords["low"],
            ("routine", "walked", "moved", "entered", "ordinary"),
        )

    def test_each_keyword_counts_2_and_all_of_them_4(self):
        """J26: +2 each, +4 at most; the same word twice is one."""
        self.assertEqual(rate("A war.", "inference", []), 7)
        self.assertEqual(rate("War, war, war.", "inference", []), 7)
        self.assertEqual(rate("War and death.", "inference", []), 9)
        self.assertEqual(rate("War, death, betrayal and danger.", "inference", []), 9)

    def test_each_dull_word_takes_1_without_a_bound(self):
        """J28: -1 each, uncapped."""
        self.assertEqual(rate("Bob walked.", "inference", []), 4)
        text = "A routine: Bob walked, moved, entered an ordinary house."
        self.assertEqual(rate(text, "inference", []), 1)
        self.assertEqual(rate(text, "direct", []), 2)

    def test_words_are_found_whole_and_in_any_case(self):
        """J27: superseded; "toward" is no war and a question is no quest."""
        for text in ("Toward the warm warden.", "A question.", "Peacemaker.", "Warship."):
            self.assertEqual(rate(text, "inference", []), 5, text)
        for text in ("WAR", "A secret.", "(death)", "war-torn", "quest"):
            self.assertEqual(rate(text, "inference", []), 7, text)

    def test_simple_inflections_count(self):
        for text in (
            *("Players", "attacks", "attacked", "attacking", "attacker", "attackers"),
            *("urgently", "the player's", "the player’s", "treasured", "critically", "births"),
        ):
            self.assertEqual(rate(text, "inference", []), 7, text)

    def test_another_language_has_its_own_words_and_endings(self):
        swedish = [languages.load("sv").keywords]
        self.assertEqual(rate("Kriget kom.", "inference", [], keywords=swedish), 7)
        self.assertEqual(rate("Skatterna är borta.", "inference", [], keywords=swedish), 7)
        self.assertEqual(rate("Hon gick.", "inference", [], keywords=swedish), 4)
        self.assertEqual(rate("A war.", "inference", [], keywords=swedish), 5)

    def test_several_languages_count_together_and_none_counts_nothing(self):
        both = [languages.load(code).keywords for code in ("en", "sv")]
        self.assertEqual(rate("Krig and death.", "inference", [], keywords=both), 9)
        self.assertEqual(rate("A war.", "inference", [], keywords=[]), 5)

    def test_a_set_of_the_game_replaces_ours(self):
        with language_file("en", "keywords: {high: [goat, t-rex]}"):
            mine = languages.load("en").keywords
            self.assertEqual(rate("A goat in the war.", "inference", [], keywords=[mine]), 7)
            self.assertEqual(rate("A T-Rex.", "inference", [], keywords=[mine]), 7)
            with self.assertRaises(KeyError):
                languages.load("xx")


class TextTests(unittest.TestCase):
    def test_a_long_text_counts_1(self):
        """J29: more than 200 characters."""
        self.assertEqual(rate("x" * 200, "inference", []), 5)
        self.assertEqual(rate("x" * 201, "inference", []), 6)

    def test_an_exclamation_or_a_question_counts_1_once(self):
        """J30: ! or ?, together no more than one."""
        self.assertEqual(rate("Bob!", "inference", []), 6)
        self.assertEqual(rate("Bob?", "inference", []), 6)
        self.assertEqual(rate("Bob?! What!", "inference", []), 6)

    def test_the_result_is_between_1_and_10(self):
        """J31 J12: clamped, and an int."""
        highest = rate("War and death! " + "x" * 200, "direct", [])
        lowest = rate("routine walked moved entered ordinary", "environmental", [])
        self.assertEqual((highest, lowest), (10, 1))
        self.assertIs(type(highest), int)
        self.assertEqual([importance.clamp(score) for score in (-3, 1, 10, 11)], [1, 1, 10, 10])


class SourceCodeTests(unittest.TestCase):
    def test_where_words_stand_alone_it_is_the_formula_of_the_source(self):
        """J22: recomputed by the published lines, over texts of whole words."""
        high, low = (languages.load("en").keywords[key] for key in ("high", "low"))
        for first in (*high, *low, "goat"):
            for second in (*low, "secret", "hen."):
                for kind, modifier in (("direct", 2), ("environmental", -1)):
                    text = f"{first} {second}"
                    score = 5 + modifier
                    score += min(sum(2 for word in high if word in text.split()), 4)
                    score -= sum(1 for word in low if word in text.split())
                    self.assertEqual(rate(text, kind, []), max(1, min(10, score)), text)
