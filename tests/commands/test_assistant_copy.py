"""`@assistant/copy`: another NPC that is who the first one is, and remembers nothing."""

from evennia.objects.objects import DefaultCharacter

from evennia_ai.memory import identity, journal, persona
from evennia_ai.memory.state import npc_settings
from evennia_ai.testing import minds
from evennia_ai.typeclasses import scripts
from tests.commands.cases import CommandTestCase


class CopyTests(CommandTestCase):
    def setUp(self):
        super().setUp()
        self.npc = minds.make_assistant("Bertil", location=self.room1)
        persona.save_persona(self.npc, {"background": "A cook."})
        persona.save_lore(self.npc, ["The ale is brewed by old Tam."])
        npc_settings.choose(self.npc, gossip="never")
        npc_settings.grant(self.npc, allowed_commands=["look"])
        journal.add_entry(self.npc, "Ann fears the dark.", audience=["ann"])

    def twin(self):
        [found] = self.char1.search("Twin", quiet=True)
        return found

    def test_it_carries_who_the_npc_is_and_no_memory(self):
        self.types(f"@assistant/copy {self.npc.key} = Twin")
        twin = self.twin()
        self.assertEqual(persona.load_persona(twin)["background"], "A cook.")
        self.assertEqual(persona.load_lore(twin)[0].text, "The ale is brewed by old Tam.")
        self.assertEqual(npc_settings.gossip(twin), "never")
        self.assertEqual(npc_settings.allowed_commands(twin), [])
        self.assertEqual(journal.entries(twin), [])
        self.assertNotEqual(identity.identity_of(twin), identity.identity_of(self.npc))
        self.assertTrue(scripts.find(twin).enabled)

    def test_an_npc_of_any_typeclass_can_be_copied(self):
        minds.make_assistant(
            "Old Tam",
            location=self.room1,
            typeclass=DefaultCharacter,
            persona={"background": "A brewer."},
        )
        self.types("@assistant/copy Old Tam = Twin")
        self.assertEqual(persona.load_persona(self.twin())["background"], "A brewer.")

    def test_nobody_copies_the_npc_of_somebody_else(self):
        builder = self.as_staff("Builder")
        self.npc.locks.add("control:id(0);edit:id(0)")
        shown = self.types(f"@assistant/copy {self.npc.key} = Twin", by=builder)
        self.assertIn("You may not change the mind of", shown)
        self.assertEqual(self.char1.search("Twin", quiet=True), [])

    def test_without_a_name_nothing_is_done(self):
        shown = self.types(f"@assistant/copy {self.npc.key}")
        self.assertEqual(shown, "Usage: @assistant/copy <npc> = <name>")
