"""What version 0.1 kept is moved in slices; `tests/migrating/test_migrating.py` moves a whole game."""

from evennia.server.models import ServerConfig
from evennia.utils.create import create_object

from evennia_ai import hooks, scheduling
from evennia_ai.core import volatile
from evennia_ai.memory import identity, journal
from evennia_ai.memory.state import npc_settings
from evennia_ai.memory.storage import first_version_migration as migration
from tests.agent.cases import MindTestCase

UUID = "0c3a1a5e-2f0e-4d0e-9d7e-3f6a5f2b1c4d"


class MigrationTests(MindTestCase):
    def setUp(self):
        super().setUp()
        ServerConfig.objects.conf(migration.DONE, delete=True)
        volatile.forget_all()
        self.addCleanup(volatile.forget_all)

    def of_the_first_version(self, key="Bob"):
        """Return a body as version 0.1 kept it: an identity, and manners under plain names."""
        npc = create_object("evennia.objects.objects.DefaultObject", key=key, location=self.room1)
        npc.attributes.add("identity", {"uuid": UUID, "owner": npc.id}, category="evennia_ai")
        return npc

    def test_a_fresh_game_has_nothing_to_move(self):
        self.assertEqual(migration.finish(), 0)
        self.assertTrue(migration.is_done())
        self.assertEqual(migration.said(0), "Nothing of version 0.1 was left.")

    def test_what_is_left_is_moved_while_the_game_goes_on(self):
        npc = self.of_the_first_version()
        done = migration.finish_in_slices()
        self.wait(1)
        self.assertEqual(self.outcome(done), 1)
        self.assertEqual(identity.identity_of(npc), UUID)
        self.assertFalse(npc.attributes.has("identity", category="evennia_ai"))
        self.assertTrue(migration.is_done())

    def test_run_again_it_moves_nothing(self):
        self.of_the_first_version()
        self.assertEqual(migration.finish(), 1)
        volatile.forget_all()
        self.assertEqual(migration.finish(), 0)

    def test_the_start_of_the_server_moves_it(self):
        npc = self.of_the_first_version()
        hooks._move()
        scheduling.drain()
        self.wait(1)
        self.assertFalse(npc.attributes.has("identity", category="evennia_ai"))

    def test_it_says_how_much_it_was(self):
        self.assertEqual(
            migration.said(3),
            "3 Attributes of version 0.1 were moved to where minds are kept now.",
        )

    def test_what_is_asked_for_before_it_was_moved_is_there(self):
        npc = self.of_the_first_version()
        self.assertEqual(identity.identity_of(npc), UUID)
        self.assertEqual((journal.entries(npc), npc_settings.gossip(npc)), ([], ""))
