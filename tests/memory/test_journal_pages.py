"""Tests of how a journal lies in pages, and what it lets go."""

from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from unittest import mock

from django.db import DatabaseError, connection
from evennia.objects.objects import DefaultObject
from evennia.utils.create import create_object

from evennia_ai.memory import identity, journal, journal_pages, kinds, repository
from evennia_ai.memory.storage import own_attributes
from tests.memory.asked import statements
from tests.memory.test_journal import JournalTestCase

NOON = datetime(2030, 1, 1, 12, tzinfo=timezone.utc)


class PageTests(JournalTestCase):
    def setUp(self):
        super().setUp()
        journal.set_max_entries(self.char1, 1000)
        for number in range(1, 131):
            self.note(f"Day {number}.")

    def test_a_page_holds_64_entries(self):
        sizes = {key: page.count("\n") - 1 for key, page in self.stored().items()}
        self.assertEqual(sizes, {"p00000": 64, "p00001": 64, "p00002": 2})
        self.assertEqual(journal.size(self.char1), 130)
        self.assertEqual(self.ids(), list(range(1, 131)))

    def test_a_change_writes_one_page_and_the_head_at_once(self):
        with statements() as asked:
            self.note("Another.")
        self.assertEqual(asked, ["BEGIN", "UPDATE 2", "COMMIT"])
        with statements() as asked:
            journal.edit_entry(self.char1, 70, content="Changed.")
        self.assertEqual(asked, ["BEGIN", "UPDATE 2", "COMMIT"])
        self.assertEqual(journal.get_entry(self.char1, 70).content, "Changed.")

    def test_that_a_journal_is_empty_is_asked_once_until_something_is_noted(self):
        with statements() as asked:
            self.assertEqual((journal.size(self.char2), journal.size(self.char2)), (0, 0))
        self.assertEqual(asked.count("SELECT"), 2)
        journal.add_entry(self.char2, "First.")
        self.assertEqual(journal.size(self.char2), 1)
        journal.remove_entries(self.char2, [1])
        self.assertEqual(journal.size(self.char2), 0)

    def test_a_full_journal_writes_one_page_more_in_the_same_transaction(self):
        journal.set_max_entries(self.char1, 130)
        journal.edit_entry(self.char1, 5, consolidated=True)
        with statements() as asked:
            self.note("Another.")
        self.assertEqual(asked, ["BEGIN", "UPDATE 3", "COMMIT"])
        self.assertIsNone(journal.get_entry(self.char1, 5))
        self.assertEqual(journal.size(self.char1), 130)

    def test_removed_entries_leave_gaps_and_empty_pages_go(self):
        self.assertEqual(journal.remove_entries(self.char1, range(60, 129)), 69)
        self.assertEqual(self.ids(), [*range(1, 60), 129, 130])
        self.assertEqual(sorted(self.stored()), ["p00000", "p00002"])
        self.assertIsNone(journal.get_entry(self.char1, 64))
        self.assertIsNone(journal.get_entry(self.char1, 9999))
        self.assertEqual(journal.size(self.char1), 61)

    def test_newest_first_reads_no_more_pages_than_it_needs(self):
        read = []
        real = journal_pages.load_page

        def load_page(character, number):
            read.append(number)
            return real(character, number)

        with mock.patch.object(journal_pages, "load_page", load_page):
            found = journal.newest_first(self.char1)
            self.assertEqual([next(found).id for _ in range(3)], [130, 129, 128])
        self.assertEqual(read, [2, 1])

    def test_newest_first_ends_where_the_days_do(self):
        self.clock.advance(3 * 86400)
        self.note("Three days later.")
        self.clock.advance(86400)
        found = [entry.id for entry in journal.newest_first(self.char1, days_back=1)]
        self.assertEqual(found, [131])
        self.assertEqual(len(list(journal.newest_first(self.char1, days_back=4))), 131)
        self.assertEqual(len(list(journal.newest_first(self.char1, days_back=10**9))), 131)


class EvictionTests(JournalTestCase):
    def setUp(self):
        super().setUp()
        journal.set_max_entries(self.char1, 5)
        self.logged = []
        for level in ("log_info", "log_warn"):
            patch = mock.patch.object(
                journal.logger, level, lambda text, level=level: self.logged.append((level, text))
            )
            patch.start()
            self.addCleanup(patch.stop)

    def fill(self, *ratings):
        for number, rating in enumerate(ratings, 1):
            self.note(f"Day {number}.", importance=rating)

    def test_the_oldest_consolidated_goes_first(self):
        """J57 J74: what exists in semantic memory goes before anything that exists only here."""
        self.fill(1, 9, 9, 9, 9)
        journal.edit_entry(self.char1, 3, consolidated=True)
        journal.edit_entry(self.char1, 4, consolidated=True)
        self.note("New.", importance=1)
        self.assertEqual(self.ids(), [1, 2, 4, 5, 6])

    def test_then_of_whoever_told_most_what_matters_least(self):
        self.note("The baron did it.", importance=1, source_id="ann")
        for number in range(2, 7):
            self.note(f"Day {number}.", importance=9 - number, source_id="bob")
        self.note("New.", importance=1, source_id="bob")
        self.assertEqual(self.ids(), [1, 2, 3, 4, 5, 7])
        self.note("Newer.", importance=9, source_id="cid")
        self.assertEqual(self.ids(), [1, 2, 3, 4, 5, 8])

    def test_an_entry_never_makes_room_for_itself(self):
        self.fill(9, 9, 9, 9, 9)
        self.note("New.", importance=1)
        self.assertEqual(self.ids(), [1, 2, 3, 4, 5, 6])

    def test_what_exists_nowhere_else_stays_until_a_fifth_too_much(self):
        self.fill(9, 9, 9, 9, 9, 9)
        self.assertEqual(self.ids(), [1, 2, 3, 4, 5, 6])
        self.assertTrue(journal.wants_sleep(self.char1))
        self.note("New.", importance=9)
        self.assertEqual(self.ids(), [2, 3, 4, 5, 6, 7])

    def test_syntheses_and_pinned_entries_stay(self):
        self.note("[SYNTHESIS] All is well.", importance=1)
        self.note("Insight.", importance=1, tags=["synthesis"])
        self.note("My name.", importance=1)
        journal.edit_entry(self.char1, 3, pinned=True, consolidated=True)
        self.fill(9, 9, 9, 9)
        self.assertEqual(self.ids(), [1, 2, 3, 5, 6, 7])
        for entry_id in (5, 6, 7):
            journal.edit_entry(self.char1, entry_id, pinned=True)
        self.note("New.")
        self.assertEqual(self.ids(), [1, 2, 3, 5, 6, 7, 8])

    def test_every_eviction_is_logged_and_counted(self):
        self.fill(9, 1, 9, 9, 9)
        journal.edit_entry(self.char1, 2, consolidated=True)
        self.note("New.", importance=9)
        self.assertEqual(
            (journal_pages.load_head(self.char1).evicted, journal.lost(self.char1)), (1, 0)
        )
        self.note("Newer.", importance=9), self.note("Newest.", importance=9)
        self.assertEqual(
            (journal_pages.load_head(self.char1).evicted, journal.lost(self.char1)), (2, 1)
        )
        levels = [level for level, _ in self.logged]
        self.assertEqual(levels, ["log_info", "log_warn"])
        self.assertTrue(
            self.logged[0][1].endswith("forgets 1 of its entries (consolidated)"), self.logged
        )
        self.assertTrue(
            self.logged[1][1].endswith("forgets 1 of its entries (nowhere else)"), self.logged
        )

    def test_the_log_does_not_tell_what_it_was(self):
        self.note("The password is swordfish.", importance=1)
        self.fill(9, 9, 9, 9, 9, 9)
        [(_, text)] = self.logged
        self.assertTrue(text.endswith("forgets 1 of its entries (nowhere else)"), text)

    def test_a_long_journal_is_looked_through_for_several_at_once(self):
        journal.set_max_entries(self.char1, 400)
        for number in range(481):
            self.note(f"Day {number}.", importance=9)
        self.assertEqual((journal.size(self.char1), journal.lost(self.char1)), (479, 2))

    def test_a_smaller_journal_lets_go_at_the_next_entry(self):
        self.fill(1, 1, 1, 1, 1)
        journal.set_max_entries(self.char1, 2)
        self.note("New.", importance=9)
        self.assertEqual(self.ids(), [5, 6])
        with self.assertRaises(ValueError):
            journal.set_max_entries(self.char1, 0)

    def test_the_counts_stay_right_over_many_changes(self):
        """What the head says of the pages is what the pages say, whatever was done to them."""
        journal.set_max_entries(self.char1, 150)
        for number in range(1, 261):
            self.note(f"Day {number}.", importance=number % 10 + 1)
            if number % 3 == 0:
                journal.edit_entry(self.char1, number, consolidated=True)
            if number % 7 == 0:
                journal.edit_entry(self.char1, number - 2, pinned=True)
            if number % 11 == 0:
                journal.remove_entries(self.char1, [number - 1])
        stated = journal_pages.load_head(self.char1)
        repository.remove(self.char1, kinds.JOURNAL_HEAD)
        counted = journal_pages.load_head(self.char1)
        self.assertEqual((stated.pages, stated.size), (counted.pages, counted.size))
        self.assertGreater(len(stated.pages.split(";")), 3)
        self.assertLessEqual(journal.size(self.char1), 180)


class DamagedTests(JournalTestCase):
    def test_a_page_that_was_deleted_by_hand_is_no_longer_counted(self):
        journal.set_max_entries(self.char1, 60)
        for number in range(72):
            self.note(f"Day {number}.", importance=2)
        own_attributes.rows(self.char1).filter(db_key="p00000").delete()
        self.restart()
        self.assertEqual(self.note("New.").id, 73)
        self.assertEqual(self.ids(), [65, 66, 67, 68, 69, 70, 71, 72, 73])
        self.assertEqual((journal.size(self.char1), journal.lost(self.char1)), (9, 0))
        self.assertIsNone(journal.get_entry(self.char1, 1))


class RefusedTests(JournalTestCase):
    @contextmanager
    def refusing(self, table):
        """Let the database refuse what it has changed in a table, as if the disk were full by then."""
        changes = []

        def execute(run, sql, params, many, context):
            result = run(sql, params, many, context)
            if sql.startswith("UPDATE") and table in sql:
                changes.append(sql)
                raise DatabaseError("disk full")
            return result

        with connection.execute_wrapper(execute):
            yield
        self.assertEqual(len(changes), 1)

    def test_what_the_database_refuses_is_nowhere(self):
        self.note("Before.")
        with self.refusing("typeclasses_attribute"), self.assertRaises(DatabaseError):
            self.note("Refused.")
        self.assertEqual(self.contents(), ["Before."])
        self.assertEqual(self.note("After.").id, 2)
        self.assertEqual(self.contents(), ["Before.", "After."])
        self.assertEqual([one.content for one in journal.newest_first(self.char1)][0], "After.")


class CopyTests(JournalTestCase):
    def test_a_copy_begins_with_an_empty_journal(self):
        self.note("A secret of the first.")
        copy = self.char1.copy("Twin")
        self.addCleanup(copy.delete)
        self.assertEqual(journal.entries(copy), [])
        self.assertEqual(journal.add_entry(copy, "My own.").id, 1)
        self.assertEqual(self.contents(), ["A secret of the first."])

    def test_the_journal_is_gone_when_everything_is_forgotten(self):
        self.note()
        identity.forget_everything(self.char1)
        self.assertEqual((journal.entries(self.char1), self.stored()), ([], {}))
        self.assertFalse(self.char1.attributes.has("journal"))

    def test_any_object_can_keep_one(self):
        box = create_object(DefaultObject, key="box")
        now = NOON + timedelta(days=1)
        self.assertEqual(
            journal.add_entry(box, "Opened.", now=now).timestamp, "2030-01-02T12:00:00.000Z"
        )
