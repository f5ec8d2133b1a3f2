"""Tests of what goes first where there is no more room, without a journal."""

import unittest

from evennia_ai.domain.memories import eviction, fair_share
from evennia_ai.domain.memories.page_counts import PageCounts
from tests.domain import entries


def entry(number, **fields):
    return entries.entry(id=number, **fields)


class NextCopiedTests(unittest.TestCase):
    def next(self, *counts):
        return eviction.next_copied(page.text() for page in counts)

    def test_without_a_copy_nothing_goes(self):
        self.assertIsNone(self.next())
        self.assertIsNone(self.next(PageCounts(0, 12, 0, 12, 12, last=12)))

    def test_the_oldest_page_first_and_what_is_cited_after_what_nothing_rests_on(self):
        self.assertEqual(
            self.next(PageCounts(0, 5, 0, 5, 5), PageCounts(1, 5, 1)), ("consolidated", 1)
        )
        self.assertEqual(self.next(PageCounts(7, 5, 1), PageCounts(12, 5, 10)), ("consolidated", 7))
        cited = PageCounts(0, 10, cited=10, last=10)
        self.assertEqual(self.next(cited, PageCounts(1, 5, 1)), ("consolidated", 1))
        self.assertEqual(self.next(cited), ("cited", 0))


class FairTests(unittest.TestCase):
    """Who has most loses what is worth least."""

    def least(self, count, *items):
        chosen = fair_share.least_of_the_greatest(
            items, count, by=lambda item: item[0], worth=lambda item: item[1]
        )
        return ["{}{}".format(*item) for item in chosen]

    def test_whoever_has_most_loses_the_least_of_theirs(self):
        self.assertEqual(self.least(1, "a1", "b9", "b5", "c1"), ["b5"])

    def test_the_first_goes_among_equals(self):
        given = [("b", 5, "old"), ("b", 5, "new"), ("a", 1, "")]
        [chosen] = fair_share.least_of_the_greatest(
            given, 1, by=lambda item: item[0], worth=lambda item: item[1]
        )
        self.assertEqual(chosen[2], "old")

    def test_it_goes_on_until_all_have_as_much_and_then_by_worth(self):
        items = ("a3", "b1", "b2", "b8", "b9", "c4", "c5")
        self.assertEqual(self.least(6, *items), ["b1", "b2", "c4", "b8", "a3", "c5"])

    def test_no_more_goes_than_there_is(self):
        self.assertEqual(self.least(9, "a1"), ["a1"])
        self.assertEqual(self.least(9), [])
        self.assertEqual(self.least(0, "a1"), [])
        self.assertEqual(self.least(-1, "a1"), [])


class EntryTests(unittest.TestCase):
    def chosen(self, count, *given):
        return [one.id for one in eviction.select_entries(given, count)]

    def test_it_is_whoever_told_most_by_identity_else_by_name(self):
        told = [entry(1, said_by="ann", importance=1)]
        told += [entry(number, said_by="bob", importance=9) for number in (2, 3)]
        self.assertEqual(self.chosen(1, *told), [2])
        self.assertEqual(
            self.chosen(
                1,
                entry(1, said_by="ann"),
                entry(2, source_entity="Passer-by", importance=9),
                entry(3, source_entity="passer-by", importance=8),
            ),
            [3],
        )

    def test_what_has_a_copy_is_pinned_or_was_made_of_others_is_not_among_them(self):
        given = [
            entry(1, consolidated=True),
            entry(2, pinned=True),
            entry(3, tags=["synthesis"]),
            entry(4),
        ]
        self.assertEqual(self.chosen(4, *given), [4])

    def test_what_insights_rest_on_goes_last(self):
        given = [entry(number, cited=number < 4) for number in range(1, 6)]
        self.assertEqual(self.chosen(3, *given), [4, 5, 1])
