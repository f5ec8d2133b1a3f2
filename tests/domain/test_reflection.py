"""Tests of the sum that tells when it is time to reflect."""

import unittest
from datetime import datetime, timezone

from evennia_ai.domain import reflection

NOON = datetime(2030, 1, 1, 12, tzinfo=timezone.utc)


class StateTests(unittest.TestCase):
    def test_a_new_state_has_the_names_and_numbers_of_the_source(self):
        """J42 R4: names and defaults; each state is one of its own."""
        self.assertEqual(
            reflection.new_state(),
            {
                "cumulative_importance": 0.0,
                "threshold": 150,
                "last_reflection_time": None,
                "reflection_count": 0,
                "entries_since_reflection": [],
            },
        )
        first = reflection.new_state()
        self.assertIsNot(
            first["entries_since_reflection"], reflection.new_state()["entries_since_reflection"]
        )

    def test_an_entry_adds_its_importance_and_its_id(self):
        """J43: and the state that was given is left alone."""
        before = reflection.new_state()
        after = reflection.add(reflection.add(before, 7, 41), 5, 42)
        self.assertEqual(after["cumulative_importance"], 12.0)
        self.assertEqual(after["entries_since_reflection"], [41, 42])
        self.assertEqual(before, reflection.new_state())

    def test_the_window_keeps_the_newest_entries(self):
        state = reflection.new_state()
        for entry_id in range(1, 206):
            state = reflection.add(state, 1, entry_id)
        self.assertEqual(state["entries_since_reflection"], list(range(6, 206)))
        self.assertEqual(state["cumulative_importance"], 205.0)

    def test_it_is_due_at_the_threshold(self):
        """J44: 150 is enough, 149 is not; another threshold counts."""
        state = reflection.add(reflection.new_state(), 149, 1)
        self.assertFalse(reflection.due(state))
        self.assertTrue(reflection.due(reflection.add(state, 1, 2)))
        self.assertTrue(reflection.due(reflection.add(reflection.new_state(20), 20, 1)))

    def test_another_rating_adds_the_difference_inside_the_window_only(self):
        state = reflection.add(reflection.new_state(), 5, 1)
        self.assertEqual(reflection.adjust(state, 3, 1)["cumulative_importance"], 8.0)
        self.assertEqual(reflection.adjust(state, -4, 1)["cumulative_importance"], 1.0)
        self.assertEqual(reflection.adjust(state, 3, 2), state)

    def test_a_reset_keeps_the_threshold_and_counts(self):
        """J50: sum 0.0, window empty, time and number noted, the threshold as it was."""
        state = reflection.add(reflection.new_state(80), 100, 1)
        once = reflection.reset(state, now=NOON)
        self.assertEqual(
            once,
            {
                "cumulative_importance": 0.0,
                "threshold": 80,
                "last_reflection_time": "2030-01-01T12:00:00.000Z",
                "reflection_count": 1,
                "entries_since_reflection": [],
            },
        )
        self.assertEqual(reflection.reset(once, now=NOON)["reflection_count"], 2)


class SynthesisTests(unittest.TestCase):
    def test_it_is_known_by_its_tag_or_its_mark(self):
        """R19: by either, and not by a mere mention."""
        for content, tags, expected in [
            ("People pay.", ["synthesis", "meta_learning"], True),
            ("[SYNTHESIS] People pay.", [], True),
            ("They speak of a [SYNTHESIS].", ["meta_learning"], False),
        ]:
            entry = {"content": content, "tags": tags}
            self.assertEqual(reflection.is_synthesis(entry), expected, content)
