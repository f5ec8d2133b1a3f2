"""Tests of the window of a reflection: one who talks without an end does not fill it."""

from evennia_ai.domain.sleeping import reflection_rules as domain
from evennia_ai.memory import journal
from evennia_ai.memory.state import reflection_state
from evennia_ai.testing import AITestCase, minds
from evennia_ai.typeclasses import scripts


class CrowdTests(AITestCase):
    def test_what_others_told_stays_in_the_window(self):
        npc = minds.make_assistant("Mara", location=self.room1)
        script = scripts.find(npc)
        journal.set_max_entries(npc, 1000)

        def told(who, number):
            entry = journal.add_entry(
                npc, f"{who} {number}.", source_id=who, source_type="direct", importance=5
            )
            reflection_state.note_entry(script, entry)
            return entry.id

        others = [told("ann", number) for number in range(5)]
        for number in range(300):
            told("crowd", number)
        window = reflection_state.reflection_state(script).entries_since_reflection
        self.assertLessEqual(len(window), domain.WINDOW)
        self.assertLessEqual(set(others), set(window))
        looked_at = domain.select_window(journal.entries(npc), window)
        self.assertEqual(len(looked_at), domain.LOOKED_AT)
        self.assertLessEqual(set(others), {entry.id for entry in looked_at})
