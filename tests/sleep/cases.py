"""What tests of sleep share: an assistant with a journal, and answers that a mind gives to jobs."""

from evennia_ai import scheduling
from evennia_ai.core import records
from evennia_ai.memory import identity, journal, working_memory
from evennia_ai.testing import AITestCase, minds
from evennia_ai.typeclasses import scripts
from tests.domain import lines


class SleepTestCase(AITestCase):
    """An innkeeper, Mara, in the room of the test, with an empty head."""

    def create_cast(self):
        self.npc = minds.make_assistant("Mara", location=self.room1)
        self.script = scripts.find(self.npc)

    def note(self, content, **fields):
        """Write an entry into the journal and return its id."""
        return journal.add_entry(self.npc, content, **fields).id

    def note_answer(self):
        """Let Mara ask Ann something, and note the short answer."""
        answer, now = "Eleven, and one with two heads.", records.format_time(scheduling.now())
        for text, mine, event_id in (
            ("How many lambs had your brother, Ann?", True, ""),
            (answer, False, "told"),
        ):
            who = identity.identity_of(self.npc) if mine else "ann"
            said = lines.line(text, mine=mine, said_by=who, event_id=event_id, timestamp=now)
            working_memory.add_line(self.npc, "ann", said)
        self.note(answer, source_entity="Ann", source_id="ann", event_id="told")
