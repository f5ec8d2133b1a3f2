"""Tests of what is known of a journal without reading it, and of what insights rest on in it."""

from unittest import mock

from evennia_ai.memory import journal, journal_pages, kinds, repository
from tests.memory.test_journal import JournalTestCase


class CountTests(JournalTestCase):
    """Which pages have something to do is known without reading them."""

    def setUp(self):
        super().setUp()
        journal.set_max_entries(self.char1, 1000)
        for number in range(1, 200):
            self.note(f"Day {number}.", importance=None if number in (70, 71, 190) else 5)

    def ids_with(self, *kinds, **options):
        found = journal.entries_with(self.char1, *kinds, **options)
        return sorted({(entry.id - 1) // 64 for entry in found}), len(found)

    def test_entries_are_counted_by_what_waits_for_them(self):
        self.assertEqual(journal.count(self.char1, "unrated"), 3)
        self.assertEqual(journal.count(self.char1, "unrated", "ready"), 199)
        journal.edit_entry(self.char1, 70, importance=7)
        journal.edit_entry(self.char1, 1, consolidated=True)
        self.assertEqual(journal.count(self.char1, "unrated"), 2)
        self.assertEqual(journal.count(self.char1, "ready"), 196)

    def test_only_the_pages_are_read_that_have_some(self):
        self.assertEqual(self.ids_with("unrated"), ([1, 2], 128))
        self.assertEqual(self.ids_with("unrated", at_least=2), ([1], 64))
        self.assertEqual(self.ids_with("unrated", at_least=3), ([1, 2], 128))
        self.assertEqual(self.ids_with("unrated", "ready", at_least=4), ([0, 1, 2], 192))
        with self.assertNumQueries(0):
            self.assertEqual(journal.entries_with(self.char1, "offline"), [])

    def test_the_oldest_are_read_page_by_page(self):
        journal.edit_entry(self.char1, 130, importance=1)
        with mock.patch.object(
            journal_pages, "load_page", side_effect=journal_pages.load_page
        ) as load_page:
            found = journal.oldest_first(self.char1, "trivial")
            self.assertEqual(next(found).id, 129)
        self.assertEqual(load_page.call_args_list, [mock.call(self.char1, 2)])

    def test_pages_whose_head_is_lost_are_counted_anew(self):
        journal.add_entry(self.char1, "[SYNTHESIS] All is well.", evidence=[2, 66])
        expected = journal_pages.load_head(self.char1)
        journal.edit_entry(self.char1, 2, cited=False)
        repository.remove(self.char1, kinds.JOURNAL_HEAD)
        found = journal_pages.load_head(self.char1)
        self.assertEqual((found.pages, found.entry_count), (expected.pages, 200))
        self.assertTrue(journal.get_entry(self.char1, 2).cited)
        self.assertEqual(journal.size(self.char1), 200)


class CitedTests(JournalTestCase):
    """What an insight rests on outlasts what nothing rests on."""

    def setUp(self):
        super().setUp()
        journal.set_max_entries(self.char1, 5)
        for number in range(1, 5):
            self.note(f"Day {number}.", importance=9)
            journal.edit_entry(self.char1, number, consolidated=True)
        journal.add_entry(self.char1, "[SYNTHESIS] All is well.", importance=8, evidence=[1, 2, 77])

    def test_the_oldest_that_is_not_cited_goes_first(self):
        self.note("New.", importance=9), self.note("Newer.", importance=9)
        self.assertEqual(self.ids(), [1, 2, 5, 6, 7])

    def test_then_what_is_cited_and_has_a_copy(self):
        for _ in range(3):
            self.note("New.", importance=9)
        self.assertEqual(self.ids(), [2, 5, 6, 7, 8])

    def test_an_entry_says_that_it_is_cited(self):
        cited = [entry.id for entry in journal.entries(self.char1) if entry.cited]
        self.assertEqual(cited, [1, 2])
