"""Tests of what a full journal lets go first, without a journal."""

import unittest

from evennia_ai.domain import eviction
from evennia_ai.domain.tally import Tally


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
        self.assertIsNone(self.next(Tally(0, 11, 0, 0, 11, last=11)))
        self.assertEqual(self.next(Tally(0, 12, 0, 0, 12)), ("free", 0))
        self.assertEqual(self.next(Tally(0, 6, 0, 0, 0), Tally(1, 6, 0, 0, 1)), ("free", 1))

    def test_what_is_pinned_never_goes(self):
        self.assertIsNone(self.next(Tally(0, 50, 0, 0, 0)))

    def test_what_is_cited_goes_after_what_nothing_rests_on(self):
        cited = Tally(0, 10, cited=10, last=10)
        self.assertEqual(self.next(cited), ("cited", 0))
        self.assertEqual(self.next(cited, Tally(1, 5, trivial=1)), ("trivial", 1))
        # What has a copy still goes before what exists nowhere else.
        self.assertEqual(self.next(cited, Tally(1, 5, free=5, last=5)), ("cited", 0))
        self.assertEqual(self.next(Tally(0, 6, last=6), Tally(1, 6, free=1, last=6)), ("free", 1))
        self.assertEqual(self.next(Tally(0, 6), Tally(1, 6, last=6)), ("last", 1))
        self.assertIsNone(self.next(Tally(0, 6), Tally(1, 5, last=5)))
