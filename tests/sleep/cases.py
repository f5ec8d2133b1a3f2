"""What tests of sleep share: an assistant with a journal, and answers that a mind gives to jobs."""

from evennia_ai.memory import journal
from evennia_ai.testing import AITestCase, minds
from evennia_ai.typeclasses import scripts


class SleepTestCase(AITestCase):
    """An innkeeper, Mara, in the room of the test, with an empty head."""

    def create_cast(self):
        self.npc = minds.make_assistant("Mara", location=self.room1)
        self.script = scripts.find(self.npc)

    def note(self, content, **fields):
        """Write an entry into the journal and return its id."""
        return journal.add_entry(self.npc, content, **fields).id
