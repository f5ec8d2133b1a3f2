"""Tests of how somebody is regarded, and how that changes."""

import unittest
from datetime import datetime, timezone

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from evennia_ai.core.records import Day
from evennia_ai.domain.memories import relationship

NOON = datetime(2024, 3, 1, 12, tzinfo=timezone.utc)


def changed(*deltas, reason=None):
    """Return how somebody is regarded after these deltas."""
    regarded = relationship.new()
    for delta in deltas:
        regarded = relationship.apply_delta(regarded, delta, now=NOON, reason=reason)
    return regarded


class StateTests(unittest.TestCase):
    def test_the_bounds_are_those_of_the_source(self):
        """E1 M13: the Dunbar thresholds, highest first."""
        self.assertEqual(
            [(name, state.bound) for name, state in relationship.STATES.items()],
            [("ally", 0.75), ("friend", 0.50), ("acquaintance", 0.25), ("stranger", 0.0)],
        )

    def test_each_bound_belongs_to_the_higher_state(self):
        """E10 E11 E12 E13 E17 M13: lower bounds are inclusive."""
        for favorability, expected in [
            (0.0, "stranger"),
            (0.249999, "stranger"),
            (0.25, "acquaintance"),
            (0.499999, "acquaintance"),
            (0.50, "friend"),
            (0.749999, "friend"),
            (0.75, "ally"),
            (1.0, "ally"),
        ]:
            with self.subTest(favorability=favorability):
                self.assertEqual(relationship.state_for(favorability), expected)

    def test_somebody_new_is_a_stranger(self):
        """E9 C-40: the keys of a relationship; it starts at 0.0."""
        self.assertEqual(
            msgspec.to_builtins(relationship.new()),
            {
                "state": "stranger",
                "favorability": 0.0,
                "interaction_count": 0,
                "last_delta": 0.0,
                "history": [],
            },
        )


class MannerTests(unittest.TestCase):
    def test_a_stranger_is_trusted_little(self):
        """E10 E14: no history, limited trust; how they are spoken with, the persona says."""
        self.assertEqual(
            relationship.manner_for("stranger"),
            "They are a stranger to you, whom you have no reason to trust far.",
        )

    def test_an_acquaintance_is_trusted_in_small_things(self):
        """E11 E14: moderate trust."""
        self.assertEqual(
            relationship.manner_for("acquaintance"),
            "You know them a little, and trust them in small things.",
        )

    def test_a_friend_is_trusted_and_helped(self):
        """E12 E14: high trust, willing to help."""
        self.assertEqual(
            relationship.manner_for("friend"),
            "They are a friend: you trust them, and help them gladly.",
        )

    def test_an_ally_comes_first(self):
        """E13 E14: priority attention; highest trust."""
        self.assertEqual(
            relationship.manner_for("ally"),
            "They are an ally: they come first, and you trust nobody more.",
        )

    def test_a_state_that_is_not_known_counts_as_that_of_a_stranger(self):
        self.assertEqual(relationship.of("sworn").shown, "hardly knows you.")

    def test_dislike_shows_in_any_state(self):
        """C-40: the disposition stands outside the states."""
        for disposition, is_hostile in [(-1.0, True), (-0.5, True), (-0.49, False), (1.0, False)]:
            with self.subTest(disposition=disposition):
                manner = relationship.manner_for("friend", disposition=disposition)
                self.assertEqual(manner.startswith("You dislike them, "), is_hostile)

    def test_a_state_that_does_not_exist_is_an_error(self):
        with self.assertRaisesRegex(ValueError, "There is no state 'enemy'; there is stranger, "):
            relationship.manner_for("enemy")


class ApplyTests(unittest.TestCase):
    def test_everything_about_one_interaction_is_recorded(self):
        """E9 E18 E20: delta, count and history, with the reason and the time."""
        self.assertEqual(
            msgspec.to_builtins(changed(0.05, reason="helpful_response")),
            {
                "state": "stranger",
                "favorability": 0.05,
                "interaction_count": 1,
                "last_delta": 0.05,
                "history": [
                    {
                        "delta": 0.05,
                        "reason": "helpful_response",
                        "timestamp": "2024-03-01T12:00:00.000Z",
                    }
                ],
            },
        )

    def test_the_input_is_left_alone(self):
        before = changed(0.1)
        relationship.apply_delta(before, 0.1, now=NOON)
        self.assertEqual(before, changed(0.1))

    def test_favorability_stays_between_0_and_1_and_what_was_applied_is_recorded(self):
        """E16 C-27: max(0, min(1, old + delta)); last_delta and history hold the applied delta."""
        full = changed(0.95, 0.1)
        self.assertEqual((full.favorability, full.last_delta), (1.0, 0.05))
        self.assertEqual(full.history[-1].delta, 0.05)
        none = changed(0.03, -0.1)
        self.assertEqual((none.favorability, none.last_delta), (0.0, -0.03))
        self.assertEqual(none.interaction_count, 2)

    def test_steps_reach_a_bound_that_they_add_up_to(self):
        # In floating point, 0.1 + 0.2 + … would stop a hair short of it.
        self.assertEqual(changed(*[0.05] * 15).state, "ally")
        self.assertEqual(changed(*[0.1] * 5).state, "friend")
        self.assertEqual(changed(0.1, 0.2, -0.3, 0.25).favorability, 0.25)

    def test_what_changed_nothing_is_counted_and_is_no_step(self):
        once = relationship.apply_delta(relationship.new(), 0.05, now=NOON, reason="praised")
        again = relationship.apply_delta(once, 0.0, now=NOON, reason="talked")
        self.assertEqual(again, structs.replace(once, interaction_count=2))

    def test_the_history_keeps_the_newest_fifty(self):
        """E20 C-27: the history keeps 50."""
        regarded = relationship.new()
        for number in range(60):
            regarded = relationship.apply_delta(regarded, 0.001, now=NOON, reason=str(number))
        reasons = [event.reason for event in regarded.history]
        self.assertEqual(reasons, [str(number) for number in range(10, 60)])
        self.assertEqual(regarded.interaction_count, 60)

    @given(st.lists(st.floats(-0.3, 0.3, allow_nan=False), max_size=30))
    def test_whatever_happens_state_and_sum_agree_with_favorability(self, deltas):
        regarded = changed(*deltas)
        self.assertTrue(0.0 <= regarded.favorability <= 1.0)
        self.assertEqual(regarded.state, relationship.state_for(regarded.favorability))
        total = sum(event.delta for event in regarded.history)
        self.assertAlmostEqual(total, regarded.favorability, places=5)


class AllowedTests(unittest.TestCase):
    def allowed(self, delta, today=0.0):
        return relationship.allowed_delta(delta, today=today, per_call=0.1, per_day=0.2)

    def test_one_call_changes_no_more_than_a_tenth(self):
        """E16 C-27: ±0.1 a call."""
        for delta, expected in [(0.1, 0.1), (0.11, 0.1), (5, 0.1), (-0.3, -0.1), (-0.02, -0.02)]:
            with self.subTest(delta=delta):
                self.assertEqual(self.allowed(delta), expected)

    def test_one_day_changes_no_more_than_a_fifth(self):
        """E20 C-27: ±0.2 a day."""
        for delta, today, expected in [
            (0.1, 0.1, 0.1),
            (0.1, 0.15, 0.05),
            (0.1, 0.2, 0.0),
            (-0.1, -0.15, -0.05),
            (-0.1, -0.2, 0.0),
            # What was gained can be lost again.
            (-0.1, 0.2, -0.1),
        ]:
            with self.subTest(delta=delta, today=today):
                self.assertEqual(self.allowed(delta, today), expected)

    def test_a_limit_that_was_lowered_turns_no_praise_into_blame(self):
        self.assertEqual(self.allowed(0.1, today=0.5), 0.0)
        self.assertEqual(self.allowed(-0.1, today=-0.5), 0.0)

    def test_what_is_no_number_is_an_error(self):
        for delta in (float("nan"), float("inf"), float("-inf")):
            with self.subTest(delta=delta), self.assertRaises(ValueError):
                self.allowed(delta)

    def test_a_day_is_a_day_in_utc(self):
        self.assertEqual(relationship.new_day(NOON), Day(date="2024-03-01", delta=0.0))
