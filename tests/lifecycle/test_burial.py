"""What a deleted NPC remembered is gone everywhere, also if a crash comes in between."""

from unittest import mock

from django.db import transaction
from evennia.objects.models import ObjectDB
from evennia.server.models import ServerConfig
from evennia.utils.create import create_object
from twisted.internet.defer import fail

from evennia_ai import hooks, scheduling
from evennia_ai.experience.base import get_experience
from evennia_ai.lifecycle import burial
from evennia_ai.memory import identity, journal, kinds, repository
from evennia_ai.memory.state import npc_settings
from evennia_ai.memory.storage import own_attributes
from evennia_ai.models import LedgerEntry
from evennia_ai.semantic import base
from evennia_ai.semantic.memory_thread import MemoryUnavailable
from tests import ledger_rows
from tests.lifecycle.cases import TYPECLASS, WORD, MindOfMaraTestCase


def listed():
    """Return who is listed in the database, to be let go of."""
    return ServerConfig.objects.conf(burial.KEY, default=None)


class BurialTests(MindOfMaraTestCase):
    def test_without_a_key_everything_goes(self):
        npc_id = self.mara.id
        LedgerEntry.objects.create(
            assistant_id=npc_id, prompt=WORD, answer=WORD, created="2030-01-01T00Z"
        )
        self.assertTrue(self.mara.delete())
        self.assertEqual(listed(), {self.key: npc_id})
        self.wait(1)
        self.assertNotIn(WORD, self.memories())
        self.assertNotIn(WORD, self.experience())
        entries = ledger_rows.recent(npc_id)
        self.assertEqual([(one["prompt"], one["answer"]) for one in entries], [("", "")])
        self.assertIsNone(listed())

    def test_a_batch_of_npcs_goes_in_the_same_way(self):
        ObjectDB.objects.filter(id=self.mara.id).delete()
        self.wait(1)
        self.assertNotIn(WORD, f"{self.memories()} {self.experience()}")
        self.assertIsNone(listed())
        # A room is not told of such a deletion.
        self.traces[:] = [one for one in self.traces if "contents cache failed" not in one]

    def test_no_attribute_of_ours_stays(self):
        self.mara.delete()
        left = [row.db_strvalue for row in own_attributes.Attribute.objects.all()]
        self.assertEqual([text for text in left if WORD in (text or "")], [])

    def test_who_never_remembered_anything_is_not_listed(self):
        rock = create_object("evennia.objects.objects.DefaultObject", key="rock")
        known = create_object("evennia.objects.objects.DefaultObject", key="known rock")
        identity.identity_of(known)
        blank = create_object(TYPECLASS, key="Bob", location=self.room1)
        for obj in (rock, known, blank):
            with self.subTest(obj.key):
                self.assertTrue(obj.delete())
                self.assertIsNone(listed())

    def test_what_a_group_has_learnt_stays(self):
        npc_settings.grant(self.mara, experience_scope="guards")
        group = get_experience("group:guards")
        self.successResultOf(
            group.store_decision("A thief", "chase", "order", 0.5, {}, "The guards ran.")
        )
        self.mara.delete()
        self.wait(1)
        self.assertIn("The guards ran.", self.experience("group:guards"))
        self.assertNotIn(WORD, self.memories())

    def test_a_copy_that_is_deleted_takes_nothing_of_its_original(self):
        copy = self.mara.copy(new_key="Maras twin")
        journal.add_entry(copy, "It rains.")
        self.assertNotEqual(identity.identity_of(copy), self.key)
        copy.delete()
        self.wait(1)
        self.assertIn(WORD, self.memories())
        self.assertIn(WORD, self.experience())
        self.assertIn(WORD, str(journal.entries(self.mara)))

    def test_others_keep_what_they_know_of_it(self):
        other = create_object(TYPECLASS, key="Bob", location=self.room1)
        journal.add_entry(other, "Mara sings.", source_id=self.key)
        self.mara.delete()
        self.wait(1)
        self.assertIn("Mara sings.", str(journal.entries(other)))


class CrashTests(MindOfMaraTestCase):
    """Long-term memory cannot be reached, or the server dies, while an NPC is deleted."""

    def setUp(self):
        super().setUp()
        self.npc_id = self.mara.id

    def delete_in_vain(self):
        """Delete Mara while long-term memory fails."""
        unavailable = fail(MemoryUnavailable("it is away."))
        with mock.patch.object(
            type(base.get_memory()), "delete_scope", return_value=unavailable
        ) as asked:
            self.assertTrue(self.mara.delete())
            self.wait(1)
        asked.assert_called_once_with(assistant_key=self.key)

    def test_staff_are_told_and_it_stays_listed(self):
        self.delete_in_vain()
        [told] = self.traces
        self.assertIn("it is tried again at the next start: it is away.", told)
        self.traces.clear()
        self.assertEqual(listed(), {self.key: self.npc_id})
        self.assertIn(WORD, self.memories())

    def test_the_next_start_finishes_it(self):
        self.delete_in_vain()
        self.traces.clear()
        hooks._bury()
        self.wait(1)
        self.assertNotIn(WORD, self.memories())
        self.assertNotIn(WORD, self.experience())
        self.assertIsNone(listed())

    def test_a_crash_before_anything_was_done_is_made_good(self):
        self.mara.delete()
        # What waits for the next pass of the reactor is gone with the server.
        scheduling.set_clock(self.clock)
        self.wait(1)
        self.assertIn(WORD, self.memories())
        self.assertEqual(self.outcome(burial.finish()), 1)
        self.assertNotIn(WORD, self.memories())
        self.assertEqual(self.outcome(burial.finish()), 0)

    def test_the_next_deletion_finishes_it_too(self):
        self.delete_in_vain()
        self.traces.clear()
        other = create_object(TYPECLASS, key="Bob", location=self.room1)
        identity.identity_of(other)
        journal.add_entry(other, "It rains.")
        other.delete()
        self.wait(1)
        self.assertNotIn(WORD, self.memories())
        self.assertIsNone(listed())

    def test_a_deletion_that_is_undone_takes_nothing(self):
        class Undone(Exception):
            pass

        with self.assertRaises(Undone), transaction.atomic():
            ObjectDB.objects.filter(id=self.mara.id).delete()
            raise Undone
        self.wait(1)
        own_attributes.drop_cached(ObjectDB.objects.get(id=self.npc_id))
        self.assertIn(WORD, self.memories())
        self.assertIn(WORD, self.experience())

    def test_whoever_lives_is_not_buried_even_if_listed(self):
        ServerConfig.objects.conf(burial.KEY, {self.key: self.npc_id})
        self.assertEqual(self.outcome(burial.finish()), 1)
        self.assertIn(WORD, self.memories())
        self.assertIsNotNone(repository.load(self.mara, kinds.IDENTITY))
        self.assertIsNone(listed())
