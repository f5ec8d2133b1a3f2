"""What becomes of a turn when the world changes while the mind thinks, and when the server stops."""

from evennia.objects.models import ObjectDB
from evennia.utils.idmapper.models import flush_cache
from twisted.internet.defer import Deferred

from evennia_ai import hooks, scheduling
from evennia_ai.agent import turns
from evennia_ai.llm import ledger, loop_thread
from evennia_ai.memory import working_memory
from evennia_ai.memory.state import active_assistants, assistant
from evennia_ai.testing import minds
from evennia_ai.typeclasses import scripts
from tests.agent.cases import MindTestCase, call, words


class MidTurnTests(MindTestCase):
    """Char has asked; the mind thinks; something happens; the mind answers."""

    def setUp(self):
        super().setUp()
        self.configure(CAN_ACT="tests.agent.test_lifecycle.unless_dead")
        self.thinking = Deferred()
        self.mind = minds.script_llm(self.thinking, "You are well.")
        self.do(self.char1, "say Mara, how are you?")
        self.assertTrue(turns.is_running(self.script_of_mara.id))
        self.ann.clear()
        self.bob.clear()

    def answer(self, text="Fine."):
        self.thinking.callback(text)
        self.wait(2)

    def assert_only_thought(self, reason):
        """Nothing was said, nothing waits, and the words are kept as a thought."""
        self.assertEqual((words(self.ann), words(self.bob)), ([], []))
        self.assertEqual(self.pending(), [])
        thought = [text for mine, text in self.remembered() if mine][-1]
        self.assertEqual(thought, f"(thought, but did not say, because {reason}: Fine.)")
        self.assertFalse(turns.is_running(self.script_of_mara.id))

    def test_it_answers_when_nothing_happened(self):
        self.answer()
        self.assertEqual(words(self.ann), ['Mara says, "Fine."'])

    def test_the_speaker_left(self):
        self.char1.move_to(self.room2)
        self.answer()
        self.assert_only_thought("Char had left")

    def test_the_speaker_left_and_another_still_waits(self):
        self.do(self.char2, "say Mara, and I?")
        self.char1.move_to(self.room2)
        self.answer("Fine.")
        self.assertEqual(words(self.bob)[1:], ['Mara says, "You are well."'])
        self.assertEqual(self.mind.requests[1].context["event"]["actor_name"], "Char2")
        self.assertEqual(self.pending(), [])

    def test_the_speaker_logged_out(self):
        self.account.unpuppet_object(self.session)
        self.assertIsNone(self.char1.location)
        self.answer()
        self.assert_only_thought("Char had left")

    def test_the_speaker_was_deleted(self):
        self.char1.delete()
        self.answer()
        self.assertEqual((words(self.bob), self.pending()), ([], []))
        self.assertIn("Char had left", self.remembered(self.first)[-1][1])

    def test_the_npc_was_moved(self):
        self.mara.location = self.room2
        self.answer()
        self.assert_only_thought("it was somewhere else by then")

    def test_both_walked_on_together(self):
        self.mara.location = self.room2
        self.char1.location = self.room2
        self.answer()
        self.assert_only_thought("it was somewhere else by then")

    def test_somebody_plays_the_npc(self):
        self.puppet(self.mara, self.account2, self.session2)
        self.answer()
        self.assert_only_thought("somebody is playing it")

    def test_the_npc_died(self):
        self.mara.db.dead = True
        self.answer()
        self.assert_only_thought("it cannot act")

    def test_the_npc_lost_its_place(self):
        self.mara.location = None
        self.answer()
        self.assert_only_thought("it was somewhere else by then")

    def test_the_mind_was_stopped(self):
        self.script_of_mara.disable()
        self.answer()
        self.assert_only_thought("its mind was stopped")

    def test_the_mind_was_detached(self):
        script_id = self.script_of_mara.id
        scripts.detach(self.mara)
        self.answer()
        self.assertEqual((words(self.ann), turns.running()), ([], 0))
        self.assertIn("because it is gone", self.remembered()[-1][1])
        self.assertFalse(turns.is_running(script_id))

    def test_the_npc_was_deleted(self):
        self.mara.delete()
        self.answer()
        self.assertEqual((words(self.ann), turns.running(), self.log), ([], 0, []))

    def test_the_npc_was_deleted_before_the_turn_began(self):
        mind = minds.script_llm("Hello?")
        tom = minds.make_assistant("Tom", location=self.room1)
        self.do(self.char1, "say Tom, hello", wait=0.2)
        tom.delete()
        self.wait()
        self.assertEqual((mind.requests, turns.running()), ([], 1))

    def test_a_tool_that_comes_too_late_does_not_speak_either(self):
        self.char1.move_to(self.room2)
        self.answer(call("say", words="Fine."))
        self.assert_only_thought("Char had left")

    def test_the_deadline_finds_nobody_to_excuse_itself_to(self):
        self.char1.move_to(self.room2)
        self.wait(32)
        self.assertEqual((words(self.ann), words(self.bob), self.pending()), ([], [], []))
        self.assertEqual(len(self.log), 1)

    def test_a_flush_of_evennias_cache_changes_nothing(self):
        flush_cache()
        self.answer()
        room = ObjectDB.objects.get(pk=self.room1.id)
        npc = ObjectDB.objects.get(pk=self.mara.id)
        self.assertIs(npc.location, room)
        lines = working_memory.lines_with(npc, self.first)
        self.assertEqual([line.text for line in lines], ["Mara, how are you?", "Fine."])
        self.assertEqual(assistant.pending_events(scripts.find(npc)), [])
        self.assertEqual(self.log, [])

    def test_who_stops_playing_it_finds_a_mind_that_goes_on(self):
        self.puppet(self.mara, self.account2, self.session2)
        self.answer()
        self.do(self.char1, "say Mara, are you well?")
        self.account2.unpuppet_object(self.session2)
        mind = minds.script_llm("I was not quite myself.")
        self.wait(10)
        self.assertEqual(mind.requests, [])
        self.assertIs(self.mara.location, self.room1)
        self.do(self.char1, "say Mara, are you well?")
        self.assertEqual(words(self.ann)[-1], 'Mara says, "I was not quite myself."')


class RestartTests(MindTestCase):
    """A reload drops every coroutine; a kill gives no warning. Events are in the database."""

    def kill(self):
        """Lose all that is in memory: coroutines, delayed calls, and what waits for its slice."""
        for delayed in list(self.clock.getDelayedCalls()):
            delayed.cancel()
        scheduling.set_clock(self.clock)
        minds.forget_all()

    def restart(self):
        """Begin again as the server does, with what is stored and nothing else."""
        self.kill()
        self.mind = minds.script_llm("Here I am.")
        self.script_of_mara.at_server_start()
        self.ann.clear()

    def test_an_event_that_was_being_answered_is_answered_once_after_a_kill(self):
        minds.script_llm(Deferred())
        self.do(self.char1, "say Mara, hello")
        self.assertEqual(self.pending(), ["Mara, hello"])
        self.restart()
        self.wait(20)
        self.assertEqual(words(self.ann), ['Mara says, "Here I am."'])
        self.assertEqual((len(self.mind.requests), self.pending()), (1, []))

    def test_an_event_that_nobody_had_begun_is_answered_once(self):
        self.do(self.char1, "say Mara, hello", wait=0.2)
        self.restart()
        self.wait(20)
        self.assertEqual(words(self.ann), ['Mara says, "Here I am."'])

    def test_what_was_answered_before_is_not_answered_again(self):
        minds.script_llm("Hello.")
        self.do(self.char1, "say Mara, hello")
        self.restart()
        self.wait(20)
        self.assertEqual((words(self.ann), self.mind.requests), ([], []))

    def test_it_is_not_mute_after_a_restart_in_the_middle_of_a_turn(self):
        minds.script_llm(Deferred())
        self.do(self.char1, "say Mara, hello")
        self.restart()
        self.wait()
        self.mind = minds.script_llm("Yes?")
        self.do(self.char1, "say Mara, are you there?")
        self.assertEqual(words(self.ann)[-1], 'Mara says, "Yes?"')

    def test_what_waited_too_long_is_only_remembered(self):
        minds.script_llm(Deferred())
        self.do(self.char1, "say Mara, hello")
        self.kill()
        self.clock.advance(601)
        self.restart()
        self.wait(20)
        self.assertEqual((words(self.ann), self.mind.requests, self.pending()), ([], [], []))
        self.assertEqual(self.remembered(), [(False, "Mara, hello")])

    def test_one_that_was_switched_off_stays_so(self):
        self.do(self.char1, "say Mara, hello", wait=0.2)
        self.script_of_mara.disable()
        self.restart()
        self.wait(20)
        self.assertEqual((words(self.ann), active_assistants.count()), ([], 0))

    def test_a_reload_keeps_what_an_answer_came_too_late_for(self):
        self.patch(ledger, "flush", lambda: None)
        self.patch(loop_thread, "stop", lambda: None)
        thinking = Deferred()
        minds.script_llm(thinking)
        self.do(self.char1, "say Mara, hello")
        hooks.at_server_stop()
        thinking.callback("Too late.")
        self.wait()
        self.assertEqual((len(words(self.ann)), self.pending()), (1, ["Mara, hello"]))
        self.restart()
        self.wait(20)
        self.assertEqual(words(self.ann), ['Mara says, "Here I am."'])

    def test_what_was_only_just_heard_is_stored_when_the_server_stops(self):
        self.patch(ledger, "flush", lambda: None)
        self.patch(loop_thread, "stop", lambda: None)
        self.char1.execute_cmd("say Mara, hello")
        self.assertEqual(self.pending(), [])
        hooks.at_server_stop()
        self.assertEqual(self.pending(), ["Mara, hello"])


def unless_dead(npc):
    """Stand behind the door CAN_ACT."""
    return not npc.db.dead
