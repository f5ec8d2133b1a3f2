"""Tests of what a builder chooses for one mind: how often it is ticked, sleeps and sums up."""

from evennia_ai.agent.revising import mind_transfer
from evennia_ai.memory.state import npc_settings
from evennia_ai.memory.storage import own_attributes
from evennia_ai.testing import AITestCase, minds
from evennia_ai.typeclasses import scripts

SCHEDULE = {"enabled": True, "sleep_start_hour": 3}


class MindSettingsTests(AITestCase):
    def test_where_nobody_chose_the_settings_of_the_game_hold(self):
        self.assertEqual(npc_settings.of_mind(self.script), {})

    def test_each_choice_is_kept_beside_the_others(self):
        npc_settings.choose_for_mind(self.script, tick_rate=5)
        npc_settings.choose_for_mind(self.script, sleep_schedule=SCHEDULE, compact_enabled=False)
        expected = {"tick_rate": 5, "sleep_schedule": SCHEDULE, "compact_enabled": False}
        for _ in range(2):
            self.assertEqual(npc_settings.of_mind(self.script), expected)
            own_attributes.drop_cached(self.script)

    def test_none_takes_a_choice_back_and_zero_does_not(self):
        npc_settings.choose_for_mind(self.script, tick_rate=5, compact_preserve_window=3)
        npc_settings.choose_for_mind(self.script, tick_rate=None, compact_preserve_window=0)
        self.assertEqual(npc_settings.of_mind(self.script), {"compact_preserve_window": 0})

    def test_what_cannot_be_chosen_is_an_error_and_changes_nothing(self):
        npc_settings.choose_for_mind(self.script, tick_rate=5)
        with self.assertRaises(ValueError) as caught:
            npc_settings.choose_for_mind(self.script, tick_rate=6, speed=3, appetite=2)
        self.assertEqual(str(caught.exception), "a mind has no appetite, speed.")
        self.assertEqual(npc_settings.of_mind(self.script), {"tick_rate": 5})

    def test_changing_what_was_loaded_chooses_nothing(self):
        npc_settings.choose_for_mind(self.script, sleep_schedule=SCHEDULE)
        npc_settings.of_mind(self.script)["sleep_schedule"]["enabled"] = False
        self.assertEqual(npc_settings.of_mind(self.script), {"sleep_schedule": SCHEDULE})

    def test_stock_commands_cannot_choose(self):
        self.script.attributes.add("tick_rate", 1)
        self.script.attributes.add("choices", {"tick_rate": 1}, category="choices")
        self.assertEqual(npc_settings.of_mind(self.script), {})

    def test_the_schedule_is_in_the_file_of_a_mind_and_the_rest_is_not(self):
        mara = minds.make_assistant("Mara", location=self.room1)
        script = scripts.find(mara)
        npc_settings.choose_for_mind(script, sleep_schedule=SCHEDULE, compact_model="gargantua")
        mind = self.outcome(mind_transfer.take_mind(mara, script))
        self.assertEqual(mind["schedule"], SCHEDULE)
        self.assertNotIn("gargantua", str(mind))
        other = minds.make_assistant("Tam", location=self.room1)
        script = scripts.find(other)
        script.disable()
        self.outcome(mind_transfer.give_mind(other, script, mind))
        self.assertEqual(npc_settings.of_mind(script), {"sleep_schedule": SCHEDULE})
