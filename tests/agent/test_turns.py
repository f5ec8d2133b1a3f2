"""When turns run: one at a time, folded, bounded, within their time, and never the last one."""

from unittest import mock

from django.core.exceptions import ImproperlyConfigured
from twisted.internet.defer import Deferred
from twisted.internet.task import deferLater

from evennia_ai import tick
from evennia_ai.agent import answer, turns
from evennia_ai.core import languages, records
from evennia_ai.exceptions import BudgetExceeded, LLMUnavailable
from evennia_ai.llm.base import Completion
from evennia_ai.llm.offline import OfflineMind
from evennia_ai.memory import persona, working_memory
from evennia_ai.memory.people import entity_profiles
from evennia_ai.memory.state import active_assistants, assistant
from evennia_ai.testing import minds
from evennia_ai.typeclasses import scripts
from tests.agent.cases import MindTestCase, call, seen_by, words


class FoldingTests(MindTestCase):
    def test_a_turn_begins_a_moment_after_the_words(self):
        mind = minds.script_llm("Hello.")
        self.do(self.char1, "say Mara, hello", wait=0.2)
        self.assertEqual(mind.requests, [])
        self.wait(0.4)
        self.assertEqual(len(mind.requests), 1)

    def test_two_lines_in_one_breath_are_one_turn(self):
        mind = minds.script_llm("Hello, an ale.")
        self.char1.execute_cmd("say Mara, hello")
        self.do(self.char1, "say An ale, please")
        self.assertEqual(len(mind.requests), 1)
        self.assertIn("An ale, please", mind.requests[0].messages[1]["content"])
        self.assertEqual(words(self.ann)[2:], ['Mara says, "Hello, an ale."'])

    def test_a_line_while_it_thinks_is_folded_in_and_answered_once(self):
        thinking = Deferred()
        mind = minds.script_llm(thinking, "Hello. The ale is two coins.")
        self.do(self.char1, "say Mara, hello")
        self.do(self.char1, "say What is the ale?")
        thinking.callback("Hello.")
        self.wait(5)
        self.assertEqual(len(mind.requests), 2)
        self.assertIn("What is the ale?", mind.requests[1].messages[-1]["content"])
        self.assertEqual(words(self.ann)[2:], ['Mara says, "Hello. The ale is two coins."'])
        self.assertEqual(self.pending(), [])

    def test_with_a_line_that_is_folded_in_stands_what_others_said_before_it(self):
        thinking = Deferred()
        mind = minds.script_llm(thinking, "Ash or Smoke, the oats are one penny.")
        self.do(self.char1, "say Mara, my horse is called Ash")
        self.do(self.char2, "say Char is a liar, that horse is called Smoke")
        self.do(self.char1, "say Mara, what are the oats for it?")
        thinking.callback("A fine horse.")
        self.wait(5)
        self.assertEqual(
            mind.requests[1].messages[-1]["content"],
            "(Before you could say that, this was added. Answer all of it together.)\n"
            "Char2 (overheard): Char is a liar, that horse is called Smoke\n"
            "Char: Mara, what are the oats for it?",
        )

    def test_with_it_stands_nothing_that_was_whispered_or_has_stood_in_the_prompt(self):
        thinking = Deferred()
        mind = minds.script_llm(thinking, "One penny.", "Hm.")
        self.do(self.char2, "say This rain will never end")
        self.do(self.char1, "say Mara, my horse is called Ash")
        self.do(self.char2, "whisper Mara = I stole his horse")
        self.do(self.char1, "say What are the oats for it?")
        thinking.callback("A fine horse.")
        self.wait(5)
        self.assertIn("This rain will never end", mind.requests[0].messages[-1]["content"])
        self.assertEqual(
            mind.requests[1].messages[-1]["content"],
            "(Before you could say that, this was added. Answer all of it together.)\n"
            "Char: What are the oats for it?",
        )

    def test_rules_answer_a_line_that_came_while_they_worked_in_a_turn_of_its_own(self):
        persona.save_lore(
            self.mara, ["A bed costs three coppers.", "The ale is brewed by old Tam."]
        )
        answered = OfflineMind.complete

        def slowly(mind, request):
            return deferLater(self.clock, 2, answered, mind, request)

        self.patch(OfflineMind, "complete", slowly)
        self.do(self.char1, "say Mara, who brews the ale?")
        self.do(self.char1, "say Mara, what does a bed cost?")
        self.wait(8)
        first, second = words(self.ann)[2:]
        self.assertIn("old Tam", first)
        self.assertIn("three coppers", second)

    def test_a_tool_is_used_although_more_is_said_meanwhile(self):
        thinking = Deferred()
        mind = minds.script_llm(thinking, "It is two coins, and it is warm in here.")
        self.do(self.char1, "say Mara, is it warm in here?")
        self.do(self.char1, "say And what is the ale?")
        thinking.callback(call("look"))
        self.wait(5)
        roles = [one["role"] for one in mind.requests[1].messages]
        self.assertEqual(roles[-3:], ["assistant", "tool", "user"])
        self.assertIn("And what is the ale?", mind.requests[1].messages[-1]["content"])
        self.assertEqual(len(mind.requests), 2)

    def test_words_beside_a_deed_are_said_with_it(self):
        self.obj1.location = self.mara
        mind = minds.script_llm(
            Completion("Here you are.", (call("give", item="Obj", target="Char"),)), repeat=True
        )
        self.do(self.char1, "say Mara, may I have it?")
        self.assertEqual(self.obj1.location, self.char1)
        self.assertEqual(words(self.ann)[-1], 'Mara says, "Here you are."')
        self.assertEqual(len(mind.requests), 1)

    def test_words_beside_a_deed_that_failed_are_not_said(self):
        mind = minds.script_llm(
            Completion("Here you are.", (call("give", item="Obj", target="Char"),)), "I have none."
        )
        self.do(self.char1, "say Mara, may I have it?")
        self.assertEqual(words(self.ann)[1:], ['Mara says, "I have none."'])
        self.assertIn('Not said yet: "Here you are."', mind.requests[1].messages[-1]["content"])

    def test_words_beside_a_look_are_not_said_yet(self):
        mind = minds.script_llm(Completion("Let me see.", (call("look"),)), "Nobody else is here.")
        self.do(self.char1, "say Mara, who is here?")
        self.assertEqual(words(self.ann)[1:], ['Mara says, "Nobody else is here."'])
        self.assertIn('Not said yet: "Let me see."', mind.requests[1].messages[-1]["content"])

    def test_words_beside_a_note_are_said_at_once(self):
        noted = call("add_pending_action", entity_id="Char", action="Keep the east room.")
        mind = minds.script_llm(Completion("The east room is yours.", (noted,)), repeat=True)
        self.do(self.char1, "say Mara, keep the east room for me.")
        self.assertEqual(words(self.ann)[1:], ['Mara says, "The east room is yours."'])
        self.assertEqual(len(mind.requests), 1)

    def test_words_beside_a_whisper_are_said_as_well(self):
        minds.script_llm("A fine evening. (To Char2 alone:) Not here.", repeat=True)
        self.do(self.char1, "say Mara, good evening.")
        self.assertEqual(words(self.ann)[1:], ['Mara says, "A fine evening."'])
        self.assertIn("Not here.", f"{self.bob}")

    def test_the_words_of_another_wait_for_a_turn_of_their_own(self):
        thinking = Deferred()
        mind = minds.script_llm(thinking, "And to you.")
        self.do(self.char1, "say Mara, hello")
        self.do(self.char2, "say Mara, hello from me")
        thinking.callback("Hello.")
        self.wait(5)
        self.assertEqual(words(self.ann)[2:], ['Mara says, "Hello."', 'Mara says, "And to you."'])
        self.assertNotIn("hello from me", f"{mind.requests[0].messages}")
        self.assertEqual(len(mind.requests), 2)

    def test_what_waits_for_a_turn_of_its_own_stands_in_no_other(self):
        mind = minds.script_llm("A bed, then.", "And ale, of course.")
        for character, line in (
            (self.char1, "Mara, I want a bed in the attic."),
            (self.char2, "Mara, I want ale from the old cask."),
        ):
            character.execute_cmd(f"say {line}")
        self.wait(5)
        first, second = (f"{request.messages}" for request in mind.requests)
        self.assertNotIn("the old cask", first)
        self.assertIn("Char: Mara, I want a bed in the attic.", second)
        self.assertIn("Char2: Mara, I want ale from the old cask.", second)

    def test_a_whisper_is_not_folded_into_open_talk(self):
        thinking = Deferred()
        mind = minds.script_llm(thinking, "Under the oak.")
        self.do(self.char1, "say Mara, hello")
        self.do(self.char2, "whisper Mara = where is it?")
        self.assertEqual(len(mind.requests), 1)
        thinking.callback("Hello.")
        self.wait(2)
        self.assertEqual(words(self.ann)[1:], ['Mara says, "Hello."'])
        self.assertNotIn("where is it?", f"{mind.requests[0].messages}")
        self.assertEqual(words(self.bob, "whisper")[1:], ['Mara whispers: "|nUnder the oak.|n"'])

    def test_two_whispers_are_two_turns(self):
        mind = minds.script_llm("To you.", "And to you.")
        self.char1.execute_cmd("whisper Mara = one")
        self.do(self.char2, "whisper Mara = two", wait=2)
        self.assertEqual(words(self.ann, "whisper")[1:], ['Mara whispers: "|nTo you.|n"'])
        self.assertEqual(words(self.bob, "whisper")[1:], ['Mara whispers: "|nAnd to you.|n"'])
        self.assertNotIn("two", f"{mind.requests[0].messages[1]}")

    def test_an_assistant_has_one_turn_at_a_time(self):
        minds.script_llm(Deferred())
        self.do(self.char1, "say Mara, hello")
        self.assertTrue(turns.is_running(self.script_of_mara.id))
        self.do(self.char1, "say Mara, are you there?")
        turns.request(self.script_of_mara.id, delay=0)
        self.wait()
        self.assertEqual(turns.running(), 1)


class LimitTests(MindTestCase):
    def test_after_the_deadline_it_says_a_line_of_its_own(self):
        mind = minds.script_llm(Deferred())
        self.do(self.char1, "say Mara, hello", wait=29)
        self.assertEqual(words(self.ann)[1:], [])
        self.wait(3)
        [line] = words(self.ann)[1:]
        self.assertIn(line[12:-1], FALLBACKS)
        self.assertEqual(len(self.log), 1)
        self.assertIn("Mara(", self.log[0])
        self.assertIn("TimeoutError", self.log[0])
        self.assertEqual(self.pending(), [])
        self.assertEqual(self.remembered(), [(False, "Mara, hello"), (True, line[12:-1])])
        self.assertEqual((len(mind.requests), turns.running()), (1, 0))

    def test_a_late_answer_changes_nothing_any_more(self):
        cancelled = []
        thinking = Deferred(cancelled.append)
        minds.script_llm(thinking)
        self.do(self.char1, "say Mara, hello", wait=32)
        self.assertEqual(cancelled, [thinking])
        self.assertEqual(len(words(self.ann)), 2)
        self.wait(10)
        self.assertEqual(len(words(self.ann)), 2)

    def test_the_deadline_is_one_for_all_steps(self):
        first = Deferred()
        mind = minds.script_llm(first, Deferred())
        self.do(self.char1, "say Mara, hello", wait=20)
        self.do(self.char1, "say And?", wait=1)
        first.callback("Hello.")
        self.wait(0.1)
        self.assertTrue(9 < mind.requests[1].deadline < 10)
        self.wait(12)
        self.assertEqual(len(words(self.ann)), 3)

    def test_the_time_in_which_the_model_is_busy_with_others_does_not_count(self):
        thinking = Deferred()
        mind = minds.script_llm(thinking)
        self.do(self.char1, "say Mara, hello", wait=1)
        with mind.requests[0].watch.stopped():
            self.wait(100)
        self.wait(20)
        thinking.callback("Good evening.")
        self.wait(2)
        self.assertEqual(words(self.ann)[-1], 'Mara says, "Good evening."')

    def test_nobody_waits_for_ever_for_a_model_that_is_busy_with_others(self):
        with mock.patch.object(records, "EVENT_MAX_AGE", 60):
            mind = minds.script_llm(Deferred())
            self.do(self.char1, "say Mara, hello", wait=1)
            with mind.requests[0].watch.stopped():
                self.wait(80)
                self.assertEqual(words(self.ann)[1:], [])
                self.wait(15)
        self.assertEqual((len(words(self.ann)), turns.running()), (2, 0))

    def test_a_spent_budget_is_said_in_character(self):
        minds.script_llm(BudgetExceeded("the tokens of the day are spent"))
        self.do(self.char1, "say Mara, hello")
        self.assertEqual(
            words(self.ann)[1:],
            ['Mara says, "I have talked enough for one day. Come back tomorrow."'],
        )
        self.assertEqual(len(self.log), 1)
        self.assertIn("the tokens of the day are spent", self.log[0])

    def test_a_model_that_is_down_is_an_excuse_of_the_builders(self):
        persona.save_persona(self.mara, {"fallback_lines": ["My head, my poor head."]})
        minds.script_llm(LLMUnavailable("connection refused"))
        self.do(self.char1, "whisper Mara = hello")
        self.assertEqual(
            words(self.ann, "whisper")[1:], ['Mara whispers: "|nMy head, my poor head.|n"']
        )

    def test_only_so_many_turns_run_at_once_and_the_pressing_ones_first(self):
        self.patch(answer, "SIMILARITY", 2)
        self.patch(turns, "AT_ONCE", 1)
        tom = minds.make_assistant("Tom", location=self.room1)
        kat = minds.make_assistant("Kat", location=self.room1)
        first = Deferred()
        mind = minds.script_llm(first, "Second.", "Third.")
        self.do(self.char1, "say Mara, hello")
        self.char1.execute_cmd("say Tom, hello")
        self.do(self.char2, "whisper Kat = help!")
        self.assertEqual((len(mind.requests), turns.running()), (1, 1))
        first.callback("First.")
        self.wait()
        asked = [request.context["npc"]["name"] for request in mind.requests]
        self.assertEqual(asked, ["Mara", "Kat", "Tom"])
        for npc in (tom, kat):
            self.assertEqual(assistant.pending_events(scripts.find(npc)), [])

    def test_one_that_hangs_does_not_delay_another(self):
        minds.script_llm(Deferred(), "I am here.")
        minds.make_assistant("Tom", location=self.room1)
        self.do(self.char1, "say Mara, hello", wait=0.5)
        self.do(self.char2, "say Tom, hello", wait=0.5)
        self.assertEqual(words(self.ann)[2:], ['Tom says, "I am here."'])


class FaultTests(MindTestCase):
    """What nobody foresaw is logged with its traceback and counted, and who waits has a line."""

    def failures(self):
        return assistant.counters(self.script_of_mara).get("failures", 0)

    def test_a_broken_section_costs_one_answer_and_not_the_next(self):
        self.configure(CONTEXT_SECTIONS=["tests.agent.test_turns.broken_once", ...])
        broken.append(1)
        mind = minds.script_llm("I am back.")
        self.do(self.char1, "say Mara, hello")
        self.assertEqual((mind.requests, self.pending(), self.failures()), ([], [], 1))
        [failure] = self.flushLoggedErrors(ZeroDivisionError)
        self.assertIn("broken_once", failure.getTraceback())
        self.assertIn(words(self.ann)[1][12:-1], FALLBACKS)
        self.do(self.char1, "say Mara, hello?")
        self.assertEqual(words(self.ann)[3:], ['Mara says, "I am back."'])
        self.assertEqual(self.failures(), 1)

    def test_a_mind_that_fails_in_an_unknown_way_is_asked_once(self):
        mind = minds.script_llm(KeyError("choices"))
        self.do(self.char1, "say Mara, hello", wait=10)
        self.assertEqual((len(mind.requests), self.pending(), self.failures()), (1, [], 1))
        self.assertEqual(len(self.flushLoggedErrors(KeyError)), 1)
        [line] = words(self.ann)[1:]
        self.assertIn(line[12:-1], FALLBACKS)

    def test_a_backend_that_cannot_be_built_does_not_mute_it_for_ever(self):
        self.configure(LLM={"default": {"BACKEND": "nowhere.at_all.Mind"}})
        self.do(self.char1, "say Mara, hello", wait=10)
        self.assertEqual(len(self.flushLoggedErrors()), 1)
        self.assertEqual((turns.running(), self.pending(), self.failures()), (0, [], 1))
        minds.script_llm("I am back.")
        self.do(self.char1, "say Mara, hello?")
        self.assertEqual(words(self.ann)[2:], ['Mara says, "I am back."'])

    def test_a_hook_that_breaks_before_the_excuse_does_not_repeat_the_turn(self):
        self.configure(CAN_ACT="tests.agent.test_turns.break_later")
        mind = minds.script_llm(lambda request: breaking.append(1) or LLMUnavailable("down"))
        self.addCleanup(breaking.clear)
        self.do(self.char1, "say Mara, hello", wait=10)
        self.assertEqual(len(mind.requests), 1)
        self.assertEqual((turns.running(), self.pending(), self.failures()), (0, [], 0))
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)

    def test_a_hook_that_breaks_before_the_turn_is_told_once_and_what_waits_is_kept(self):
        self.configure(CAN_ACT="tests.agent.test_turns.break_later")
        mind = minds.script_llm("Hello.")
        self.do(self.char1, "say Mara, hello", wait=0.2)
        breaking.append(1)
        self.addCleanup(breaking.clear)
        self.wait(10)
        tick.run_tick(self.script_of_mara)
        self.wait(2)
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)
        self.assertEqual((mind.requests, turns.running(), len(self.pending())), ([], 0, 1))
        breaking.clear()
        tick.run_tick(self.script_of_mara)
        self.wait(10)
        self.assertEqual((len(mind.requests), self.pending(), self.failures()), (1, [], 0))

    def test_a_voice_that_breaks_is_logged_and_the_line_counts_as_answered(self):
        self.configure(SPEAK="tests.agent.test_turns.choke")
        mind = minds.script_llm("Hello.")
        self.do(self.char1, "say Mara, hello", wait=10)
        self.assertEqual((len(mind.requests), self.pending(), self.failures()), (1, [], 1))
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)
        # What nobody heard it has not said.
        said = [line.text for line in working_memory.all_lines(self.mara)]
        self.assertEqual(said, ["Mara, hello"])

    def test_what_cannot_be_measured_costs_neither_an_answer_nor_familiarity(self):
        self.configure(EXPERIENCE_METRICS=["tests.agent.nowhere.measured"])
        minds.script_llm("Hello.")
        self.do(self.char1, "say Mara, hello", wait=10)
        self.assertEqual(words(self.ann)[1:], ['Mara says, "Hello."'])
        self.assertEqual(assistant.counters(scripts.find(self.mara))["turns"], 1)
        known = entity_profiles.find_profile(self.mara, self.char1)
        self.assertEqual(known.relationship.interaction_count, 1)
        self.assertGreaterEqual(len(self.flushLoggedErrors(ImproperlyConfigured)), 1)

    def test_while_all_minds_are_halted_nothing_is_thought_or_kept_for_later(self):
        mind = minds.script_llm("Hello.")
        active_assistants.halt()
        self.do(self.char1, "say Mara, hello")
        self.assertEqual((mind.requests, self.pending()), ([], []))
        active_assistants.halt(halted=False)
        self.wait(10)
        self.assertEqual(mind.requests, [])
        self.do(self.char1, "say Mara, hello")
        self.assertEqual(len(mind.requests), 1)

    def test_a_halt_silences_who_is_thinking_already(self):
        thinking = Deferred()
        minds.script_llm(thinking)
        self.do(self.char1, "say Mara, hello")
        active_assistants.halt()
        thinking.callback(Completion("Hello."))
        self.wait()
        self.assertEqual((len(words(self.ann)), self.pending()), (1, []))

    def test_nothing_of_a_fault_is_shown_to_a_player(self):
        mind = minds.script_llm(LLMUnavailable("secret-host:8080 refused"))
        self.do(self.char1, "say Mara, hello")
        self.assertNotIn("secret-host", f"{self.ann} {self.bob} {seen_by(mind)}")

    def test_its_excuse_is_in_its_language(self):
        persona.save_persona(self.mara, {"language": "German"})
        minds.script_llm(LLMUnavailable("refused"))
        self.do(self.char1, "say Mara, hallo")
        [said] = [line for line in words(self.ann) if line.startswith("Mara")]
        excuses = languages.load("de").excuses["fallback_lines"]
        self.assertIn(said, [f'Mara says, "{line}"' for line in excuses])


FALLBACKS = (
    "Forgive me, my thoughts wandered. Say that again?",
    "Hm. I lost the thread. What was that?",
    "Let me think on that. Ask me again in a while.",
)
broken = []
breaking = []


def broken_once(turn):
    """A context section with a bug that shows once."""
    if broken:
        return broken.pop() / 0
    return None


def break_later(npc):
    """Stand behind the door CAN_ACT, which breaks when the test wants it to."""
    return not breaking or 1 / 0


def choke(npc, kind, words, target):
    """Stand behind the door SPEAK."""
    return 1 / 0
