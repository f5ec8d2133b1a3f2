"""Tests of what a full journal lets go first, without a journal."""

import unittest

from evennia_ai.domain import eviction
from evennia_ai.domain.eviction import Tally


def entry(**fields):
    default = {"content": "x", "tags": [], "pinned": False, "consolidated": False, "importance": 5}
    return {**default, **fields}


class TallyTests(unittest.TestCase):
    def test_it_counts_entries_by_what_may_go(self):
        tally = Tally(3)
        for one in (
            entry(),
            entry(importance=3),
            entry(consolidated=True, importance=4),
            entry(consolidated=True, importance=1),
            entry(pinned=True, consolidated=True, importance=1),
            entry(tags=["synthesis"], consolidated=True, importance=1),
        ):
            tally = tally.changed(one, 1)
        self.assertEqual(tally, Tally(3, count=6, consolidated=2, trivial=2, free=4))
        self.assertEqual(tally.changed(entry(importance=2), -1), Tally(3, 5, 2, 1, 3))

    def test_it_is_stored_as_text(self):
        tally = Tally(12, 64, 3, 10, 60)
        self.assertEqual(tally.text(), "12 64 3 10 60")
        self.assertEqual(eviction.read_tally(tally.text()), tally)


class NextTests(unittest.TestCase):
    def next(self, *tallies, max_entries=10):
        return eviction.next_to_go(
            [tally.text() for tally in tallies],
            size=sum(tally.count for tally in tallies),
            max_entries=max_entries,
        )

    def test_nothing_goes_while_there_is_room(self):
        self.assertIsNone(self.next())
        self.assertIsNone(self.next(Tally(0, 9, 9, 9, 9)))
        self.assertEqual(self.next(Tally(0, 10, 9, 9, 9)), ("consolidated", 0))

    def test_consolidated_before_trivial_and_the_oldest_page_first(self):
        old, new = Tally(0, 5, 0, 5, 5), Tally(1, 5, 1, 5, 5)
        self.assertEqual(self.next(old, new), ("consolidated", 1))
        self.assertEqual(self.next(old, Tally(1, 5, 0, 5, 5)), ("trivial", 0))
        self.assertEqual(
            self.next(Tally(7, 5, 0, 0, 5), Tally(12, 5, 10, 5, 5)), ("consolidated", 12)
        )

    def test_what_exists_nowhere_else_goes_from_a_fifth_too_much(self):
        self.assertIsNone(self.next(Tally(0, 11, 0, 0, 11)))
        self.assertEqual(self.next(Tally(0, 12, 0, 0, 12)), ("free", 0))
        self.assertEqual(self.next(Tally(0, 6, 0, 0, 0), Tally(1, 6, 0, 0, 1)), ("free", 1))

    def test_what_is_pinned_never_goes(self):
        self.assertIsNone(self.next(Tally(0, 50, 0, 0, 0)))
