"""When a mind falls asleep, and what keeps it awake."""

from datetime import timedelta

from twisted.internet.defer import Deferred

from evennia_ai import scheduling, tick
from evennia_ai.core.records import format_time
from evennia_ai.core.states import SleepWish
from evennia_ai.memory import journal
from evennia_ai.memory.state import active_assistants, npc_settings, reflection_state, sleep_state
from evennia_ai.sleep import falling_asleep, waking
from evennia_ai.testing import minds
from tests.agent.cases import MindTestCase

# In UTC, at which tests begin.
START_HOUR = 17


class DrowsyTestCase(MindTestCase):
    def setUp(self):
        super().setUp()
        self.script = self.script_of_mara
        minds.script_llm("Aye.", repeat=True)
        # From here on it is known that nobody talks with her.
        tick.run_tick(self.script)
        scheduling.drain()

    def rest(self, seconds):
        """Let so many seconds pass in which nobody does anything, then tick."""
        self.clock.advance(seconds)
        tick.run_tick(self.script)
        scheduling.drain()

    def mode(self):
        return sleep_state.mode(self.script)

    def much_happened(self):
        reflection_state.update_reflection_state(self.script, 150, 1)

    def ask(self, **changes):
        wish = {"depth": "deep", "hours": 0.5, "reason": "", "at": format_time(scheduling.now())}
        sleep_state.request(self.script, SleepWish(**{**wish, **changes}))


class ByScheduleTests(DrowsyTestCase):
    def setUp(self):
        super().setUp()
        npc_settings.choose_for_mind(
            self.script, sleep_schedule={"enabled": True, "sleep_start_hour": START_HOUR}
        )

    def test_it_falls_asleep_within_its_hours(self):
        self.rest(60)
        self.assertEqual(self.mode(), "sleep")
        self.assertEqual(
            (sleep_state.depth(self.script), sleep_state.is_nap(self.script)), ("light", False)
        )

    def test_not_within_a_minute_of_the_last_word(self):
        self.rest(50)
        self.do(self.char1, "say Hello Mara", wait=3)
        self.rest(50)
        self.assertEqual(self.mode(), "awake")
        self.rest(10)
        self.assertEqual(self.mode(), "sleep")

    def test_not_while_it_thinks(self):
        self.configure(TURN_DEADLINE=500)
        minds.script_llm(Deferred())
        self.do(self.char1, "say Hello Mara", wait=3)
        self.rest(100)
        self.assertEqual(self.mode(), "awake")

    def test_not_while_something_waits(self):
        self.patch(falling_asleep, "idle_seconds", lambda script: 1000)
        self.assertFalse(falling_asleep.is_kept_awake(self.script, idle=1000))
        npc_settings.choose(self.mara, talkative="never")
        self.script.perceive("quest", "done")
        self.assertTrue(falling_asleep.is_kept_awake(self.script, idle=1000))

    def test_not_while_somebody_plays_it(self):
        self.puppet(self.mara, self.account2, self.session2)
        self.rest(100)
        self.assertEqual(self.mode(), "awake")

    def test_not_while_every_mind_is_halted_nor_when_it_is_off(self):
        self.script.disable()
        self.rest(100)
        self.assertEqual(self.mode(), "awake")

    def test_one_that_was_called_out_of_bed_goes_back(self):
        """M55: after ten ticks awake, if nobody talks with it any more."""
        self.rest(60)
        self.do(self.char1, "say Mara, come!", wait=3)
        # Who has to keep the day first comes when that is done.
        sleep_state.set_phase(self.script, "dreaming")
        waking.wake_if_due(self.script)
        self.assertEqual(self.mode(), "awake")
        self.rest(45)
        self.assertEqual(self.mode(), "awake")
        self.rest(70)
        self.assertEqual(self.mode(), "sleep")


class NapTests(DrowsyTestCase):
    def test_who_has_much_to_think_about_takes_a_nap_when_nobody_talks_with_it(self):
        """M54 with C-37: off by schedule, and yet it sleeps."""
        self.much_happened()
        self.rest(599)
        self.assertEqual(self.mode(), "awake")
        self.rest(1)
        self.assertEqual(self.mode(), "sleep")
        self.assertTrue(sleep_state.is_nap(self.script))
        self.assertEqual(sleep_state.reason(self.script), "it has much to think about")
        self.assertEqual(sleep_state.wake_at(self.script) - scheduling.now(), timedelta(hours=2))

    def test_a_full_journal_wants_sleep(self):
        journal.set_max_entries(self.mara, 5)
        for number in range(6):
            journal.add_entry(self.mara, f"Day {number}.", importance=9)
        self.rest(600)
        self.assertEqual(
            (self.mode(), sleep_state.reason(self.script)), ("sleep", "its journal is full")
        )

    def test_who_has_nothing_to_think_about_stays_up(self):
        self.rest(100_000)
        self.assertEqual(self.mode(), "awake")

    def test_talk_keeps_it_awake(self):
        self.much_happened()
        self.rest(590)
        self.do(self.char1, "say Hello Mara", wait=3)
        self.rest(30)
        self.assertEqual(self.mode(), "awake")
        self.rest(600)
        self.assertEqual(self.mode(), "sleep")

    def test_after_a_restart_the_time_of_the_start_counts(self):
        self.much_happened()
        self.rest(590)
        minds.forget_all()
        self.rest(100)
        self.assertEqual(self.mode(), "awake")
        self.rest(600)
        self.assertEqual(self.mode(), "sleep")

    def test_one_that_woke_within_the_hour_takes_no_other(self):
        """C-26: the cooldown of 60 minutes."""
        self.much_happened()
        self.rest(600)
        waking.perform_wake_transition(self.script, "test")
        self.rest(3599)
        self.assertEqual(self.mode(), "awake")
        self.rest(60)
        self.assertEqual(self.mode(), "sleep")

    def test_how_much_there_is_to_think_about_is_asked_once_a_minute(self):
        asked = []
        self.patch(reflection_state, "check_reflection_trigger", asked.append)
        self.rest(600)
        for _ in range(24):
            self.rest(5)
        self.assertEqual(len(asked), 3)


class WishTests(DrowsyTestCase):
    def test_a_wish_is_carried_out_when_nobody_talks_any_more(self):
        self.do(self.char1, "say Hello Mara", wait=3)
        self.ask()
        self.rest(50)
        self.assertEqual(self.mode(), "awake")
        self.rest(10)
        self.assertEqual((self.mode(), sleep_state.depth(self.script)), ("sleep", "deep"))
        left = sleep_state.wake_at(self.script) - scheduling.now()
        self.assertEqual(round(left.total_seconds()), 1800)
        self.assertIsNone(sleep_state.requested(self.script))

    def test_the_schedule_rests_meanwhile_and_holds_again_afterwards(self):
        """M53: a schedule that the tool suspended is restored at waking."""
        npc_settings.choose_for_mind(
            self.script, sleep_schedule={"enabled": True, "sleep_start_hour": START_HOUR - 12}
        )
        self.ask()
        self.rest(60)
        self.assertTrue(sleep_state.kept(self.script).is_schedule_suspended)
        sleep_state.set_phase(self.script, "dreaming")
        self.rest(1800)
        self.assertEqual(self.mode(), "awake")
        self.assertFalse(sleep_state.kept(self.script).is_schedule_suspended)
        self.assertEqual(npc_settings.of_mind(self.script).get("sleep_schedule")["enabled"], True)

    def test_a_wish_passes_if_it_is_kept_awake_for_long(self):
        self.ask()
        self.rest(901)
        self.assertEqual((self.mode(), sleep_state.requested(self.script)), ("awake", None))

    def test_who_has_just_woken_does_not_sleep_again(self):
        self.ask()
        sleep_state.end(
            self.script,
            now=scheduling.now(),
            cooldown_until=scheduling.now() + timedelta(seconds=3600),
        )
        self.ask()
        self.rest(100)
        self.assertEqual((self.mode(), sleep_state.requested(self.script)), ("awake", None))

    def test_what_was_said_in_it_is_for_staff_alone(self):
        self.ask(reason="Ann whispered that she is afraid")
        self.rest(60)
        self.assertEqual(sleep_state.reason(self.script), "it wanted to")


class IdleTests(DrowsyTestCase):
    def test_an_idle_tick_writes_nothing(self):
        npc_settings.choose_for_mind(
            self.script, sleep_schedule={"enabled": True, "sleep_start_hour": START_HOUR + 2}
        )
        self.rest(700)
        with self.assertNumQueries(0):
            self.rest(5)

    def test_events_for_others_do_not_count(self):
        tom = minds.make_assistant("Tom", location=self.room1)
        self.clock.advance(100)
        self.do(self.char1, "say Tom, hello", wait=1)
        self.assertGreater(falling_asleep.idle_seconds(self.script), 100)
        self.assertLess(falling_asleep.idle_seconds(active_assistants.script_of(tom)), 2)
