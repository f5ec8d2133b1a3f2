"""What becomes of journals that version 0.1 kept, and of what a game keeps under the same name."""

import json
from datetime import datetime

from evennia.server.models import ServerConfig
from evennia.utils.create import create_script

from evennia_ai.core import volatile
from evennia_ai.memory import journal, journal_pages
from evennia_ai.memory.storage import first_version_migration
from evennia_ai.memory.storage.pages import plain
from evennia_ai.typeclasses.scripts import AssistantScript
from tests.memory.test_journal import JournalTestCase

FLAT = {
    "entries": [
        {
            "id": 41,
            "timestamp": "2025-12-06T14:30:00Z",
            "content": "Player Alice prefers formal address.",
            "source_type": "direct",
            "source_trust": 0.9,
            "source_entity": "Alice",
            "importance": 7,
            "importance_method": "llm",
            "tags": ["player_preference"],
            "related_projects": ["alice_quest"],
        },
        {"id": 42, "timestamp": datetime(2025, 12, 7, 9), "content": "It rained."},
        {"content": "No id and no time."},
    ],
    "entry_count": 42,
    "max_entries": 30,
    "last_reflection": "2025-12-06T10:00:00Z",
    "consolidated_entry_ids": [41],
}


class FirstJournalTestCase(JournalTestCase):
    """`char1` is an NPC of version 0.1: it has a mind, and what it keeps are ordinary Attributes."""

    def setUp(self):
        super().setUp()
        self.addCleanup(volatile.forget_all)
        mind = create_script(AssistantScript, obj=self.char1)
        own = "0b6c3cc3-5a8a-4d2f-9d0e-3c1a4f8f3a11"
        mind.attributes.add("assistant_key", own)
        known = {"uuid": own, "owner": self.char1.id}
        self.char1.attributes.add("identity", known, category="evennia_ai")

    def keep(self, kept, pages=()):
        """Keep a journal in one dict, or its head, and pages of entries, as version 0.1 did."""
        if kept is not None:
            self.char1.attributes.add("journal", kept)
        for number, entries in enumerate(pages):
            kept = [plain(entry) for entry in entries]
            lines = "\n".join(f"{one['id']} {json.dumps(one)}" for one in kept)
            self.char1.attributes.add(f"p{number:05d}", lines, category="journal")
        self.restart()

    def restart(self):
        """Start with this version: nothing is known of what was moved."""
        super().restart()
        ServerConfig.objects.conf(first_version_migration.DONE, delete=True)
        volatile.forget_all()

    def written(self, *contents):
        """Return entries that are noted now, and their head."""
        for content in contents:
            journal.add_entry(self.char2, content)
        return journal_pages.load_head(self.char2), journal.entries(self.char2)


class FlatTests(FirstJournalTestCase):
    def setUp(self):
        super().setUp()
        self.keep(FLAT)

    def test_a_flat_journal_becomes_pages_at_first_touch(self):
        """J2 J4 J5 J7: every field is kept, the missing ones are filled in."""
        whole = journal.journal(self.char1)
        first, second, third = whole.pop("entries")
        self.assertEqual(
            whole,
            {
                "entry_count": 43,
                "max_entries": 30,
                "last_reflection": "2025-12-06T10:00:00.000Z",
                "consolidated_entry_ids": [41],
            },
        )
        given = {**FLAT["entries"][0], "timestamp": "2025-12-06T14:30:00.000Z"}
        self.assertEqual({key: first[key] for key in given}, given)
        self.assertEqual((first["scored"], first["audience"]), (True, "public"))
        self.assertEqual(second["timestamp"], "2025-12-07T09:00:00.000Z")
        self.assertEqual((second["source_trust"], second["importance"]), (0.8, 5))
        self.assertEqual((third["id"], third["content"]), (43, "No id and no time."))
        self.assertFalse(self.char1.attributes.has("journal"))
        self.assertEqual(self.note().id, 44)

    def test_it_happens_once(self):
        first = journal.journal(self.char1)
        self.restart()
        self.assertEqual(journal.journal(self.char1), first)

    def test_done_again_it_makes_no_doubles(self):
        first = journal.journal(self.char1)
        self.keep(FLAT)
        self.clock.advance(5)
        self.assertEqual(journal.journal(self.char1)["entries"], first["entries"])

    def test_what_is_shown_since_is_not_taken_for_a_flat_journal(self):
        self.note("Noted since.")
        before = journal.journal(self.char1)
        shown = {"entries": 4, "entry_count": 44, "max_entries": 30}
        self.restart()
        self.assertEqual(journal.journal(self.char1), before)
        self.assertLessEqual(shown.items(), dict(self.char1.db.journal).items())


class PagedTests(FirstJournalTestCase):
    def test_pages_and_their_head_say_what_they_said(self):
        head, entries = self.written("It rained.", "The |rmill|n burned.")
        self.keep(plain(head), [entries])
        self.assertEqual(journal.entries(self.char1), entries)
        self.assertEqual(journal_pages.load_head(self.char1), head)
        self.assertFalse(self.char1.attributes.has("p00000", category="journal"))
        self.assertEqual(self.note().id, 3)

    def test_a_flat_journal_on_top_of_pages_loses_neither(self):
        _, entries = self.written("Written by us.")
        flat = {"entries": [{"id": 44, "content": "Theirs."}], "entry_count": 44}
        self.keep(flat, [entries])
        self.assertEqual(self.contents(), ["Written by us.", "Theirs."])
        self.assertEqual(self.ids(), [1, 44])

    def test_pages_without_a_head_are_found_again(self):
        _, entries = self.written("Kept.", "Kept, too.")
        self.keep(None, [entries])
        self.assertEqual(journal.entries(self.char1), entries)
        self.assertEqual(self.note().id, 3)

    def test_an_entry_from_before_there_were_chains_is_read_with_all_fields(self):
        head, [entry] = self.written("Kept.")
        self.keep(plain(head), [])
        missing = ("chain", "shared", "scored_by", "evidence", "cited")
        older = {key: one for key, one in plain(entry).items() if key not in missing}
        self.char1.attributes.add("p00000", f"1 {json.dumps(older)}", category="journal")
        self.restart()
        self.assertEqual(journal.entries(self.char1), [entry])
        self.assertEqual(journal.get_entry(self.char1, 1), entry)
        self.assertEqual(list(journal.newest_first(self.char1)), [entry])

    def test_a_journal_of_the_games_own_stays_where_it_is(self):
        self.keep(["quest: find the crown"])
        self.note("Ours.")
        self.assertEqual(self.contents(), ["Ours."])
        self.assertEqual(self.char1.db.journal, ["quest: find the crown"])
