"""What wakes a sleeper, what it waits for, and what those see who speak to it."""

from datetime import timedelta

from evennia.utils.ansi import strip_ansi
from twisted.internet.defer import Deferred

from evennia_ai import scheduling, tick
from evennia_ai.agent import answer, speech
from evennia_ai.core.records import Reminder, format_time, new_event
from evennia_ai.memory import journal, persona
from evennia_ai.memory.state import active_assistants, assistant, npc_settings, sleep_state
from evennia_ai.permission import Permit, Way
from evennia_ai.sleep import sleep_cycle, sleep_slots, steps, waking
from evennia_ai.testing import minds
from tests.agent.cases import MindTestCase, words
from tests.domain.lines import OF_THE_GAME


class SleeperTestCase(MindTestCase):
    """Mara sleeps lightly, and dreams, unless the test says otherwise."""

    def setUp(self):
        super().setUp()
        self.script = self.script_of_mara
        self.llm = minds.script_llm("I am up.", repeat=True)
        self.patch(steps, "run_sleep_tick", lambda script, character: None)

    def sleep(self, *, phase="dreaming", **options):
        sleep_cycle.transition_mode(self.script, "sleep", "night", **options)
        sleep_state.set_phase(self.script, phase)

    def check(self):
        return waking.check_wake_conditions(self.script)

    def heard(self):
        """Return what Ann has heard of Mara, and forget it."""
        lines = [strip_ansi(text) for _, text in self.ann if text.startswith("Mara")]
        self.ann.clear()
        return lines


class ConditionTests(SleeperTestCase):
    def test_one_that_is_awake_need_not_wake(self):
        self.assertEqual(self.check(), (False, "it is awake", False))

    def test_nothing_wakes_it(self):
        """M49: (should_wake, reason, deferred)."""
        self.sleep()
        self.assertEqual(self.check(), (False, "nothing wakes it", False))

    def test_its_hours_are_over(self):
        """M50: the scheduled wake time wakes the deep sleeper, too."""
        for depth in ("light", "deep"):
            self.sleep(wake_at=scheduling.now() + timedelta(hours=1), depth=depth)
            self.clock.advance(3599)
            self.assertEqual(self.check()[0], False)
            self.clock.advance(1)
            self.assertEqual(self.check(), (True, "its hours of sleep are over", False))
            self.assertTrue(waking.wake_if_due(self.script))

    def test_an_urgent_event_wakes_the_light_sleeper_alone(self):
        """M50: urgent events wake from light sleep only."""
        for depth, expected in (
            ("light", (True, "somebody wants something of it", False)),
            ("deep", (False, "nothing wakes it", False)),
        ):
            self.sleep(depth=depth)
            self.event(priority=8)
            self.assertEqual(self.check(), expected)
            waking.perform_wake_transition(self.script, "test")

    def test_what_is_not_urgent_wakes_nobody(self):
        self.sleep()
        self.event(priority=7)
        self.assertEqual(self.check(), (False, "nothing wakes it", False))

    def test_what_waited_too_long_wakes_nobody(self):
        self.sleep()
        self.event(priority=9)
        self.clock.advance(601)
        self.assertEqual(self.check(), (False, "nothing wakes it", False))

    def test_while_it_keeps_the_day_it_wakes_for_nothing(self):
        """M18 M51: deferred while compacting."""
        self.sleep(phase="compacting")
        self.event(priority=9)
        self.assertEqual(self.check(), (False, "somebody wants something of it", True))
        self.assertFalse(waking.wake_if_due(self.script))
        sleep_state.set_phase(self.script, "dreaming", degraded=True)
        self.assertTrue(waking.wake_if_due(self.script))

    def test_whoever_calls_waits_for_a_long_day_so_many_ticks_and_no_more(self):
        """C-24: what of the day is left is kept in another night."""
        self.sleep(phase="compacting")
        self.event(priority=9)
        for _ in range(29):
            sleep_state.count_tick(self.script, progressed=True)
        self.assertEqual(self.check(), (False, "somebody wants something of it", True))
        self.assertFalse(waking.is_called(self.script))
        sleep_state.count_tick(self.script, progressed=True)
        self.assertEqual(self.check(), (True, "somebody wants something of it", False))
        self.assertTrue(waking.is_called(self.script))

    def test_while_a_step_is_under_way_it_waits_for_that(self):
        self.sleep()
        step = Deferred()
        sleep_slots.work(self.script.id, lambda: step)
        self.clock.advance(0)
        self.event(priority=9)
        self.assertEqual(self.check(), (False, "somebody wants something of it", True))
        self.assertTrue(waking.is_called(self.script))
        step.callback(None)
        self.assertTrue(waking.wake_if_due(self.script))

    def test_a_nap_ends_when_its_work_is_done(self):
        self.sleep()
        sleep_state.set_done(self.script)
        self.assertEqual(self.check(), (True, "the work of sleep is done", False))

    def test_a_night_does_not(self):
        self.sleep(wake_at=scheduling.now() + timedelta(hours=1))
        sleep_state.set_done(self.script)
        self.assertEqual(self.check(), (False, "nothing wakes it", False))

    def test_a_promise_that_is_due_wakes_the_light_sleeper(self):
        self.remind(minutes=5)
        self.sleep()
        self.assertFalse(self.check()[0])
        self.clock.advance(300)
        self.assertEqual(self.check(), (True, "it has a promise to keep", False))

    def test_one_that_somebody_plays_wakes(self):
        self.sleep(depth="deep")
        self.puppet(self.mara, self.account2, self.session2)
        self.assertEqual(self.check(), (True, "somebody plays it", False))

    def event(self, **fields):
        """Let something wait for Mara that she was not told of."""
        event = new_event("say", "Hello.", event_id="1", now=scheduling.now(), **fields)
        assistant.add_pending(self.script, event, limit=50)

    def remind(self, *, minutes):
        due = format_time(scheduling.now() + timedelta(minutes=minutes))
        reminder = Reminder(sources=OF_THE_GAME, due=due, text="feed the cat", audience="public")
        assistant.add_reminder(self.script, reminder)


class WakeTests(SleeperTestCase):
    def test_waking_sets_everything_as_it_should_be(self):
        """M53: cooldown of 60 minutes, counter, state, schedule, mode; in one go."""
        sleep_state.note(self.script, activity=7)
        self.sleep(wake_at=scheduling.now() + timedelta(hours=1), depth="deep")
        self.assertTrue(waking.perform_wake_transition(self.script, "test"))
        kept = sleep_state.kept(self.script)
        self.assertEqual((kept.mode, kept.activity), ("awake", 0))
        self.assertEqual(
            sleep_state.cooldown_until(self.script) - scheduling.now(), timedelta(minutes=60)
        )
        self.assertEqual((kept.phase, kept.is_schedule_suspended), (None, False))
        self.assertEqual(active_assistants.rates(), {5})

    def test_waking_twice_changes_nothing_more(self):
        self.sleep()
        waking.perform_wake_transition(self.script, "test")
        until = sleep_state.kept(self.script).cooldown_until
        self.clock.advance(100)
        self.assertFalse(waking.perform_wake_transition(self.script, "test"))
        self.assertEqual(sleep_state.kept(self.script).cooldown_until, until)

    def test_a_wake_that_the_server_missed_is_made_up_at_its_start(self):
        self.sleep(wake_at=scheduling.now() + timedelta(hours=1))
        minds.forget_all()
        self.clock.advance(7200)
        self.script.at_server_start()
        self.assertEqual(sleep_state.mode(self.script), "awake")
        self.assertEqual(active_assistants.rates(), {5})

    def test_after_a_restart_within_the_night_it_sleeps_on(self):
        self.sleep(wake_at=scheduling.now() + timedelta(hours=4))
        minds.forget_all()
        self.clock.advance(60)
        self.script.at_server_start()
        self.assertEqual(sleep_state.mode(self.script), "sleep")
        self.assertEqual(active_assistants.rates(), {60})


class SpokenToTests(SleeperTestCase):
    def mumbles(self, *lines):
        self.patch(answer, "EXCUSES", {"sleepy_lines": lines})

    def test_a_light_sleeper_wakes_and_answers(self):
        """M52: to be named is urgent."""
        self.sleep()
        self.do(self.char1, "say Mara, fire!")
        self.assertEqual(sleep_state.mode(self.script), "awake")
        self.assertEqual(self.heard(), ['Mara says, "I am up."'])
        self.assertEqual(self.pending(), [])

    def test_staff_wake_even_a_deep_sleeper_by_a_tell(self):
        """C-25: a page of staff wakes any."""
        self.sleep(depth="deep")
        self.patch(self.char1, "check_permstring", lambda permission: False)
        self.do(self.char1, "tell Mara = fire!")
        self.assertEqual(sleep_state.mode(self.script), "sleep")
        self.patch(self.char1, "check_permstring", lambda permission: permission == "Builder")
        self.do(self.char1, "tell Mara = fire!")
        self.assertEqual(sleep_state.mode(self.script), "awake")

    def test_an_event_of_the_game_says_itself_how_much_it_presses(self):
        """M52: by its metadata, or its classification."""
        for said, expected in (
            ({"metadata": {"priority": 5}}, "sleep"),
            ({"metadata": {"weather": "rain"}, "priority": 5}, "sleep"),
            ({"metadata": {"priority": 9}}, "awake"),
            ({"metadata": {"urgent": True}, "priority": 5}, "awake"),
            ({"metadata": {"classification": "urgent"}, "priority": 5}, "awake"),
            ({"classification": "direct_message", "priority": 5}, "awake"),
        ):
            with self.subTest(said):
                self.sleep()
                self.script.perceive("bell", "The bell rings.", self.char1, **said)
                self.assertEqual(sleep_state.mode(self.script), expected)
                self.wait(2)

    def test_a_whisper_wakes_it_too(self):
        self.sleep()
        self.do(self.char1, "whisper Mara = fire!")
        self.assertEqual(sleep_state.mode(self.script), "awake")

    def test_one_that_keeps_the_day_mumbles_and_answers_when_that_is_done(self):
        self.mumbles("*snores.*")
        self.llm = minds.script_llm("I am up.")
        self.sleep(phase="compacting")
        self.do(self.char1, "say Mara, fire!")
        self.assertEqual(self.heard(), ["Mara snores."])
        self.assertEqual(self.pending(), ["Mara, fire!"])
        sleep_state.set_phase(self.script, "dreaming")
        tick.run_tick(self.script)
        self.wait(1)
        self.assertEqual(self.heard(), ['Mara says, "I am up."'])
        self.assertEqual(self.pending(), [])

    def test_a_deep_sleeper_mumbles_and_that_is_all(self):
        self.mumbles("Hm? Not now.")
        self.sleep(depth="deep")
        self.do(self.char1, "say Mara, fire!")
        self.assertEqual(self.heard(), ['Mara says, "Hm? Not now."'])
        self.assertEqual((self.pending(), self.llm.requests), ([], []))
        self.assertEqual(sleep_state.mode(self.script), "sleep")

    def test_what_it_heard_asleep_is_remembered(self):
        self.sleep(depth="deep")
        self.do(self.char1, "say Mara, the mill is on fire!")
        self.assertEqual(self.remembered(), [(False, "Mara, the mill is on fire!")])
        self.assertIn("fire", journal.entries(self.mara)[-1].content)

    def test_at_most_one_line_in_half_a_minute_for_each_who_speaks(self):
        self.mumbles("Hm?")
        self.sleep(depth="deep")
        for _ in range(3):
            self.do(self.char1, "say Mara!")
        self.assertEqual(len(self.heard()), 1)
        self.do(self.char2, "say Mara!")
        self.assertEqual(len(self.heard()), 1)
        self.clock.advance(30)
        self.do(self.char1, "say Mara!")
        self.assertEqual(len(self.heard()), 1)

    def test_the_lines_of_its_builder_come_first(self):
        persona.save_persona(self.mara, {"sleepy_lines": ["*drools on the bar.*"]})
        self.sleep(depth="deep")
        self.do(self.char1, "say Mara!")
        self.assertEqual(self.heard(), ["Mara drools on the bar."])

    def test_without_lines_it_says_nothing(self):
        self.mumbles()
        self.sleep(depth="deep")
        self.do(self.char1, "say Mara!")
        self.assertEqual((self.heard(), self.pending()), ([], []))

    def test_whoever_whispers_is_answered_in_a_whisper(self):
        self.mumbles("Hm?")
        self.sleep(depth="deep")
        self.do(self.char1, "whisper Mara = psst")
        self.assertEqual(self.heard(), ['Mara whispers: "Hm?"'])
        self.assertEqual([line for line in words(self.bob, "whisper") if "Hm" in line], [])

    def test_whoever_tells_it_something_from_afar_is_told_and_sees_nothing(self):
        self.patch(self.char1, "check_permstring", lambda permission: False)
        self.mumbles("*snores.*", "Hm?", "*turns over.*")
        self.configure(TELL_RANGE="anywhere")
        self.sleep(depth="deep")
        self.char1.move_to(self.room2, quiet=True)
        self.do(self.char1, "tell Mara = psst")
        self.assertEqual(self.heard(), ['Mara tells you: "Hm?"'])

    def test_whoever_tells_it_something_at_its_side_sees_it_snore(self):
        self.patch(self.char1, "check_permstring", lambda permission: False)
        self.mumbles("*snores.*")
        self.sleep(depth="deep")
        self.do(self.char1, "tell Mara = psst")
        self.assertEqual(self.heard(), ["Mara snores."])

    def test_a_greeting_of_the_room_is_slept_through(self):
        self.sleep()
        self.do(self.char1, "say Hello all")
        self.assertEqual((self.heard(), self.pending()), ([], []))
        self.assertEqual(sleep_state.mode(self.script), "sleep")

    def test_a_chatty_one_greets_nobody_in_its_sleep(self):
        npc_settings.choose(self.mara, talkative="chatty")
        self.char2.move_to(self.room2, quiet=True)
        tick.run_tick(self.script)
        self.sleep()
        self.char2.move_to(self.room1)
        self.wait(2)
        self.assertEqual((self.heard(), self.pending()), ([], []))
        self.assertEqual(sleep_state.mode(self.script), "sleep")

    def test_one_that_sleeps_follows_nobody(self):
        assistant.follow(self.script, self.char1.id)
        tick.run_tick(self.script)
        self.sleep()
        self.char1.move_to(self.room2)
        self.wait(2)
        tick.run_tick(self.script)
        self.assertEqual(self.mara.location, self.room1)

    def test_one_that_cannot_act_does_not_even_snore(self):
        self.configure(CAN_ACT="tests.tools.doubles.can_act")
        self.mara.db.bound = True
        self.sleep(depth="deep")
        self.do(self.char1, "say Mara!")
        self.assertEqual((self.heard(), self.pending()), ([], []))

    def test_the_words_of_an_assistant_get_no_mumble(self):
        self.sleep(depth="deep")
        tom = minds.make_assistant("Tom", location=self.room1)
        way = Way(tom, "say", None, [])
        speech.utter(Permit("Mara, are you asleep?"), way, hops=1)
        self.wait(1)
        self.assertEqual(self.heard(), [])
