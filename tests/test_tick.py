"""The clockwork: one subscription an interval, a pulse that never waits, ticks that go on."""

from unittest import TestCase

from django.db import OperationalError
from evennia.objects.objects import DefaultExit, DefaultRoom
from evennia.scripts.models import ScriptDB
from evennia.scripts.tickerhandler import TICKER_HANDLER
from evennia.utils.create import create_object, create_script
from twisted.internet.defer import Deferred, TimeoutError

from evennia_ai import hooks, scheduling, tick
from evennia_ai.agent import following
from evennia_ai.agent.hearing import presence
from evennia_ai.core import records, volatile
from evennia_ai.memory import persona
from evennia_ai.memory.state import active_assistants, assistant, sleep_state
from evennia_ai.memory.storage import own_attributes
from evennia_ai.sleep import sleep_cycle, sleep_slots, steps, waking
from evennia_ai.testing import minds
from evennia_ai.typeclasses import scripts
from tests.agent.cases import MindTestCase, words
from tests.domain.lines import OF_THE_GAME


def subscriptions():
    """Return how many subscriptions each interval has, without the empty ones."""
    return {rate: len(kept) for rate, kept in TICKER_HANDLER.all().items() if kept}


def others_ticker():
    """What a game lets be ticked."""


class PulseTests(MindTestCase):
    def setUp(self):
        super().setUp()
        self.ticked = []

    def count_ticks(self):
        """Note which scripts are ticked, and when, instead of doing it."""
        self.patch(tick, "run_tick", lambda script: self.ticked.append(script.id))

    def test_one_subscription_serves_all_assistants_of_an_interval(self):
        for name in ("Tom", "Kat", "Bob"):
            minds.make_assistant(name, location=self.room1)
        self.assertEqual(subscriptions(), {5: 1})

    def test_each_interval_in_use_has_one(self):
        tom = minds.make_assistant("Tom", location=self.room1)
        tick.join(scripts.find(tom), 60)
        self.assertEqual(subscriptions(), {5: 1, 60: 1})
        scripts.find(tom).disable()
        self.assertEqual(subscriptions(), {5: 1})
        self.script_of_mara.disable()
        self.assertEqual(subscriptions(), {})

    def test_the_subscription_is_a_method_that_every_script_has(self):
        [(key, value)] = [pair for kept in TICKER_HANDLER.all().values() for pair in kept.items()]
        self.assertEqual(key[1:5], ("at_repeat", None, 5, "evennia_ai"))
        # Evennia calls it with this; a script of the game that takes its place may know no more.
        self.assertEqual(value[0], ())
        self.assertLessEqual(set(value[1]), {"_obj", "_callback", "_start_delay"})
        self.count_ticks()
        self.assertIsNone(value[1]["_obj"].at_repeat())
        self.wait(0.2)
        self.assertEqual(self.ticked, [self.script_of_mara.id])

    def test_the_pulse_returns_at_once_and_ticks_later(self):
        self.count_ticks()
        self.assertIsNone(tick.pulse(rate=5))
        self.assertEqual(self.ticked, [])
        self.wait(0.2)
        self.assertEqual(self.ticked, [self.script_of_mara.id])

    def test_five_hundred_assistants_are_spread_over_the_interval(self):
        self.patch(active_assistants, "members", lambda rate: list(range(500)))
        started = []
        self.patch(tick, "_start_tick", lambda script_id: started.append(self.clock.seconds()))
        begin = self.clock.seconds()
        tick.pulse(rate=5)
        for _ in range(100):
            self.clock.advance(0.05)
            while scheduling.waiting():
                self.clock.advance(0)
        self.assertEqual(len(started), 500)
        times = [moment - begin for moment in started]
        most = max(sum(1 for time in times if abs(time - at) < 0.01) for at in set(times))
        self.assertLessEqual(most, 25)
        self.assertTrue(4 < max(times) <= 5)

    def test_a_ticker_that_outlived_its_assistants_is_removed(self):
        left = create_script(tick.PULSE, key="evennia_ai_pulse_17")
        TICKER_HANDLER.add(17, left.at_repeat, "evennia_ai", True)
        self.assertEqual(subscriptions(), {5: 1, 17: 1})
        left.at_repeat()
        self.wait(0.2)
        self.assertEqual(subscriptions(), {5: 1})
        self.assertIsNone(left.pk)

    def test_a_restart_subscribes_anew_and_leaves_the_tickers_of_others(self):
        TICKER_HANDLER.add(5, others_ticker, "evennia_ai_of_another")
        volatile.forget_all()
        tick.ensure_pulses()
        keys = [key[1:5] for kept in TICKER_HANDLER.all().values() for key in kept]
        other = (None, "tests.test_tick.others_ticker", 5, "evennia_ai_of_another")
        self.assertCountEqual(keys, [("at_repeat", None, 5, "evennia_ai"), other])

    def test_a_script_that_somebody_deleted_is_replaced(self):
        self.count_ticks()
        [script] = ScriptDB.objects.filter(db_key="evennia_ai_pulse_5")
        script.delete()
        self.wait(0.2)
        [script] = ScriptDB.objects.filter(db_key="evennia_ai_pulse_5")
        self.assertEqual(subscriptions(), {5: 1})
        script.at_repeat()
        self.wait(0.2)
        self.assertEqual(self.ticked, [self.script_of_mara.id])

    def test_when_nobody_is_on_nothing_is_left(self):
        self.script_of_mara.disable()
        self.wait(0.2)
        self.assertEqual(ScriptDB.objects.filter(db_typeclass_path=tick.PULSE).count(), 0)
        self.assertEqual(subscriptions(), {})

    def test_after_a_restart_it_subscribes_again_without_doubling(self):
        volatile.forget_all()
        tick.ensure_pulses()
        self.assertEqual(subscriptions(), {5: 1})

    def test_where_evennia_could_not_read_its_tickers_at_the_start_they_are_read_soon_after(self):
        warned = []
        self.patch(tick.logger, "log_warn", warned.append)
        TICKER_HANDLER.add(17, others_ticker, "of_another")
        for count in (1, 1):
            if not warned:
                # A new process, which has read none.
                TICKER_HANDLER.ticker_pool.stop()
                TICKER_HANDLER.ticker_storage = {}
                TICKER_HANDLER.ticker_pool = TICKER_HANDLER.ticker_pool_class()
                volatile.forget_all()
            hooks.at_server_start()
            self.wait(1.5)
            self.assertEqual((subscriptions(), len(warned)), ({5: 1, 17: 1}, count))

    def test_what_misses_one_ticker_at_the_start_is_ticked_and_nothing_else_is_told(self):
        warned = []
        self.patch(tick.logger, "log_warn", warned.append)
        TICKER_HANDLER.add(17, others_ticker, "of_another")
        for key in [key for key in TICKER_HANDLER.ticker_storage if key[4] == tick.IDSTRING]:
            TICKER_HANDLER.remove(store_key=key)
        volatile.forget_all()
        tick.resume()
        self.assertEqual((subscriptions(), warned), ({5: 1, 17: 1}, []))

    def test_a_tick_under_way_is_not_begun_again(self):
        waiting, begun = Deferred(), []
        self.patch(tick, "run_tick", lambda script: begun.append(script.id) or waiting)
        for _ in range(3):
            tick.pulse(rate=5)
            self.wait(5)
        self.assertEqual(len(begun), 1)
        waiting.callback(None)
        tick.pulse(rate=5)
        self.wait(5)
        self.assertEqual(len(begun), 2)

    def test_a_tick_that_hangs_is_given_up_and_delays_nobody(self):
        tom = minds.make_assistant("Tom", location=self.room1)
        begun = []

        def run_tick(script):
            begun.append(script.obj.key)
            return Deferred() if script.obj.key == "Mara" else None

        self.patch(tick, "run_tick", run_tick)
        for _ in range(2):
            tick.pulse(rate=5)
            self.wait(5)
        self.assertEqual(begun, ["Mara", "Tom", "Tom"])
        self.wait(60)
        self.assertEqual(len(self.flushLoggedErrors()), 1)
        self.assertEqual(assistant.counters(self.script_of_mara), {"failures": 1})
        self.assertEqual(assistant.counters(scripts.find(tom)), {})
        tick.pulse(rate=5)
        self.wait(5)
        self.assertEqual(begun[3:], ["Mara", "Tom"])

    def test_a_tick_that_fails_is_logged_and_counted_and_comes_again(self):
        self.patch(tick, "run_tick", lambda script: 1 / 0)
        tick.pulse(rate=5)
        self.wait(5)
        [failure] = self.flushLoggedErrors(ZeroDivisionError)
        self.assertIn("1 / 0", failure.getTraceback())
        self.assertEqual(assistant.counters(self.script_of_mara), {"failures": 1})
        self.count_ticks()
        tick.pulse(rate=5)
        self.wait(5)
        self.assertEqual(self.ticked, [self.script_of_mara.id])

    def test_where_the_database_was_away_the_next_tick_connects_anew(self):
        def run_tick(script):
            raise OperationalError("the connection is closed")

        self.patch(tick, "run_tick", run_tick)
        for is_lost, failures in ((True, 0), (False, 1)):
            self.patch(tick.database, "mend", lambda is_lost=is_lost: is_lost)
            tick.pulse(rate=5)
            self.wait(5)
            self.assertEqual(len(self.flushLoggedErrors(OperationalError)), failures)

    def test_a_mind_deleted_between_pulse_and_tick_is_let_be(self):
        self.count_ticks()
        tick.pulse(rate=5)
        scripts.detach(self.mara)
        self.wait(5)
        self.assertEqual(self.ticked, [])


class IdleTests(MindTestCase):
    """Mara is alone in a room; no player sees what she does."""

    def setUp(self):
        super().setUp()
        self.mara.move_to(self.room2, quiet=True)
        self.ticked, run_tick = [], tick.run_tick
        self.patch(tick, "run_tick", lambda script: self.ticked.append(1) or run_tick(script))

    def pulses(self, count, rate=5):
        """Let so many intervals pass; return how many ticks she had."""
        self.ticked.clear()
        for _ in range(count):
            tick.pulse(rate=rate)
            self.wait(rate)
        return len(self.ticked)

    def test_with_nothing_to_do_she_is_ticked_each_sixth_time(self):
        self.pulses(6)
        self.assertEqual(self.pulses(24), 4)

    def test_who_fell_asleep_is_ticked_the_next_time(self):
        self.pulses(6)
        script = self.script_of_mara
        self.patch(sleep_cycle, "check_sleep_schedule", lambda _: (True, "sleep", "a test"))
        for _ in range(12):
            if not sleep_state.is_asleep(script):
                self.pulses(1)
        self.assertTrue(sleep_state.is_asleep(script))
        self.assertEqual(self.pulses(1, rate=60), 1)

    def test_where_a_player_is_she_is_ticked_each_time(self):
        self.pulses(6)
        self.char1.move_to(self.room2, quiet=True)
        self.assertEqual(self.pulses(6), 6)

    def test_somewhere_else_she_is_ticked_at_once(self):
        self.pulses(8)
        for _ in range(5):
            self.mara.location = None
            self.mara.move_to(create_object(DefaultRoom, key="Cell"), quiet=True)
            self.assertEqual(self.pulses(1), 1)

    def test_where_something_waits_she_is_ticked_at_once(self):
        minds.script_llm("Hm.", repeat=True)
        self.pulses(8)
        for number in range(5):
            event = records.new_event(
                "bell", "rings", event_id=str(number), now=scheduling.now(), addressed=True
            )
            assistant.add_pending(self.script_of_mara, event, limit=5)
            self.assertEqual(self.pulses(1), 1)

    def test_of_those_who_do_nothing_each_time_a_sixth_is_ticked(self):
        for number in range(29):
            minds.make_assistant(f"Guard {number}", location=self.room2)
        self.pulses(6)
        counts = [self.pulses(1) for _ in range(6)]
        # Between the minds a script of ours has a number, too.
        self.assertEqual(sum(counts), 30)
        self.assertLessEqual(max(counts), 7)


class RunTickTests(MindTestCase):
    def tick(self, seconds=1.0):
        tick.run_tick(self.script_of_mara)
        self.wait(seconds)

    def test_nothing_to_do_is_no_model_call(self):
        mind = minds.script_llm("Hm.")
        for _ in range(5):
            self.tick()
        self.assertEqual((mind.requests, self.ann, self.log), ([], [], []))

    def test_at_the_first_tick_after_a_start_the_database_is_asked_once(self):
        for mode in ("awake", "sleep"):
            sleep_cycle.transition_mode(self.script_of_mara, mode, "night")
            active_assistants.is_halted()
            for obj in (self.mara, self.script_of_mara):
                own_attributes.drop_cached(obj)
            with self.subTest(mode), self.assertNumQueries(1):
                tick.run_tick(self.script_of_mara)

    def test_what_was_left_is_picked_up(self):
        mind = minds.script_llm("Here I am.")
        event = records.new_event(
            "say",
            "Mara?",
            event_id="e1",
            now=scheduling.now(),
            said_by=self.first,
            actor_id=self.char1.id,
            actor_name="Char",
            location_id=self.room1.id,
        )
        assistant.add_pending(self.script_of_mara, event, limit=50)
        self.tick()
        self.assertEqual(len(mind.requests), 1)
        self.assertEqual(words(self.ann), ['Mara says, "Here I am."'])

    def test_a_halted_or_disabled_mind_does_nothing(self):
        looked = []
        self.patch(presence, "look_around", lambda npc: looked.append(npc) or [])
        active_assistants.halt()
        self.tick()
        active_assistants.halt(halted=False)
        assistant.enable(self.script_of_mara, enabled=False)
        self.tick()
        self.assertEqual(looked, [])
        assistant.enable(self.script_of_mara, enabled=True)
        self.tick()
        self.assertEqual(looked, [self.mara])

    def remind(self, *, due=""):
        """Let Mara owe Char a reminder that is due in a minute."""
        minds.script_llm("It is time, Char.")
        reminder = records.Reminder(
            sources=OF_THE_GAME,
            due=due or records.format_time(scheduling.now().replace(microsecond=0)),
            text="feed the cat",
            said_by=self.first,
            actor_id=self.char1.id,
            actor_name="Char",
            audience="public",
        )
        assistant.add_reminder(self.script_of_mara, reminder)

    def test_a_promise_is_kept_when_its_time_has_come(self):
        self.remind()
        self.tick()
        self.assertEqual(words(self.ann), ['Mara says, "It is time, Char."'])
        self.assertEqual(assistant.reminders(self.script_of_mara), [])

    def test_a_promise_is_not_kept_before_its_time(self):
        self.remind(due="2100-01-01T00:00:00.000Z")
        self.tick()
        self.assertEqual(words(self.ann), [])
        self.assertEqual(len(assistant.reminders(self.script_of_mara)), 1)

    def test_while_somebody_plays_it_its_promises_wait(self):
        self.remind()
        self.puppet(self.mara, self.account2, self.session2)
        self.tick()
        self.assertEqual(len(assistant.reminders(self.script_of_mara)), 1)
        self.account2.unpuppet_object(self.session2)
        self.tick()
        self.assertEqual(words(self.ann), ['Mara says, "It is time, Char."'])

    def test_a_promise_to_who_is_not_there_is_not_called_into_the_room(self):
        self.remind()
        self.char1.location = self.room2
        self.tick()
        self.assertEqual((words(self.bob), words(self.ann)), ([], []))

    def test_the_body_is_listened_to_again(self):
        mirror = minds.make_assistant(
            "mirror", location=self.room1, typeclass="evennia.objects.objects.DefaultObject"
        )
        del mirror.at_msg_receive
        tick.run_tick(scripts.find(mirror))
        self.assertIn("at_msg_receive", vars(mirror))


class FollowingTests(MindTestCase):
    def test_it_walks_after_its_leader_through_an_open_exit(self):
        assistant.follow(self.script_of_mara, self.char1.id)
        presence.look_around(self.mara)
        self.char1.execute_cmd("out")
        self.wait()
        self.assertIs(self.mara.location, self.room2)

    def test_a_leader_who_goes_on_at_once_is_followed_on(self):
        back = create_object(DefaultExit, key="back", location=self.room2, destination=self.room1)
        assistant.follow(self.script_of_mara, self.char1.id)
        presence.look_around(self.mara)
        for way in (self.exit, back, self.exit):
            # Not by a command: which one is meant depends on what else is called so.
            way.at_traverse(self.char1, way.destination)
            self.assertIs(self.char1.location, way.destination)
            self.wait(0.1)
            # On a slow machine more slices are needed.
            scheduling.drain()
            self.assertIs(self.mara.location, way.destination)

    def test_a_locked_exit_holds_it_back(self):
        self.exit.locks.add("traverse:perm(Developer)")
        self.char1.location = self.room2
        self.assertFalse(following.go_after(self.mara, self.char1.id))
        self.assertIs(self.mara.location, self.room1)

    def test_where_no_exit_leads_it_does_not_follow(self):
        self.char1.location = None
        self.assertFalse(following.go_after(self.mara, self.char1.id))
        self.assertFalse(following.go_after(self.mara, 99_999))

    def test_while_it_is_played_it_goes_where_its_player_wants(self):
        self.puppet(self.mara, self.account2, self.session2)
        self.char1.location = self.room2
        self.assertFalse(following.go_after(self.mara, self.char1.id))


class SleepingTests(MindTestCase):
    """Ticks of those who sleep, whose work is counted instead of done."""

    def setUp(self):
        super().setUp()
        self.script = self.script_of_mara
        self.work, self.worked = Deferred(), []
        self.patch(steps, "run_sleep_tick", self.begin)

    def begin(self, script, character):
        self.worked.append((script.id, character.id))
        return self.work

    def asleep(self, npc=None):
        script = scripts.find(npc) if npc else self.script
        sleep_cycle.transition_mode(script, "sleep", "night")
        sleep_state.set_phase(script, "dreaming")
        return script

    def pulse(self):
        tick.pulse(rate=60)
        minds.pass_time(self.clock, 60, step=1)

    def test_asleep_it_does_the_work_of_sleep_and_nothing_else(self):
        self.asleep()
        self.pulse()
        self.assertEqual(self.worked, [(self.script.id, self.mara.id)])

    def test_what_may_go_on_does_so_before_the_next_tick(self):
        self.asleep()
        self.pulse()
        self.work.callback({"goes_on": True})
        self.work = Deferred()
        self.wait(1)
        self.assertEqual(len(self.worked), 2)
        self.work.callback({"goes_on": False})
        self.wait(1)
        self.assertEqual(len(self.worked), 2)

    def test_who_was_called_does_not_go_on(self):
        minds.script_llm("I am up.")
        self.configure_lines()
        self.asleep()
        self.pulse()
        self.do(self.char1, "say Mara, fire!")
        self.work.callback({"goes_on": True})
        self.wait(1)
        self.assertEqual(len(self.worked), 1)

    def test_the_next_tick_waits_for_the_one_under_way(self):
        self.asleep()
        self.pulse()
        self.pulse()
        self.assertEqual(len(self.worked), 1)
        self.work.callback({})
        self.pulse()
        self.assertEqual(len(self.worked), 2)

    def test_whoever_called_meanwhile_is_answered_when_the_step_is_done(self):
        minds.script_llm("I am up.")
        self.configure_lines()
        self.asleep()
        self.pulse()
        self.do(self.char1, "say Mara, fire!")
        self.assertEqual(sleep_state.mode(self.script), "sleep")
        self.work.callback({})
        self.wait(1)
        self.assertEqual(sleep_state.mode(self.script), "awake")
        self.assertIn('Mara says, "I am up."', words(self.ann))

    def test_what_the_end_of_the_server_breaks_off_has_not_failed(self):
        self.asleep()
        self.pulse()
        active_assistants.close()
        self.work.cancel()
        self.assertEqual(self.flushLoggedErrors(), [])

    def test_a_nap_whose_work_is_done_ends_with_that_tick(self):
        self.asleep()
        self.pulse()
        sleep_state.set_done(self.script)
        self.work.callback({})
        self.assertEqual(sleep_state.mode(self.script), "awake")

    def test_a_dozen_who_sleep_work_four_at_a_time(self):
        self.asleep()
        for number in range(11):
            self.asleep(minds.make_assistant(f"Guard {number}", location=self.room2))
        self.pulse()
        self.assertEqual(len(self.worked), 4)
        self.work.callback({})
        self.wait(1)
        self.assertEqual(len({script_id for script_id, _ in self.worked}), 12)

    def test_who_woke_or_was_stopped_while_it_waited_does_no_work(self):
        self.configure(SLEEP_CONCURRENCY=1)
        others = [minds.make_assistant(name, location=self.room2) for name in ("Tom", "Kat")]
        woken, stopped = [self.asleep(npc) for npc in others]
        self.asleep()
        sleep_slots.work(0, lambda: self.work)
        self.pulse()
        waking.perform_wake_transition(woken, "test")
        stopped.disable()
        self.work.callback({})
        self.wait(1)
        self.assertEqual(self.worked, [(self.script.id, self.mara.id)])

    def test_halted_or_off_nobody_works_in_sleep(self):
        self.asleep()
        active_assistants.halt()
        self.pulse()
        active_assistants.halt(halted=False)
        self.script.disable()
        tick.run_tick(self.script)
        self.assertEqual(self.worked, [])

    def test_work_that_never_ends_is_given_up_and_the_next_tick_tries_again(self):
        self.asleep()
        self.pulse()
        self.clock.advance(600)
        self.wait(1)
        self.assertEqual(len(self.flushLoggedErrors(TimeoutError)), 1)
        self.assertEqual(assistant.counters(self.script), {"failures": 1})
        self.work = None
        self.pulse()
        self.assertEqual(len(self.worked), 2)

    def test_a_reminder_waits_for_the_deep_sleeper(self):
        due = records.format_time(scheduling.now())
        reminder = records.Reminder(
            sources=OF_THE_GAME, due=due, text="feed the cat", audience="public"
        )
        assistant.add_reminder(self.script, reminder)
        sleep_cycle.transition_mode(self.script, "sleep", "night", depth="deep")
        self.pulse()
        self.assertEqual(len(assistant.reminders(self.script)), 1)

    def configure_lines(self):
        """Let nobody be told that Mara sleeps."""
        persona.save_persona(self.mara, {"sleepy_lines": ["Hm."]})


class ImportTests(TestCase):
    def test_the_idstring_tells_whose_ticker_it_is(self):
        self.assertEqual(tick.IDSTRING, "evennia_ai")
