"""Tests of the sum that tells when it is time to reflect."""

import unittest
from datetime import datetime, timezone

from evennia_ai.core.records import parse_time
from evennia_ai.core.states import ReflectionState
from evennia_ai.domain.sleeping import reflection_rules
from tests.domain.entries import entry as noted

NOON = datetime(2030, 1, 1, 12, tzinfo=timezone.utc)


class StateTests(unittest.TestCase):
    def test_a_new_state_has_the_names_and_numbers_of_the_source(self):
        """J42 R4: names and defaults."""
        self.assertEqual(
            ReflectionState(),
            ReflectionState(
                cumulative_importance=0.0,
                threshold=150,
                last_reflection_time=None,
                reflection_count=0,
                entries_since_reflection=(),
            ),
        )

    def test_an_entry_adds_its_importance_and_its_id(self):
        """J43: and the state that was given is left alone."""
        before = ReflectionState()
        after = reflection_rules.add(reflection_rules.add(before, 7, 41), 5, 42)
        self.assertEqual(after.cumulative_importance, 12.0)
        self.assertEqual(after.entries_since_reflection, (41, 42))
        self.assertEqual(before, ReflectionState())

    def test_the_window_keeps_the_newest_entries(self):
        state = ReflectionState()
        for entry_id in range(1, 206):
            state = reflection_rules.add(state, 1, entry_id)
        self.assertEqual(state.entries_since_reflection, tuple(range(6, 206)))
        self.assertEqual(state.cumulative_importance, 205.0)

    def test_it_is_due_at_the_threshold(self):
        """J44: 150 is enough, 149 is not; another threshold counts."""
        state = reflection_rules.add(ReflectionState(), 149, 1)
        self.assertFalse(reflection_rules.due(state))
        self.assertTrue(reflection_rules.due(reflection_rules.add(state, 1, 2)))
        self.assertTrue(
            reflection_rules.due(reflection_rules.add(ReflectionState(threshold=20), 20, 1))
        )

    def test_another_rating_adds_the_difference_inside_the_window_only(self):
        state = reflection_rules.add(ReflectionState(), 5, 1)
        self.assertEqual(reflection_rules.adjust(state, 3, 1).cumulative_importance, 8.0)
        self.assertEqual(reflection_rules.adjust(state, -4, 1).cumulative_importance, 1.0)
        self.assertEqual(reflection_rules.adjust(state, 3, 2), state)

    def test_a_reset_keeps_the_threshold_and_counts(self):
        """J50: sum 0.0, window empty, time and number noted, the threshold as it was."""
        state = reflection_rules.add(ReflectionState(threshold=80), 100, 1)
        once = reflection_rules.reset(state, now=NOON)
        self.assertEqual(
            once,
            ReflectionState(
                threshold=80,
                last_reflection_time="2030-01-01T12:00:00.000Z",
                reflection_count=1,
            ),
        )
        self.assertEqual(reflection_rules.reset(once, now=NOON).reflection_count, 2)

    def test_what_it_did_not_get_to_still_waits(self):
        later = [noted(id=4, importance=7), noted(id=6, importance=2)]
        state = reflection_rules.reset(ReflectionState(threshold=80), now=NOON, later=later)
        self.assertEqual(state.entries_since_reflection, (4, 6))
        self.assertEqual(state.cumulative_importance, 9.0)

    def test_after_a_failure_it_is_due_later(self):
        """R20: the window stays; an hour, then twice as long each time, up to a day."""
        state = reflection_rules.add(ReflectionState(), 150, 1)
        hours = []
        for _ in range(7):
            state = reflection_rules.put_off(state, now=NOON)
            waits = parse_time(reflection_rules.waits_until(state, now=NOON)) - NOON
            hours.append(waits.total_seconds() / 3600)
            self.assertFalse(reflection_rules.due(state, now=NOON))
            self.assertTrue(reflection_rules.due(state, now=NOON + waits))
        self.assertEqual(hours, [1, 2, 4, 8, 16, 24, 24])
        self.assertEqual(state.entries_since_reflection, (1,))
        self.assertTrue(reflection_rules.due(state))
        after = reflection_rules.reset(state, now=NOON)
        self.assertEqual((after.failures, after.retry_at), (0, ""))
        self.assertEqual(reflection_rules.waits_until(ReflectionState(), now=NOON), "")


class WindowTests(unittest.TestCase):
    def entry(self, entry_id, importance=5, audience="public", **fields):
        fields = {"timestamp": f"2030-01-01T00:00:{entry_id % 60:02d}.000Z", **fields}
        return noted(id=entry_id, importance=importance, audience=audience, **fields)

    def ids(self, entries, wanted):
        return [entry.id for entry in reflection_rules.select_window(entries, wanted)]

    def test_it_is_what_happened_since_the_last_time(self):
        """R15 R20: ids that are gone are passed over, and so are syntheses."""
        entries = [self.entry(1), self.entry(2), self.entry(3, tags=["synthesis"]), self.entry(4)]
        self.assertEqual(self.ids(entries, [2, 3, 4, 99]), [2, 4])

    def test_of_more_than_100_the_most_important_then_the_newest(self):
        """Decision C-13."""
        entries = [
            self.entry(number, 9 if number < 10 else 5, timestamp=f"2030-{number:04d}")
            for number in range(1, 121)
        ]
        chosen = self.ids(entries, range(1, 121))
        self.assertEqual(chosen, [*range(1, 10), *range(30, 121)])

    def test_if_all_are_gone_it_is_what_mattered(self):
        """Decision C-13, M57: entries of importance 5 and more, the newest 100."""
        entries = [self.entry(1, 4), self.entry(2, 5), self.entry(3, 9, tags=["synthesis"])]
        self.assertEqual(self.ids(entries, [77]), [2])
        many = [self.entry(number) for number in range(1, 121)]
        self.assertEqual(self.ids(many, []), list(range(21, 121)))

    def test_groups_have_ears_of_their_own(self):
        entries = [
            self.entry(1, 2, ["a"]),
            self.entry(2, 9, ["b"]),
            self.entry(3, 5, ["c", "a"]),
            self.entry(4, 1),
            self.entry(5, 9, []),
            self.entry(6, 1, ["a", "c"]),
        ]
        planned = reflection_rules.plan_groups(entries, private=2)
        self.assertEqual(
            [(audience, [entry.id for entry in group]) for audience, group in planned],
            [("public", [4]), (["b"], [2]), (["a", "c"], [3, 6])],
        )
        self.assertEqual(reflection_rules.plan_groups([], private=2), [])

    def test_of_groups_that_weigh_the_same_the_first_that_began_is_first(self):
        entries = [self.entry(4, audience=["zoe"]), self.entry(5, audience=["amy"])]
        planned = reflection_rules.plan_groups(entries, private=1)
        self.assertEqual([known for known, _ in planned], [["zoe"]])


class SynthesisTests(unittest.TestCase):
    def test_what_other_assistants_echo_does_not_count(self):
        for tags, expected in ((["say"], True), (["say", "echo"], False), (["synthesis"], False)):
            self.assertEqual(reflection_rules.counts(noted(tags=tags)), expected, tags)

    def test_it_is_known_by_its_tag_or_its_mark(self):
        """R19: by either, and not by a mere mention."""
        for content, tags, expected in [
            ("People pay.", ["synthesis", "meta_learning"], True),
            ("[SYNTHESIS] People pay.", [], True),
            ("They speak of a [SYNTHESIS].", ["meta_learning"], False),
        ]:
            self.assertEqual(
                reflection_rules.is_synthesis(noted(content, tags=tags)), expected, content
            )
