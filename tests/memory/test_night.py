"""What a mind keeps of its sleep."""

from datetime import datetime, timedelta, timezone

from evennia_ai.core.states import SleepWish
from evennia_ai.memory import kinds, repository
from evennia_ai.memory.state import night
from evennia_ai.memory.storage import own_attributes, pages
from tests.sleep.cases import SleepTestCase

EVENING = datetime(2030, 1, 15, 22, tzinfo=timezone.utc)
MORNING = EVENING + timedelta(hours=8)


class NightTests(SleepTestCase):
    def begin(self, **changes):
        fields = {"now": EVENING, "wake_at": MORNING, "depth": "light", "reason": "night"}
        night.begin(self.script, **{**fields, **changes})

    def test_a_mind_that_never_slept_is_awake(self):
        self.assertEqual((night.mode(self.script), night.is_asleep(self.script)), ("awake", False))
        self.assertIsNone(night.last_transition(self.script))
        self.assertIsNone(night.phase(self.script))
        self.assertIsNone(night.wake_at(self.script))
        self.assertIsNone(night.requested(self.script))
        self.assertFalse(night.done(self.script) or night.is_degraded(self.script))

    def test_failures_are_counted_in_a_row_and_gone_with_the_night(self):
        self.begin()
        self.assertEqual(night.failed_ticks(self.script), 0)
        for expected in (1, 2):
            night.note_answer(self.script, answered=False)
            self.assertEqual(night.failed_ticks(self.script), expected)
        night.note_answer(self.script, answered=True)
        self.assertEqual(night.failed_ticks(self.script), 0)
        night.note_answer(self.script, answered=False)
        self.begin()
        self.assertEqual(night.failed_ticks(self.script), 0)

    def test_ticks_that_keep_nothing_are_counted_in_a_row(self):
        self.begin()
        counted = [
            night.count_tick(self.script, progressed=progressed)
            for progressed in (False, False, True, False)
        ]
        self.assertEqual(counted, [1, 2, 0, 1])
        self.assertEqual(night.ticks(self.script), 4)

    def test_all_of_it_is_read_by_one_question(self):
        self.begin()
        own_attributes.drop_cached(self.script)
        with self.assertNumQueries(1):
            repository.warm(self.script, [(kinds.SLEEP, "")])
            self.assertTrue(night.is_asleep(self.script))
            self.assertEqual(night.wake_at(self.script), MORNING)
            self.assertFalse(night.done(self.script))

    def test_what_begins_stands_under_the_names_of_the_source(self):
        """M17 M59: a sleep begins with compacting; the attributes of a mind that sleeps."""
        self.begin(nap=True)
        self.assertEqual(
            pages.plain(night.kept(self.script)),
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
        self.assertTrue(night.is_nap(self.script))

    def test_a_night_begins_without_what_was_left_of_the_one_before(self):
        self.begin()
        night.set_phase(self.script, "dreaming", degraded=True)
        night.set_done(self.script)
        night.spend(self.script, 100)
        night.count_tick(self.script, progressed=False)
        wish = SleepWish(depth="deep", hours=1, reason="", at="2030-01-15T23:00:00.000Z")
        night.request(self.script, wish)
        self.begin(depth="deep", suspends=True)
        self.assertEqual(night.phase(self.script), "compacting")
        self.assertEqual(night.depth(self.script), "deep")
        self.assertEqual((night.tokens(self.script), night.ticks(self.script)), (0, 0))
        self.assertEqual(night.count_tick(self.script, progressed=False), 1)
        self.assertFalse(night.done(self.script) or night.is_degraded(self.script))
        self.assertIsNone(night.requested(self.script))
        self.assertTrue(night.is_schedule_suspended(self.script))

    def test_at_its_end_only_the_cooldown_and_the_counter_are_left(self):
        """M53: cooldown set, counter reset, sleep state cleared, schedule restored, awake."""
        self.begin(suspends=True, depth="deep")
        night.count_activity(self.script)
        night.end(self.script, now=MORNING, cooldown_until=MORNING + timedelta(hours=1))
        self.assertEqual(
            pages.plain(night.kept(self.script)),
            {
                "last_transition": "2030-01-16T06:00:00.000Z",
                "sleep_cooldown_until": "2030-01-16T07:00:00.000Z",
            },
        )

    def test_turns_are_counted(self):
        night.count_activity(self.script)
        night.count_activity(self.script)
        self.assertEqual(night.activity(self.script), 2)

    def test_the_work_is_done_or_not(self):
        night.set_done(self.script)
        self.assertTrue(night.done(self.script))
        night.set_done(self.script, finished=False)
        self.assertFalse(night.done(self.script))

    def test_what_somebody_wrote_by_hand_and_cannot_be_read_counts_as_nothing(self):
        night.note(self.script, wake_at="tomorrow")
        night.note(self.script, mode="drunk")
        night.note(self.script, last_transition="7")
        self.assertIsNone(night.wake_at(self.script))
        self.assertIsNone(night.last_transition(self.script))
        self.assertFalse(night.is_asleep(self.script))
