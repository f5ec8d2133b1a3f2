"""Tests of how an assistant comes to like somebody, as it is stored."""

from datetime import datetime, timedelta, timezone

from msgspec import to_builtins

from evennia_ai.domain.memories import relationship
from evennia_ai.memory.people import entity_profiles
from tests.memory.test_entity_profiles import NOON, ProfileTestCase


class RelationshipTests(ProfileTestCase):
    def test_the_answer_has_the_shape_of_the_source(self):
        """E15 E19 E43: old and new state, favorability, whether the state changed."""
        self.adjust(0.1, now=NOON)
        self.adjust(0.1, now=NOON)
        self.assertEqual(
            self.adjust(0.05, "helpful_response", now=NOON + timedelta(days=1)),
            {
                "old_state": "stranger",
                "new_state": "acquaintance",
                "favorability": 0.25,
                "state_changed": True,
            },
        )
        self.assertFalse(self.adjust(0.01, now=NOON + timedelta(days=1))["state_changed"])

    def test_everything_is_recorded(self):
        """E9 E18 E20 C-27: last_delta, interaction_count, last_interaction, history."""
        self.adjust(0.05, "helpful_response")
        known = entity_profiles.find_profile(self.npc, self.char2)
        moment = "2024-03-01T12:00:00.000Z"
        self.assertEqual(
            to_builtins(known.relationship),
            {
                "state": "stranger",
                "favorability": 0.05,
                "interaction_count": 1,
                "last_delta": 0.05,
                "history": [{"delta": 0.05, "reason": "helpful_response", "timestamp": moment}],
            },
        )
        self.assertEqual(known.last_interaction, moment)

    def test_a_call_and_a_day_have_limits(self):
        """E16 E20 C-27: ±0.1 a call and ±0.2 a day, by settings."""
        results = [self.adjust(5.0)["favorability"] for _ in range(4)]
        self.assertEqual(results, [0.1, 0.2, 0.2, 0.2])
        midnight = datetime(2024, 3, 2, tzinfo=timezone.utc)
        just_before = midnight - timedelta(seconds=1)
        self.assertEqual(self.adjust(0.1, now=just_before)["favorability"], 0.2)
        self.assertEqual(self.adjust(0.1, now=midnight)["favorability"], 0.3)
        with self.settings_ai(FAVORABILITY={"call": 0.5, "day": 1.0}):
            self.assertEqual(self.adjust(0.4, now=midnight)["favorability"], 0.7)

    def test_many_small_steps_do_not_get_past_the_limit_of_the_day(self):
        for delta in [0.01] * 25 + [0.0] * 60 + [0.01] * 5:
            self.adjust(delta)
        self.assertEqual(self.relationship().favorability, 0.2)
        self.assertEqual(len(self.relationship().history), 20)

    def test_what_is_clamped_at_the_bottom_does_not_count_for_the_day(self):
        for _ in range(5):
            self.adjust(-0.1)
        self.assertEqual(self.adjust(0.1)["favorability"], 0.1)

    def test_no_number_changes_nothing(self):
        with self.assertRaises(ValueError):
            self.adjust(float("nan"))
        self.assertEqual(self.stored().count(), 0)

    def test_one_entity_does_not_use_up_the_day_of_another(self):
        self.adjust(0.1)
        self.adjust(0.1)
        change = entity_profiles.update_relationship(self.npc, self.char1, 0.1, now=NOON)
        self.assertEqual(change["favorability"], 0.1)

    def manner(self):
        known = entity_profiles.get_entity_profile(self.npc, self.char2)
        return relationship.manner_for(known.relationship.state, disposition=known.disposition)

    def test_the_manner_follows_the_state(self):
        """E14: the words that reach the prompt, and what a game says of it."""
        self.assertIn("a stranger", self.manner())
        with self.settings_ai(FAVORABILITY={"call": 1.0, "day": 1.0}):
            self.adjust(0.6)
        self.assertIn("friend", self.manner())
        entity_profiles.set_disposition(self.npc, self.char2, -0.8)
        self.assertIn("dislike", self.manner())
        entity_profiles.set_disposition(self.npc, self.char2, None)
        self.assertIn("friend", self.manner())

    def test_a_disposition_has_bounds(self):
        """C-40: -1..1."""
        for value in (-1.01, 1.01, float("nan")):
            with self.subTest(value=value), self.assertRaises(ValueError):
                entity_profiles.set_disposition(self.npc, self.char2, value)
