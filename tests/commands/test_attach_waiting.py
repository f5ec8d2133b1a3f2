"""`@assistant/attach` on a body that asks for a mind which waits: only for those who control it."""

from evennia.utils.create import create_object

from evennia_ai.lifecycle import waiting
from evennia_ai.memory import journal
from evennia_ai.testing import minds
from evennia_ai.typeclasses import scripts
from evennia_ai.typeclasses.characters import AssistantCharacter
from tests.commands.cases import CommandTestCase


class AttachWaitingTests(CommandTestCase):
    def setUp(self):
        super().setUp()
        mara = minds.make_assistant("Mara", location=self.room1)
        journal.add_entry(mara, "Ann fears the dark.")
        mara.locks.add("control:id(0);edit:id(0);delete:id(0)")
        waiting.give_key(mara, "mara")
        mara.delete()
        self.builder = self.as_staff("Builder")
        self.rat = create_object(AssistantCharacter, key="rat", location=self.room1)
        self.rat.locks.add(f"control:id({self.builder.id})")
        self.rat.attributes.add("ai_mind", "mara")

    def test_a_builder_cannot_call_the_mind_of_somebody_else_into_a_body(self):
        shown = self.types("@assistant/attach rat", by=self.builder)
        self.assertIn("is for those who control it. Nothing was done.", shown)
        self.assertIsNone(scripts.find(self.rat))
        self.assertTrue(waiting.is_waiting(waiting.body_of("mara")))

    def test_an_admin_can(self):
        self.types("@assistant/attach rat")
        [entry] = journal.entries(self.rat)
        self.assertEqual(entry.content, "Ann fears the dark.")
