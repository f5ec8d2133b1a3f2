"""Tests of the accumulator as it is stored on the mind."""

from unittest import mock

from evennia.scripts.scripts import DefaultScript
from evennia.utils.create import create_script

from evennia_ai.core.states import ReflectionState
from evennia_ai.memory import journal, kinds, repository
from evennia_ai.memory.state import reflection_state
from evennia_ai.memory.storage import pages
from evennia_ai.testing import AITestCase


class ReflectionStateTests(AITestCase):
    def setUp(self):
        super().setUp()
        self.script = create_script(DefaultScript, key="mind", obj=self.char1)

    def state(self):
        return reflection_state.reflection_state(self.script)

    def write(self, state):
        """Keep a state that was written with some of its fields."""
        repository.save(self.script, kinds.REFLECTION, pages.shaped(kinds.REFLECTION, state))

    def test_it_lies_on_the_script_under_the_name_of_the_source(self):
        """J41 J43 J77: what the source calls `reflection_state`, fed entry by entry."""
        reflection_state.update_reflection_state(self.script, 7, 41)
        reflection_state.update_reflection_state(self.script, 5, 42)
        self.assertEqual(
            pages.plain(repository.load(self.script, kinds.REFLECTION)),
            {
                "cumulative_importance": 12.0,
                "threshold": 150,
                "last_reflection_time": None,
                "reflection_count": 0,
                "entries_since_reflection": [41, 42],
                "failures": 0,
                "retry_at": "",
            },
        )

    def test_reading_writes_nothing(self):
        self.state()
        self.assertIsNone(repository.load(self.script, kinds.REFLECTION))

    def test_150_is_enough(self):
        """J44 R3: a bool, from 150 on."""
        self.assertIs(reflection_state.check_reflection_trigger(self.script), False)
        reflection_state.update_reflection_state(self.script, 149, 1)
        self.assertIs(reflection_state.check_reflection_trigger(self.script), False)
        reflection_state.update_reflection_state(self.script, 1, 2)
        self.assertIs(reflection_state.check_reflection_trigger(self.script), True)

    def test_the_threshold_is_stored(self):
        with mock.patch.object(reflection_state, "THRESHOLD", 10):
            reflection_state.update_reflection_state(self.script, 10, 1)
            self.assertTrue(reflection_state.check_reflection_trigger(self.script))
        self.assertEqual(self.state().threshold, 10)

    def test_what_a_state_lacks_is_as_in_a_new_one(self):
        """M56: sum 0 and threshold 150 by default, and 150 is enough."""
        for state, expected in (
            ({}, False),
            ({"cumulative_importance": 149}, False),
            ({"cumulative_importance": 150}, True),
            ({"cumulative_importance": 20, "threshold": 20}, True),
        ):
            with self.subTest(state):
                self.write(state)
                self.assertIs(reflection_state.check_reflection_trigger(self.script), expected)

    def test_a_state_by_hand_may_lack_fields(self):
        self.write({"threshold": 20, "cumulative_importance": 19})
        reflection_state.update_reflection_state(self.script, 1, 5)
        self.assertTrue(reflection_state.check_reflection_trigger(self.script))
        self.assertEqual(self.state().entries_since_reflection, (5,))

    def test_syntheses_do_not_feed_it(self):
        """R19: an entry does, a synthesis does not."""
        reflection_state.note_entry(self.script, journal.add_entry(self.char1, "Ann paid."))
        insight = journal.add_entry(self.char1, "People pay.", tags=["synthesis"], importance=8)
        reflection_state.note_entry(self.script, insight)
        self.assertEqual(self.state().entries_since_reflection, (1,))
        self.assertEqual(self.state().cumulative_importance, 6.0)

    def test_a_new_rating_corrects_the_sum_while_the_entry_waits(self):
        reflection_state.update_reflection_state(self.script, 5, 1)
        reflection_state.adjust_reflection_state(self.script, {1: 3, 2: 3})
        self.assertEqual(self.state().cumulative_importance, 8.0)

    def test_a_reset_is_noted_in_the_journal_too(self):
        """J50: the threshold stays; `last_reflection` of the journal is set."""
        self.write({"threshold": 20})
        reflection_state.update_reflection_state(self.script, 30, 1)
        self.clock.advance(60)
        reflection_state.reset_reflection_state(self.script)
        self.assertEqual(
            self.state(),
            ReflectionState(
                threshold=20,
                last_reflection_time="1970-01-01T00:01:00.000Z",
                reflection_count=1,
            ),
        )
        self.assertEqual(journal.journal(self.char1)["last_reflection"], "1970-01-01T00:01:00.000Z")

    def test_what_waits_is_added_after_a_reset(self):
        entry = journal.add_entry(self.char1, "Ann paid.", importance=7)
        reflection_state.update_reflection_state(self.script, 5, 99)
        reflection_state.reset_reflection_state(self.script, later=[entry])
        self.assertEqual(self.state().entries_since_reflection, (1,))
        self.assertEqual(self.state().cumulative_importance, 7.0)

    def test_put_off_it_is_not_due_for_an_hour(self):
        """R20: the window is kept, and nothing is tried at once."""
        reflection_state.update_reflection_state(self.script, 150, 1)
        reflection_state.put_off_reflection(self.script)
        self.assertFalse(reflection_state.check_reflection_trigger(self.script))
        self.clock.advance(3600)
        self.assertTrue(reflection_state.check_reflection_trigger(self.script))
        self.assertEqual(self.state().entries_since_reflection, (1,))
        self.assertEqual(self.state().failures, 1)

    def test_a_mind_without_a_body_can_be_reset(self):
        loose = create_script(DefaultScript, key="loose")
        reflection_state.reset_reflection_state(loose)
        self.assertEqual(reflection_state.reflection_state(loose).reflection_count, 1)
