"""Tests of what is counted of a page, without a journal."""

import unittest

from msgspec import structs

from evennia_ai.domain.memories import page_counts
from evennia_ai.domain.memories.page_counts import PageCounts
from tests.domain.entries import entry as noted


def entry(**fields):
    return noted(**{"importance_method": "llm", "scored": True, **fields})


def counted(*entries):
    """Return what is not 0 in the counts of a page of these entries."""
    page = PageCounts(3)
    for one in entries:
        page = page.changed(one, 1)
    return {kind: number for kind, number in page._asdict().items() if number and kind != "number"}


class KindTests(unittest.TestCase):
    def test_what_may_go(self):
        self.assertEqual(
            counted(
                entry(),
                entry(importance=3),
                entry(consolidated=True, importance=4),
                entry(consolidated=True, importance=1),
                entry(pinned=True, consolidated=True, importance=1),
                entry(tags=["synthesis"], consolidated=True, importance=1),
            ),
            {
                "count": 6,
                "consolidated": 2,
                "trivial": 2,
                "free": 4,
                "last": 4,
                "ready": 2,
                "syntheses": 1,
            },
        )

    def test_what_is_cited_is_counted_apart(self):
        self.assertEqual(
            counted(
                entry(cited=True, consolidated=True, importance=1),
                entry(cited=True, importance=1),
                entry(cited=True, consolidated=True, pinned=True),
            ),
            {"count": 3, "cited": 1, "last": 2, "ready": 1},
        )

    def test_what_sleep_has_to_do_yet(self):
        unrated = entry(importance_method="heuristic", scored=False)
        offline = entry(importance_method="heuristic", scored_by="offline", consolidated=True)
        for one, expected in (
            (unrated, {"unrated": 1}),
            (structs.replace(unrated, importance_method="manual"), {"ready": 1}),
            (structs.replace(offline, consolidated=False), {"ready": 1, "offline": 1}),
            (offline, {}),
            (entry(content="[SYNTHESIS] All is well."), {}),
        ):
            with self.subTest(one):
                found = counted(one)
                waits = {
                    kind: found[kind] for kind in ("unrated", "ready", "offline") if kind in found
                }
                self.assertEqual(waits, expected)

    def test_an_entry_less_leaves_what_was_there_before(self):
        one, other = entry(importance=2, consolidated=True), entry(cited=True)
        page = PageCounts(3).changed(one, 1)
        self.assertEqual(page.changed(other, 1).changed(other, -1), page)


class TextTests(unittest.TestCase):
    def test_it_is_stored_as_text(self):
        page = PageCounts(12, 64, 3, 10, 60, 1, 61, 5, 6, 7, 8)
        self.assertEqual(page.text(), "12 64 3 10 60 1 61 5 6 7 8")
        self.assertEqual(page_counts.read_counts(page.text()), page)
