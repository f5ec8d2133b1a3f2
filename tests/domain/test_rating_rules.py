"""What waits to be rated, how it is batched, what a mind's answer says, and rating by rules."""

import unittest

from evennia_ai.domain.sleeping import rating_rules
from evennia_ai.memory.storage import pages
from tests.domain import entries


def entry(entry_id=1, content="Ann fed the goats.", **fields):
    return entries.entry(content, id=entry_id, **fields)


class PendingTests(unittest.TestCase):
    def pending(self, *entries, by_model=True):
        return [one.id for one in rating_rules.select_pending(entries, by_model=by_model)]

    def test_what_only_rules_rated_waits_in_the_order_of_the_journal(self):
        """J34."""
        entries = (
            entry(1),
            entry(2, importance_method="llm", scored=True),
            entry(3, importance_method="manual", scored=True),
            entry(4),
        )
        self.assertEqual(self.pending(*entries), [1, 4])

    def test_a_model_looks_again_at_what_the_offline_mind_rated_after_all_others(self):
        """C-16."""
        rated = {"scored": True, "scored_by": "offline"}
        entries = (entry(1, **rated), entry(2), entry(3, **rated, consolidated=True))
        self.assertEqual(self.pending(*entries), [2, 1])
        self.assertEqual(self.pending(*entries, by_model=False), [2])


class BatchTests(unittest.TestCase):
    def test_it_is_the_first_of_them(self):
        self.assertEqual(rating_rules.batch([1, 2, 3, 4, 5], size=3), [1, 2, 3])
        self.assertEqual(rating_rules.batch([1], size=3), [1])
        self.assertEqual(rating_rules.batch([], size=3, failures=2), [])

    def test_after_failures_it_is_fewer_further_on(self):
        ten = list(range(10))
        for failures, expected in (
            (1, [4, 5, 6, 7]),
            (2, [4, 5]),
            (3, [3]),
            (4, [4]),
            (12, [2]),
        ):
            with self.subTest(failures):
                self.assertEqual(rating_rules.batch(ten, size=8, failures=failures), expected)

    def test_one_that_is_never_answered_keeps_no_other_from_it(self):
        left, failures = list(range(12)), 0
        for _ in range(60):
            chosen = rating_rules.batch(left, size=5, failures=failures)
            if 0 in chosen:
                failures += 1
            else:
                failures, left = 0, [one for one in left if one not in chosen]
        self.assertEqual(left, [0])


class AnswerTests(unittest.TestCase):
    def test_numbers_are_read_in_the_forms_that_models_use(self):
        """J38."""
        for score, expected in (
            (7, 7),
            (7.0, 7),
            (6.6, 7),
            ("8", 8),
            (" 8.0 ", 8),
            ("9/10", 9),
            (0, 1),
            (-4, 1),
            (11, 10),
            (10_000_000_000, None),
            (float("nan"), None),
            (float("inf"), None),
            ("high", None),
            ("8 because of the war", None),
            ("1e3", None),
            ("9" * 400, None),
            (None, None),
            (True, None),
            ([5], None),
            ({"score": 5}, None),
        ):
            with self.subTest(score=str(score)[:20]):
                self.assertEqual(rating_rules.score_of(score), expected)

    def test_a_word_has_its_score_and_counts_more_in_confidence(self):
        for word, score, confided in (("trivial", 1, 3), ("important", 7, 9), ("secret", 9, 10)):
            self.assertEqual(rating_rules.score_of(word), score)
            self.assertEqual(rating_rules.score_of(word, in_confidence=True), confided)


class RuleTests(unittest.TestCase):
    def rated(self, *noted):
        return list(rating_rules.rate(map(pages.plain, noted)).values())

    def test_rules_see_what_the_keywords_of_the_moment_do_not(self):
        for content, fields, expected in (
            ("Ann fed the goats.", {}, 5),
            ("Ann promised to come back.", {}, 6),
            ("Ann swore never to return.", {}, 6),
            ("Ann loves the miller.", {}, 6),
            ("Ann wept for her brother, who died.", {}, 6),
            ("Ann swore that she loves the miller.", {}, 7),
            ("Ann fed the goats.", {"audience": ["ann", "mara"]}, 6),
            ("Ann fed the goats.", {"source_trust": 0.3}, 4),
            ("The glove is killingly red; the lovely feared none.", {"importance": 3}, 4),
        ):
            with self.subTest(content, **fields):
                self.assertEqual(self.rated(entry(1, content, **fields)), [expected])

    def test_the_same_once_more_matters_less(self):
        twice = (entry(1), entry(2, "Ann fed the goats!"), entry(3, "Ann fed the geese at noon."))
        self.assertEqual(self.rated(*twice), [5, 4, 5])

    def test_scores_stay_on_the_scale(self):
        moving = "Ann swore that she loves the miller."
        self.assertEqual(self.rated(entry(1, moving, importance=10)), [10])
        self.assertEqual(self.rated(entry(1, importance=1, source_trust=0.3)), [1])
