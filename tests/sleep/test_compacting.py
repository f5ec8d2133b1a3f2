"""Tests of how a mind sums up its conversations."""

from datetime import datetime, timezone

from evennia_ai.memory.state import npc_settings, sleep_state
from evennia_ai.sleep import summaries
from tests.sleep.cases import SleepTestCase


class SettingsTests(SleepTestCase):
    def test_what_nobody_chose_is_as_the_game_has_it(self):
        """M43 M44 M47: 70 % asleep, 80 % awake, 20 lines, switched on."""
        self.assertEqual(
            summaries.settings(self.script),
            {
                "enabled": True,
                "sleep_threshold": 0.7,
                "emergency_threshold": 0.8,
                "preserve_window": 20,
                "model": None,
                "prompt": "",
                "last_compaction": None,
            },
        )

    def test_a_builder_chooses_for_one_assistant(self):
        """M43 M44 M47: compact_enabled, compact_preserve_window, compact_model, compact_prompt, thresholds."""
        npc_settings.choose_for_mind(self.script, compact_sleep_threshold=0.5)
        npc_settings.choose_for_mind(self.script, compact_emergency_threshold=1)
        chosen = summaries.settings(self.script)
        self.assertEqual((chosen["sleep_threshold"], chosen["emergency_threshold"]), (0.5, 1.0))
        npc_settings.choose_for_mind(self.script, compact_enabled=False)
        npc_settings.choose_for_mind(self.script, compact_preserve_window=5)
        npc_settings.choose_for_mind(self.script, compact_model="cheaper")
        npc_settings.choose_for_mind(self.script, compact_prompt="In verse.")
        summaries.note_summed(self.script, now=datetime(2024, 3, 1, tzinfo=timezone.utc))
        chosen = summaries.settings(self.script)
        self.assertEqual(
            [chosen[key] for key in ("enabled", "preserve_window", "model", "prompt")],
            [False, 5, "cheaper", "In verse."],
        )
        self.assertEqual(sleep_state.kept(self.script).last_compaction, "2024-03-01T00:00:00.000Z")
