"""Tests of the journal: what is noted stays, what may go goes in order, and nothing is mixed up."""

from datetime import datetime, timezone

from evennia_ai.core.words import Game
from evennia_ai.memory import identity, journal
from evennia_ai.memory.storage import own_attributes, pages
from evennia_ai.testing import AITestCase
from tests.language_files import language_file

NOON = datetime(2030, 1, 1, 12, tzinfo=timezone.utc)


class JournalTestCase(AITestCase):
    def note(self, content="It rained.", **fields):
        return journal.add_entry(self.char1, content, **fields)

    def stored(self):
        """Return {key: value} of the pages in the database, past every cache."""
        rows = own_attributes.rows(self.char1).filter(db_category="journal")
        return dict(rows.values_list("db_key", "db_strvalue"))

    def contents(self):
        return [entry.content for entry in journal.entries(self.char1)]

    def ids(self):
        return [entry.id for entry in journal.entries(self.char1)]

    def restart(self):
        """Forget every Attribute that is held in memory."""
        own_attributes.drop_cached(self.char1)


class AddTests(JournalTestCase):
    def test_what_nobody_may_know_does_not_become_public(self):
        self.note("The crown lies under the oak.", audience=[])
        self.restart()
        [entry] = journal.entries(self.char1)
        self.assertEqual(entry.audience, [])

    def test_an_entry_has_every_field(self):
        """J3 J6 J7 J8 J9 J10 J11 J12 J13 J14 J15 J16 J53: names, types, defaults of an entry."""
        self.note("It rained.", now=NOON)
        self.assertEqual(
            journal.journal(self.char1)["entries"],
            [
                {
                    "id": 1,
                    "timestamp": "2030-01-01T12:00:00.000Z",
                    "content": "It rained.",
                    "source_type": "observation",
                    "source_trust": 0.8,
                    "source_entity": "",
                    "source_id": "",
                    "importance": 6,
                    "importance_method": "heuristic",
                    "tags": [],
                    "related_projects": [],
                    "audience": "public",
                    "consolidated": False,
                    "scored": False,
                    "scored_by": "",
                    "pinned": False,
                    "event_id": "",
                    "chain": [],
                    "shared": [],
                    "evidence": [],
                    "cited": False,
                }
            ],
        )

    def test_what_is_given_is_kept(self):
        """J11 J14 J15 J16 J53: an importance that is given counts as manual."""
        entry = self.note(
            "  Alice owes Bob money.  ",
            tags=("debt",),
            related_projects=["collect"],
            source_type="direct",
            source_trust=0.4,
            source_entity="Alice",
            source_id="uuid-of-alice",
            importance=9,
            audience=("uuid-of-bob", "uuid-of-alice"),
            event_id="e1",
            chain=[{"identity": "uuid-of-cid", "name": "Cid"}],
            now="2030-01-01T12:00:00Z",
        )
        self.assertEqual(
            pages.plain(entry),
            {
                "id": 1,
                "timestamp": "2030-01-01T12:00:00.000Z",
                "content": "Alice owes Bob money.",
                "source_type": "direct",
                "source_trust": 0.4,
                "source_entity": "Alice",
                "source_id": "uuid-of-alice",
                "importance": 9,
                "importance_method": "manual",
                "tags": ["debt"],
                "related_projects": ["collect"],
                "audience": ["uuid-of-alice", "uuid-of-bob"],
                "consolidated": False,
                "scored": True,
                "scored_by": "",
                "pinned": False,
                "event_id": "e1",
                "chain": [{"identity": "uuid-of-cid", "name": "Cid"}],
                "shared": [],
                "evidence": [],
                "cited": False,
            },
        )
        self.assertEqual(journal.get_entry(self.char1, 1), entry)

    def test_trust_follows_from_the_source(self):
        """J9 J17 J18 J19 J20: 0.9, 0.8, 0.6 and 0.3."""
        for source_type, trust in [
            ("direct", 0.9),
            ("observation", 0.8),
            ("inference", 0.6),
            ("environmental", 0.3),
        ]:
            self.assertEqual(self.note(source_type=source_type).source_trust, trust)
        self.assertEqual(self.note(source_type="direct", source_trust=0.0).source_trust, 0.0)

    def test_importance_is_worked_out_at_once(self):
        """J23: direct (7), a secret (9), and an exclamation (10)."""
        entry = self.note("A secret!", source_type="direct")
        self.assertEqual((entry.importance, entry.importance_method), (10, "heuristic"))

    def test_keywords_are_those_of_the_languages_of_the_game(self):
        self.assertEqual(self.note("Det är krig.").importance, 6)
        self.addCleanup(Game.speaks, Game.language)
        Game.speaks("sv")
        self.assertEqual(self.note("Det är krig.").importance, 8)
        with language_file("sv", "keywords: {high: [rained]}"):
            self.assertEqual(self.note("It rained.").importance, 8)

    def test_what_cannot_be_is_refused_and_leaves_no_trace(self):
        for content, fields in [
            ("  ", {}),
            ("x", {"source_type": "gossip"}),
            ("x", {"source_trust": 1.1}),
            ("x", {"source_trust": -0.1}),
            ("x", {"importance": 0}),
            ("x", {"importance": 11}),
            ("x", {"importance": True}),
        ]:
            with self.subTest(content=content, **fields), self.assertRaises(ValueError):
                self.note(content, **fields)
        with self.assertRaises(TypeError):
            self.note("x", tags=[object()])
        self.assertEqual((self.contents(), self.stored()), ([], {}))

    def test_an_entry_is_in_the_database_when_add_entry_returns(self):
        self.note("First, |rred|n and “ünïcode”.")
        self.note("Second.")
        self.restart()
        self.assertEqual(self.contents(), ["First, |rred|n and “ünïcode”.", "Second."])

    def test_what_is_returned_is_detached(self):
        self.note(tags=["rain"]).tags.append("spoilt")
        journal.entries(self.char1)[0].tags.append("spoilt")
        journal.journal(self.char1)["entries"].clear()
        self.assertEqual(journal.get_entry(self.char1, 1).tags, ["rain"])


class WholeTests(JournalTestCase):
    def test_the_whole_journal_is_one_dict(self):
        """E4 J2 J3 J4 J5: the keys, the room for 100 entries, the ids that were consolidated."""
        for number in range(3):
            self.note(f"Day {number}.")
        journal.edit_entry(self.char1, 2, consolidated=True)
        journal.note_reflection(self.char1, now=NOON)
        whole = journal.journal(self.char1)
        self.assertEqual([entry["id"] for entry in whole.pop("entries")], [1, 2, 3])
        self.assertEqual(
            whole,
            {
                "entry_count": 3,
                "max_entries": 100,
                "last_reflection": "2030-01-01T12:00:00.000Z",
                "consolidated_entry_ids": [2],
            },
        )

    def test_nothing_noted_is_an_empty_journal(self):
        whole = journal.journal(self.char1)
        self.assertEqual((whole["entries"], whole["entry_count"]), ([], 0))
        self.assertEqual((whole["last_reflection"], whole["consolidated_entry_ids"]), ("", []))
        self.assertFalse(self.char1.attributes.has("journal"))

    def test_an_attribute_of_that_name_is_read_by_nobody_and_what_is_kept_is_for_developers(self):
        self.note()
        self.char1.attributes.add("journal", {"entries": 7, "entry_count": 7})
        self.assertEqual((self.ids(), journal.size(self.char1)), ([1], 1))
        kept = own_attributes.rows(self.char1)
        locks = {attribute.db_lock_storage for attribute in kept}
        self.assertEqual(locks, {"attrread:perm(Developer);attredit:perm(Developer)"})

    def test_ids_count_up_and_are_never_given_again(self):
        """J5 J6: after the newest entry was removed, its id is not reused."""
        self.note(), self.note()
        self.assertEqual(journal.remove_entries(self.char1, [2, 2, 7]), 1)
        self.assertEqual(self.note().id, 3)
        self.assertEqual(self.ids(), [1, 3])
        self.assertEqual(journal.journal(self.char1)["entry_count"], 3)


class GetTests(JournalTestCase):
    def test_several_entries_are_returned_by_their_id_without_those_that_are_gone(self):
        for number in range(70):
            self.note(f"It rained {number} times.")
        journal.remove_entries(self.char1, [2])
        found = journal.get_entries(self.char1, [1, 2, 70, 99, 70])
        self.assertEqual(
            {entry_id: entry.content for entry_id, entry in found.items()},
            {1: "It rained 0 times.", 70: "It rained 69 times."},
        )
        self.assertEqual(found[70], journal.get_entry(self.char1, 70))


class EditTests(JournalTestCase):
    def test_fields_change_and_the_rest_stays(self):
        self.note("It rained.", now=NOON, tags=["weather"])
        changed = journal.edit_entry(self.char1, 1, content="It snowed.", pinned=True)
        self.assertEqual(changed.content, "It snowed.")
        self.restart()
        [entry] = journal.entries(self.char1)
        self.assertEqual(entry, changed)
        self.assertEqual((entry.tags, entry.pinned), (["weather"], True))
        self.assertEqual(entry.importance_method, "heuristic")

    def test_a_new_importance_is_manual_unless_said_otherwise(self):
        self.note()
        entry = journal.edit_entry(self.char1, 1, importance=3)
        self.assertEqual((entry.importance_method, entry.scored), ("manual", True))
        entry = journal.edit_entry(self.char1, 1, importance=4, importance_method="llm")
        self.assertEqual((entry.importance, entry.importance_method), (4, "llm"))

    def test_what_cannot_be_is_refused(self):
        self.note()
        before = journal.entries(self.char1)
        for changes in ({"id": 5}, {"mood": "x"}, {"importance": 12}, {"importance_method": "x"}):
            with self.subTest(**changes), self.assertRaises(ValueError):
                journal.edit_entry(self.char1, 1, **changes)
        self.assertIsNone(journal.edit_entry(self.char1, 2, content="x"))
        self.assertEqual(journal.entries(self.char1), before)

    def test_a_mind_rates_anew_but_never_what_was_rated_by_hand(self):
        """J13 J38: heuristic becomes llm, clamped; manual stays."""
        self.note(), self.note(importance=2)
        self.assertEqual(journal.rescore(self.char1, {1: 99, 2: 8, 3: 8}), {1: 4})
        found = [(one.importance, one.importance_method) for one in journal.entries(self.char1)]
        self.assertEqual(found, [(10, "llm"), (2, "manual")])
        self.assertTrue(journal.get_entry(self.char1, 1).scored)

    def test_it_is_kept_that_the_offline_mind_rated_until_somebody_else_does(self):
        """C-16."""
        self.note()
        self.assertEqual(
            journal.rescore(self.char1, {1: 7}, "heuristic", scored_by="offline"), {1: 1}
        )
        entry = journal.get_entry(self.char1, 1)
        self.assertEqual((entry.scored, entry.scored_by), (True, "offline"))
        journal.edit_entry(self.char1, 1, importance=3)
        self.assertEqual(journal.get_entry(self.char1, 1).scored_by, "")


class VersionTests(JournalTestCase):
    def test_every_write_changes_the_version_and_reading_does_not(self):
        seen = [journal.version(self.char1)]
        self.assertEqual(seen, [0])
        for write in (
            lambda: self.note(),
            lambda: self.note(),
            lambda: journal.edit_entry(self.char1, 1, pinned=True),
            lambda: journal.rescore(self.char1, {1: 3}),
            lambda: journal.remove_entries(self.char1, [2]),
        ):
            write()
            self.assertEqual(journal.version(self.char1), journal.version(self.char1))
            seen.append(journal.version(self.char1))
        self.assertEqual(len(set(seen)), 6)

    def test_removing_nothing_is_no_write(self):
        self.note()
        before = journal.version(self.char1)
        self.assertEqual(journal.remove_entries(self.char1, [5]), 0)
        self.assertEqual(journal.version(self.char1), before)

    def test_a_journal_that_was_begun_again_has_another_version(self):
        self.note()
        before = journal.version(self.char1)
        identity.forget_everything(self.char1)
        self.note()
        self.assertNotEqual(journal.version(self.char1), before)
