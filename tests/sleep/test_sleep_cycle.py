"""Awake and asleep: legal steps, the interval that belongs to each, and the hours of a schedule."""

from datetime import datetime, timedelta, timezone
from unittest.mock import patch
from zoneinfo import ZoneInfo

from evennia.objects.objects import DefaultCharacter
from evennia.scripts.tickerhandler import TICKER_HANDLER
from evennia.utils import logger

from evennia_ai import scheduling
from evennia_ai.memory.state import active_assistants, npc_settings, sleep_state
from evennia_ai.sleep import sleep_cycle
from evennia_ai.testing import minds
from evennia_ai.typeclasses import scripts
from evennia_ai.typeclasses.characters import AssistantMixin
from tests.agent.cases import MindTestCase

# Beside the moment at which tests begin, 2030-03-17 17:46:40 UTC.
START_HOUR = 17


class TellTale(AssistantMixin, DefaultCharacter):
    """A body that notes what it is told of its mode."""

    def at_mode_change(self, mode, reason):
        self.ndb.told = (mode, reason)


class ModeTestCase(MindTestCase):
    def setUp(self):
        super().setUp()
        self.script = self.script_of_mara
        self.notes = []
        self.patch(logger, "log_info", self.notes.append)

    def set_hours(self, **changes):
        """Give Mara a schedule of her own, switched on."""
        npc_settings.choose_for_mind(self.script, sleep_schedule={"enabled": True, **changes})

    def at(self, text, zone=timezone.utc):
        """Let it be a certain time."""
        moment = datetime.fromisoformat(text).replace(tzinfo=zone)
        self.patch(scheduling, "now", lambda: moment.astimezone(timezone.utc))


class TransitionTests(ModeTestCase):
    def test_falling_asleep_moves_it_to_the_interval_of_sleep(self):
        """M15 M16 M48: 5 s awake, 60 s asleep; mode set, old ticker gone, new one there."""
        self.assertEqual(
            (active_assistants.members(5), active_assistants.members(60)), ([self.script.id], [])
        )
        self.assertTrue(sleep_cycle.transition_mode(self.script, "sleep", "night has come"))
        self.assertEqual(sleep_state.kept(self.script).mode, "sleep")
        self.assertEqual(
            (active_assistants.members(5), active_assistants.members(60)), ([], [self.script.id])
        )
        rates = {rate: len(kept) for rate, kept in TICKER_HANDLER.all().items() if kept}
        self.assertEqual(rates, {60: 1})
        sleep_cycle.transition_mode(self.script, "awake", "morning")
        self.assertEqual(
            (active_assistants.members(5), active_assistants.members(60)), ([self.script.id], [])
        )

    def test_the_intervals_may_be_others(self):
        npc_settings.choose_for_mind(self.script, tick_rate=7)
        npc_settings.choose_for_mind(self.script, sleep_schedule={"tick_rate_sleep": 90})
        sleep_cycle.transition_mode(self.script, "sleep", "night")
        self.assertEqual(active_assistants.rates(), {90})
        sleep_cycle.transition_mode(self.script, "awake", "morning")
        self.assertEqual(active_assistants.rates(), {7})

    def test_the_reason_is_logged(self):
        """M48: the log says who, what and why."""
        sleep_cycle.transition_mode(self.script, "sleep", "night has come")
        sleep_cycle.transition_mode(self.script, "awake", "the cock crows")
        self.assertEqual(
            self.notes,
            [
                f"evennia_ai: Mara(#{self.mara.id}) falls asleep: night has come.",
                f"evennia_ai: Mara(#{self.mara.id}) wakes: the cock crows.",
            ],
        )

    def test_a_body_that_wants_to_know_is_told(self):
        """M48: the character is notified if it can be."""
        told = minds.make_assistant("Tom", location=self.room1, typeclass=TellTale)
        sleep_cycle.transition_mode(scripts.find(told), "sleep", "night")
        self.assertEqual(told.ndb.told, ("sleep", "night"))
        sleep_cycle.transition_mode(scripts.find(told), "awake", "morning")
        self.assertEqual(told.ndb.told, ("awake", "morning"))

    def test_each_body_of_ours_has_the_hook(self):
        """M48: and a game that names its own in front is told first."""
        self.assertIsNone(self.mara.at_mode_change("sleep", "night"))
        self.assertTrue(issubclass(TellTale, AssistantMixin))
        self.assertIn("at_mode_change", vars(AssistantMixin))

    def test_the_same_mode_again_does_nothing_and_says_so(self):
        self.assertFalse(sleep_cycle.transition_mode(self.script, "awake", "no reason"))
        sleep_cycle.transition_mode(self.script, "sleep", "night")
        began = sleep_state.kept(self.script).started_at
        self.wait(10)
        self.assertFalse(sleep_cycle.transition_mode(self.script, "sleep", "more night"))
        self.assertEqual(sleep_state.kept(self.script).started_at, began)
        self.assertEqual(len(self.notes), 1)

    def test_there_are_no_other_modes(self):
        for mode in ("dead", "", "Sleep", None):
            with self.subTest(mode), self.assertRaises(ValueError):
                sleep_cycle.transition_mode(self.script, mode, "why not")
        self.assertEqual(sleep_state.mode(self.script), "awake")

    def test_a_sleep_without_hours_is_a_nap_of_two(self):
        sleep_cycle.transition_mode(self.script, "sleep", "tired")
        self.assertTrue(sleep_state.is_nap(self.script))
        self.assertEqual(sleep_state.wake_at(self.script) - scheduling.now(), timedelta(hours=2))
        self.assertEqual(
            (sleep_state.depth(self.script), sleep_state.phase(self.script)),
            ("light", "compacting"),
        )

    def test_a_sleep_within_its_hours_lasts_until_their_end(self):
        self.set_hours(sleep_start_hour=START_HOUR, sleep_duration_hours=3)
        sleep_cycle.transition_mode(self.script, "sleep", "night")
        self.assertFalse(sleep_state.is_nap(self.script))
        self.assertEqual(sleep_state.kept(self.script).wake_at, "2030-03-17T20:00:00.000Z")

    def test_a_sleep_that_was_asked_for_lasts_as_long_and_lets_the_schedule_rest(self):
        self.set_hours(sleep_start_hour=START_HOUR, sleep_duration_hours=3)
        until = scheduling.now() + timedelta(minutes=30)
        sleep_cycle.transition_mode(self.script, "sleep", "wish", wake_at=until, depth="deep")
        self.assertEqual(sleep_state.wake_at(self.script), until)
        self.assertEqual(sleep_state.depth(self.script), "deep")
        self.assertTrue(sleep_state.kept(self.script).is_schedule_suspended)
        self.assertEqual(
            sleep_cycle.check_sleep_schedule(self.script),
            (False, "sleep", "it sleeps for as long as it asked to"),
        )

    def test_one_that_is_off_is_not_ticked_by_that(self):
        self.script.disable()
        sleep_cycle.transition_mode(self.script, "sleep", "night")
        self.assertEqual(active_assistants.rates(), set())
        self.script.enable()
        self.assertEqual(active_assistants.rates(), {60})


class ScheduleTests(ModeTestCase):
    def check(self):
        return sleep_cycle.check_sleep_schedule(self.script)

    def test_by_default_there_are_no_hours(self):
        """M54: the schedule is off unless a builder switches it on."""
        self.assertEqual(self.check(), (False, "awake", "it has no hours of sleep"))

    def test_within_its_hours_it_should_sleep(self):
        """M55: (should_transition, target_mode, reason)."""
        self.set_hours()
        for text, expected in (
            ("2030-01-15T01:59:00", (False, "awake", "these are not its hours of sleep")),
            ("2030-01-15T02:00:00", (True, "sleep", "these are its hours of sleep")),
            ("2030-01-15T05:59:00", (True, "sleep", "these are its hours of sleep")),
            ("2030-01-15T06:00:00", (False, "awake", "these are not its hours of sleep")),
        ):
            self.at(text)
            self.assertEqual(self.check(), expected, text)

    def test_the_hours_may_go_over_midnight(self):
        """M55: 22:00 to 02:00."""
        self.set_hours(sleep_start_hour=22, sleep_duration_hours=4)
        for text, expected in (
            ("2030-01-15T21:59:00", False),
            ("2030-01-15T22:00:00", True),
            ("2030-01-16T01:59:00", True),
            ("2030-01-16T02:00:00", False),
        ):
            self.at(text)
            self.assertEqual(self.check()[0], expected, text)

    def test_one_that_just_woke_stays_awake_for_ten_ticks(self):
        """M55: min_awake_ticks, of 5 s each."""
        self.set_hours(sleep_start_hour=START_HOUR, sleep_duration_hours=3)
        sleep_cycle.transition_mode(self.script, "sleep", "night")
        sleep_cycle.transition_mode(self.script, "awake", "somebody knocked")
        self.clock.advance(49)
        expected = (False, "awake", "it woke 9 ticks ago, less than 10")
        self.assertEqual(self.check(), expected)
        self.clock.advance(1)
        self.assertEqual(self.check(), (True, "sleep", "these are its hours of sleep"))

    def test_at_the_end_of_its_hours_it_should_wake(self):
        self.set_hours(sleep_start_hour=START_HOUR, sleep_duration_hours=1)
        sleep_cycle.transition_mode(self.script, "sleep", "night")
        self.assertEqual(self.check(), (False, "sleep", "its hours of sleep are not over"))
        self.clock.advance(800)
        self.assertEqual(self.check(), (True, "awake", "its hours of sleep are over"))

    def test_one_put_to_sleep_by_hand_wakes_outside_of_its_hours(self):
        sleep_state.note(self.script, mode="sleep")
        self.assertEqual(self.check()[:2], (False, "sleep"))
        self.set_hours(sleep_start_hour=START_HOUR)
        self.assertEqual(self.check()[:2], (False, "sleep"))
        self.set_hours(sleep_start_hour=START_HOUR + 1)
        self.assertEqual(self.check()[:2], (True, "awake"))

    def test_the_server_s_clock_is_that_of_its_time_zone(self):
        self.set_hours()
        self.at("2030-01-15T02:30:00", ZoneInfo("Europe/Berlin"))
        self.assertEqual(self.check()[1], "awake")
        with patch.object(sleep_cycle, "get_default_timezone", lambda: ZoneInfo("Europe/Berlin")):
            self.assertEqual(self.check()[1], "sleep")

    def test_the_game_s_clock_runs_at_its_own_speed(self):
        self.set_hours(clock="game", sleep_duration_hours=4)
        begun = datetime(1200, 5, 1, 3, tzinfo=timezone.utc).timestamp()
        with (
            # What it is in the game, and not how long the game has run.
            patch.object(sleep_cycle.gametime, "gametime", lambda absolute: absolute and begun),
            patch.object(sleep_cycle.gametime, "TIMEFACTOR", 6.0),
        ):
            self.assertEqual(self.check()[1], "sleep")
            sleep_cycle.transition_mode(self.script, "sleep", "night")
        # Three hours of the game are left, of ten real minutes each.
        self.assertEqual(sleep_state.wake_at(self.script) - scheduling.now(), timedelta(minutes=30))

    def test_a_schedule_that_makes_no_sense_is_none_and_is_told_of_once(self):
        for wrong, sentence in (
            (
                {"enabled": True, "sleep_start_hour": 25},
                "sleep_start_hour is 25; it must be 0 to 23.",
            ),
            ("at night", "a schedule is a dict, not 'at night'."),
        ):
            npc_settings.choose_for_mind(self.script, sleep_schedule=wrong)
            for _ in range(3):
                self.assertEqual(self.check(), (False, "awake", "it has no hours of sleep"))
            self.assertEqual(self.log.pop(), f"evennia_ai: no hours of sleep for Mara: {sentence}")
            self.assertEqual(self.log, [])
            self.assertEqual(sleep_cycle.tick_rate(self.script), 5)

    def test_what_a_builder_leaves_out_is_as_in_the_settings(self):
        self.configure(SLEEP_SCHEDULE={"enabled": True, "sleep_start_hour": START_HOUR})
        self.assertEqual(self.check()[1], "sleep")
        npc_settings.choose_for_mind(self.script, sleep_schedule={"enabled": False})
        self.assertEqual(self.check()[1], "awake")
