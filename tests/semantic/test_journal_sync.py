"""Entries of the journal as long-term memories, each of them once."""

from msgspec import structs
from twisted.internet.defer import fail

from evennia_ai.memory import journal
from evennia_ai.semantic import journal_sync
from evennia_ai.semantic.base import get_memory
from evennia_ai.testing import AITestCase


class Killed(Exception):
    """Nothing happens any more."""


class Dying:
    """A memory whose server is killed after so many changes."""

    def __init__(self, memory, changes):
        self.memory, self.left = memory, changes

    def add(self, *args, **kwargs):
        """Add, and die if that was the last change."""
        return self._changed(self.memory.add(*args, **kwargs))

    def delete(self, *args, **kwargs):
        """Delete, and die if that was the last change."""
        return self._changed(self.memory.delete(*args, **kwargs))

    def _changed(self, done):
        self.left -= 1
        return done if self.left else done.addCallback(lambda _: fail(Killed()))


class KeepingTests(AITestCase):
    def setUp(self):
        super().setUp()
        self.memory = get_memory()
        self.entry = journal.add_entry(
            self.char1,
            "The bridge fell.",
            tags=["bridge"],
            source_type="direct",
            source_entity="Ann",
            source_id="ann-id",
            now="2030-01-01",
        )

    def copies(self, *entries):
        found = journal_sync.find_copies(self.memory, entries, assistant_key="mara")
        return self.successResultOf(found)

    def keep(self, entry):
        kept = journal_sync.keep_entry(
            self.memory, entry, assistant_key="mara", copies=self.copies(entry).get(entry.id, [])
        )
        self.successResultOf(kept)
        return self.successResultOf(self.memory.get_all(assistant_key="mara"))

    def test_a_memory_carries_where_it_comes_from(self):
        """M37 M39."""
        [item] = self.keep(self.entry)
        self.assertEqual((item.text, item.audience), ("The bridge fell.", "public"))
        self.assertEqual(
            item.metadata,
            {
                "source": "journal",
                "entry_id": 1,
                "tags": ["bridge"],
                "source_type": "direct",
                "source_trust": 0.9,
                "source_entity": "Ann",
                "source_id": "ann-id",
                "importance": 7,
                "importance_method": "heuristic",
                "timestamp": "2030-01-01T00:00:00.000Z",
                "event_id": "",
                "chain": [],
                "speaker": "Ann",
            },
        )

    def test_only_those_who_may_know_the_entry_find_the_memory(self):
        self.keep(structs.replace(self.entry, audience=["ann-id", "mara"]))
        for hearers, found in ((["ann-id"], 1), (["bob-id"], 0), (["ann-id", "bob-id"], 0)):
            search = self.memory.search("bridge", assistant_key="mara", hearers=hearers)
            self.assertEqual(len(self.successResultOf(search)), found, hearers)

    def test_a_copy_is_found_by_the_entry_whoever_may_know_it(self):
        other = journal.add_entry(self.char1, "The key is hidden.", audience=["ann-id"])
        self.keep(self.entry)
        self.keep(other)
        copies = self.copies(self.entry, other)
        self.assertEqual(
            {entry_id: copy.text for entry_id, [copy] in copies.items()},
            {1: "The bridge fell.", 2: "The key is hidden."},
        )
        self.assertEqual(self.copies(), {})

    def test_an_entry_that_is_there_is_not_added_again(self):
        self.keep(self.entry)
        self.assertEqual(len(self.keep(self.entry)), 1)

    def test_an_entry_with_other_words_supersedes_its_copy(self):
        self.keep(self.entry)
        [item] = self.keep(structs.replace(self.entry, content="Two bridges fell."))
        self.assertEqual(item.text, "Two bridges fell.")
        self.assertEqual(item.metadata["history"][0]["text"], "The bridge fell.")

    def test_a_new_rating_reaches_the_copy_and_makes_no_history(self):
        self.keep(self.entry)
        [item] = self.keep(structs.replace(self.entry, importance=9, importance_method="llm"))
        known = item.metadata
        self.assertEqual((known["importance"], known["importance_method"]), (9, "llm"))
        self.assertEqual((item.text, known["history"]), ("The bridge fell.", []))
        self.assertEqual(known["timestamp"], "2030-01-01T00:00:00.000Z")

    def test_what_superseded_the_copy_meanwhile_stays(self):
        [item] = self.keep(self.entry)
        update = self.memory.update(item.id, "The bridge stands again.", assistant_key="mara")
        self.assertTrue(self.successResultOf(update))
        [item] = self.keep(structs.replace(self.entry, importance=9))
        self.assertEqual(item.text, "The bridge stands again.")
        self.assertEqual(item.metadata["importance"], 9)

    def test_another_audience_makes_another_memory_in_its_place(self):
        self.keep(self.entry)
        [item] = self.keep(structs.replace(self.entry, audience=["ann-id", "mara"]))
        self.assertEqual(item.audience, ["ann-id", "mara"])

    def test_at_each_moment_there_is_a_copy_and_in_the_end_there_is_one(self):
        self.keep(self.entry)
        for killed_after in (1, 2):
            entry = structs.replace(self.entry, audience=["ann-id", f"mara{killed_after}"])
            with self.subTest(killed_after):
                copies = self.copies(entry)[1]
                kept = journal_sync.keep_entry(
                    Dying(self.memory, killed_after), entry, assistant_key="mara", copies=copies
                )
                self.failureResultOf(kept, Killed)
                there = self.successResultOf(self.memory.get_all(assistant_key="mara"))
                self.assertEqual({item.text for item in there}, {"The bridge fell."})
                [item] = self.keep(entry)
                self.assertEqual(item.audience, entry.audience)

    def test_the_entry_of_a_journal_that_was_begun_again_is_another(self):
        self.keep(self.entry)
        other = structs.replace(
            self.entry, content="It rains.", timestamp="2031-01-01T00:00:00.000Z"
        )
        texts = [item.text for item in self.keep(other)]
        self.assertEqual(sorted(texts), ["It rains.", "The bridge fell."])
