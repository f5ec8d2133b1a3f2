"""What a mind keeps of its sleep."""

from datetime import datetime, timedelta, timezone

from evennia_ai.core.states import SleepWish
from evennia_ai.memory import kinds, repository
from evennia_ai.memory.state import sleep_state
from evennia_ai.memory.storage import own_attributes, pages
from tests.sleep.cases import SleepTestCase

EVENING = datetime(2030, 1, 15, 22, tzinfo=timezone.utc)
MORNING = EVENING + timedelta(hours=8)


class NightTests(SleepTestCase):
    def begin(self, **changes):
        fields = {"now": EVENING, "wake_at": MORNING, "depth": "light", "reason": "night"}
        sleep_state.begin(self.script, **{**fields, **changes})

    def test_a_mind_that_never_slept_is_awake(self):
        self.assertEqual(
            (sleep_state.mode(self.script), sleep_state.is_asleep(self.script)), ("awake", False)
        )
        self.assertIsNone(sleep_state.last_transition(self.script))
        self.assertIsNone(sleep_state.phase(self.script))
        self.assertIsNone(sleep_state.wake_at(self.script))
        self.assertIsNone(sleep_state.requested(self.script))
        self.assertFalse(sleep_state.done(self.script) or sleep_state.is_degraded(self.script))

    def test_failures_are_counted_in_a_row_and_gone_with_the_night(self):
        self.begin()
        self.assertEqual(sleep_state.failed_ticks(self.script), 0)
        for expected in (1, 2):
            sleep_state.note_answer(self.script, answered=False)
            self.assertEqual(sleep_state.failed_ticks(self.script), expected)
        sleep_state.note_answer(self.script, answered=True)
        self.assertEqual(sleep_state.failed_ticks(self.script), 0)
        sleep_state.note_answer(self.script, answered=False)
        self.begin()
        self.assertEqual(sleep_state.failed_ticks(self.script), 0)

    def test_ticks_that_keep_nothing_are_counted_in_a_row(self):
        self.begin()
        counted = [
            sleep_state.count_tick(self.script, progressed=progressed)
            for progressed in (False, False, True, False)
        ]
        self.assertEqual(counted, [1, 2, 0, 1])
        self.assertEqual(sleep_state.ticks(self.script), 4)

    def test_all_of_it_is_read_by_one_question(self):
        self.begin()
        own_attributes.drop_cached(self.script)
        with self.assertNumQueries(1):
            repository.warm(self.script, [(kinds.SLEEP, "")])
            self.assertTrue(sleep_state.is_asleep(self.script))
            self.assertEqual(sleep_state.wake_at(self.script), MORNING)
            self.assertFalse(sleep_state.done(self.script))

    def test_what_begins_stands_under_the_names_of_the_source(self):
        """M17 M59: a sleep begins with compacting; the attributes of a mind that sleeps."""
        self.begin(nap=True)
        self.assertEqual(
            pages.plain(sleep_state.kept(self.script)),
            {
                "operating_mode": "sleep",
                "sleep_phase": "compacting",
                "sleep_started_at": "2030-01-15T22:00:00.000Z",
                "sleep_wake_at": "2030-01-16T06:00:00.000Z",
                "sleep_reason": "night",
                "sleep_is_nap": True,
                "last_transition": "2030-01-15T22:00:00.000Z",
            },
        )
        self.assertTrue(sleep_state.is_nap(self.script))

    def test_a_night_begins_without_what_was_left_of_the_one_before(self):
        self.begin()
        sleep_state.set_phase(self.script, "dreaming", degraded=True)
        sleep_state.set_done(self.script)
        sleep_state.spend(self.script, 100)
        sleep_state.count_tick(self.script, progressed=False)
        wish = SleepWish(depth="deep", hours=1, reason="", at="2030-01-15T23:00:00.000Z")
        sleep_state.request(self.script, wish)
        self.begin(depth="deep", suspends=True)
        self.assertEqual(sleep_state.phase(self.script), "compacting")
        self.assertEqual(sleep_state.depth(self.script), "deep")
        self.assertEqual((sleep_state.tokens(self.script), sleep_state.ticks(self.script)), (0, 0))
        self.assertEqual(sleep_state.count_tick(self.script, progressed=False), 1)
        self.assertFalse(sleep_state.done(self.script) or sleep_state.is_degraded(self.script))
        self.assertIsNone(sleep_state.requested(self.script))
        self.assertTrue(sleep_state.is_schedule_suspended(self.script))

    def test_at_its_end_only_the_cooldown_and_the_counter_are_left(self):
        """M53: cooldown set, counter reset, sleep state cleared, schedule restored, awake."""
        self.begin(suspends=True, depth="deep")
        sleep_state.count_activity(self.script)
        sleep_state.end(self.script, now=MORNING, cooldown_until=MORNING + timedelta(hours=1))
        self.assertEqual(
            pages.plain(sleep_state.kept(self.script)),
            {
                "last_transition": "2030-01-16T06:00:00.000Z",
                "sleep_cooldown_until": "2030-01-16T07:00:00.000Z",
            },
        )

    def test_turns_are_counted(self):
        sleep_state.count_activity(self.script)
        sleep_state.count_activity(self.script)
        self.assertEqual(sleep_state.activity(self.script), 2)

    def test_the_work_is_done_or_not(self):
        sleep_state.set_done(self.script)
        self.assertTrue(sleep_state.done(self.script))
        sleep_state.set_done(self.script, finished=False)
        self.assertFalse(sleep_state.done(self.script))

    def test_what_somebody_wrote_by_hand_and_cannot_be_read_counts_as_nothing(self):
        sleep_state.note(self.script, wake_at="tomorrow")
        sleep_state.note(self.script, mode="drunk")
        sleep_state.note(self.script, last_transition="7")
        self.assertIsNone(sleep_state.wake_at(self.script))
        self.assertIsNone(sleep_state.last_transition(self.script))
        self.assertFalse(sleep_state.is_asleep(self.script))
