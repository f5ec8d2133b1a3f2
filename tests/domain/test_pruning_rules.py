"""Which entries of a journal may be forgotten for good."""

import unittest
from datetime import datetime, timedelta, timezone

from evennia_ai.core.records import format_time
from evennia_ai.domain.sleeping import pruning_rules
from tests.domain.entries import entry as noted

NOW = datetime(2030, 6, 30, 12, tzinfo=timezone.utc)


def entry(entry_id, *, days=31.0, **fields):
    timestamp = format_time(NOW - timedelta(days=days))
    old = {"id": entry_id, "timestamp": timestamp, "importance": 3, "consolidated": True}
    return noted(**{**old, **fields})


class ForgettableTests(unittest.TestCase):
    def found(self, *entries, **options):
        return pruning_rules.select_forgettable(entries, now=NOW, **options)

    def test_it_is_what_hardly_mattered_and_is_old(self):
        """J73."""
        entries = (
            entry(1),
            entry(2, importance=4),
            entry(3, importance=1),
            entry(4, days=30),
            entry(5, days=30.001),
            entry(6, days=0),
            entry(7, days=-3),
        )
        self.assertEqual(self.found(*entries), [1, 3, 5])

    def test_it_is_ten_at_once_the_oldest_first(self):
        """J73."""
        entries = [entry(number, days=60 - number) for number in range(1, 15)]
        self.assertEqual(self.found(*entries), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
        self.assertEqual(self.found(*entries, limit=2), [1, 2])

    def test_what_is_pinned_made_of_others_or_cited_stays(self):
        """J74 C-20."""
        entries = (
            entry(1, pinned=True),
            entry(2, tags=["synthesis"]),
            entry(3, content="[SYNTHESIS] Floors are swept."),
            entry(4, cited=True),
            entry(5),
        )
        self.assertEqual(self.found(*entries), [5])

    def test_no_more_is_read_than_it_takes(self):
        read = []

        def entries(*days):
            for number, age in enumerate(days):
                read.append(number)
                yield entry(number, days=age)

        self.assertEqual(self.found(*()), [])
        found = pruning_rules.select_forgettable(entries(*[40] * 20), now=NOW, limit=3)
        self.assertEqual((found, len(read)), ([0, 1, 2], 3))
        read.clear()
        # One that was dated forward ends nothing; a hundred that are young do.
        days = [40, 1, 40, *[1] * 200, 40]
        found = pruning_rules.select_forgettable(entries(*days), now=NOW)
        self.assertEqual((found, len(read)), ([0, 2], 103))

    def test_what_exists_nowhere_else_stays_where_it_could(self):
        """J74 C-20."""
        entries = (entry(1, consolidated=False), entry(2))
        self.assertEqual(self.found(*entries, only_consolidated=True), [2])
        self.assertEqual(self.found(*entries), [1, 2])

    def test_the_bounds_are_those_of_the_game(self):
        entries = (entry(1, days=8, importance=5), entry(2, days=6))
        self.assertEqual(self.found(*entries, importance=5, days=7), [1])
