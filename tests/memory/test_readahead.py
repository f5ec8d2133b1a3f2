"""What a mind reads when somebody speaks to it comes in one question, and is the same as before."""

from django.db import connection
from django.test.utils import CaptureQueriesContext

from evennia_ai.experience import turn_decisions
from evennia_ai.memory import persona, working_memory
from evennia_ai.memory.people import entity_backlog, entity_profiles
from evennia_ai.memory.state import kept_goals, npc_settings, reflection_state, sleep_state
from evennia_ai.memory.storage import own_attributes, readahead
from evennia_ai.testing import AITestCase, minds
from evennia_ai.typeclasses import scripts


class ReadAheadTests(AITestCase):
    def setUp(self):
        super().setUp()
        self.npc = minds.make_assistant("Mara", location=self.room1)
        self.script = scripts.find(self.npc)
        persona.save_persona(self.npc, {"description": "A host."})
        entity_profiles.create_entity_profile(self.npc, "ann-id", name="Ann")
        kept_goals.add_goal(self.script, "Rest.")

    def restart(self):
        """Let nothing have been read yet."""
        for obj in (self.npc, self.script):
            own_attributes.drop_cached(obj)

    def read(self):
        """Read what a turn reads, and return it with how often the database was asked."""
        with CaptureQueriesContext(connection) as asked:
            found = [
                persona.load_persona(self.npc)["description"],
                persona.load_lore(self.npc),
                npc_settings.allowed_commands(self.npc),
                working_memory.lines_with(self.npc, "ann-id"),
                entity_profiles.find_profile(self.npc, "ann-id").name,
                entity_backlog.is_ripe(self.npc, "ann-id"),
                reflection_state.reflection_state(self.script).cumulative_importance,
                turn_decisions.recent(self.script),
                [goal.title for goal in kept_goals.goals(self.script)],
                sleep_state.mode(self.script),
                sleep_state.activity(self.script),
            ]
        return found, len(asked)

    def test_one_question_answers_all_that_a_turn_reads(self):
        self.restart()
        plainly, one_by_one = self.read()
        self.restart()
        with self.assertNumQueries(1):
            readahead.read_ahead(self.npc, self.script, "ann-id")
        self.assertEqual(self.read(), (plainly, 0))
        self.assertGreater(one_by_one, 9)
        self.assertEqual(plainly[0], "A host.")
        self.assertEqual(plainly[8], ["Rest."])

    def test_what_has_been_read_is_not_asked_for_again(self):
        self.restart()
        readahead.read_ahead(self.npc, self.script, "ann-id")
        with self.assertNumQueries(0):
            readahead.read_ahead(self.npc, self.script, "ann-id")

    def test_of_nobody_there_is_nothing_to_read(self):
        self.restart()
        with self.assertNumQueries(1):
            readahead.read_ahead(self.npc, self.script, "")

    def test_what_is_new_since_stays(self):
        self.restart()
        persona.save_persona(self.npc, {"description": "A guard."})
        readahead.read_ahead(self.npc, self.script, "ann-id")
        self.assertEqual(persona.load_persona(self.npc)["description"], "A guard.")

    def test_one_question_answers_all_that_a_scene_reads_of_everybody(self):
        readahead.read_scene([self.npc], [self.char1], self.room1)
        for obj in (self.npc, self.char1, self.room1):
            own_attributes.drop_cached(obj)
        with self.assertNumQueries(1):
            readahead.read_scene([self.npc], [self.char1], self.room1)
        with self.assertNumQueries(0):
            self.assertEqual(persona.load_persona(self.npc)["description"], "A host.")
            readahead.read_scene([self.npc], [self.char1], self.room1)
