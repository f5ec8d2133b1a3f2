"""What is kept for those who ask why: the last turns, what they noted, and what was let pass."""

import time
from datetime import datetime, timezone
from types import SimpleNamespace

from twisted.internet.defer import Deferred

from evennia_ai.agent import trace, turns
from evennia_ai.agent.turn import Turn
from evennia_ai.core import records, volatile
from evennia_ai.llm.base import Completion
from evennia_ai.memory.state import active_assistants
from evennia_ai.testing import AITestCase, minds
from tests.agent.cases import MindTestCase, call

NOON = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)


def heard(event_id):
    return records.new_event("say", "x", event_id=event_id, now=NOON)


def ended(npc_id):
    """Return what stands for a turn of an NPC."""
    return SimpleNamespace(character_id=npc_id, record=trace.Record())


class KeepTests(AITestCase):
    def test_the_last_fifty_of_one_mind_are_kept_the_newest_first(self):
        kept = [ended(1) for _ in range(55)]
        for turn in kept:
            trace.keep(turn)
        self.assertEqual(trace.turns(1), kept[:4:-1])
        self.assertEqual(len(trace.turns(1)), 50)

    def test_who_thought_longest_ago_gives_way(self):
        for npc_id in range(1, 12):
            for _ in range(20):
                trace.keep(ended(npc_id))
        self.assertEqual([len(trace.turns(npc_id)) for npc_id in (1, 2, 11)], [0, 20, 20])
        self.assertEqual(sum(len(trace.turns(npc_id)) for npc_id in range(12)), 200)
        self.assertNotIn(1, trace.thinkers())

    def test_who_thought_last_comes_first(self):
        for npc_id in (1, 2, 1):
            trace.keep(ended(npc_id))
        self.assertEqual(trace.thinkers(), [1, 2])

    def test_what_is_kept_of_one_can_be_forgotten(self):
        for npc_id in (1, 2):
            trace.keep(ended(npc_id))
            trace.note_ignored(npc_id, heard("1"), "room talk")
        trace.forget(1)
        self.assertEqual((trace.turns(1), trace.passed(1)), ([], []))
        self.assertEqual(len(trace.turns(2)), 1)
        volatile.forget_all()
        self.assertEqual((trace.thinkers(), trace.passed(2)), ([], []))

    def test_the_last_five_lines_that_were_ignored_are_kept(self):
        for number in range(7):
            trace.note_ignored(1, heard(str(number)), "room talk")
        self.assertEqual([event.id for event, _ in trace.passed(1)], ["6", "5", "4", "3", "2"])

    def test_nobody_asks_about_what_no_rule_decided(self):
        trace.note_ignored(1, heard("1"), "")
        self.assertEqual(trace.passed(1), [])

    def test_to_keep_a_turn_takes_far_less_than_a_fifth_of_a_millisecond(self):
        for npc_id in range(200):
            trace.keep(ended(npc_id))
        started = time.process_time()
        for npc_id in range(1000):
            trace.keep(ended(npc_id % 200))
        # A slow machine may take ten times as long as a quick one, and must not fail a test.
        self.assertLess((time.process_time() - started) / 1000, 0.002)


class RecordTests(MindTestCase):
    lore = ("The ferry crosses at noon.",)

    def turn(self):
        """Return the last turn of Mara."""
        return trace.turns(self.mara.id)[0]

    def test_a_turn_notes_what_it_asked_itself_and_what_was_said(self):
        minds.script_llm(call("look", target=""), "At noon.")
        self.do(self.char1, "say Mara, when does the ferry cross?")
        noted = self.turn().record
        self.assertEqual(noted.said, [("say", "At noon.", self.char1.id)])
        self.assertEqual(noted.recalled.query, "Mara, when does the ferry cross?")
        self.assertEqual(
            [item.text for item in noted.recalled.items], ["The ferry crosses at noon."]
        )
        roles = [message["role"] for message in noted.messages]
        self.assertEqual(roles, ["system", "user", "assistant", "tool", "assistant"])
        self.assertEqual(noted.sections["lore"], ["What you know:\n- The ferry crosses at noon."])
        self.assertIn("look", noted.tool_names)
        self.assertGreater(noted.tool_tokens, 100)

    def test_a_turn_under_way_is_there_and_has_not_ended(self):
        thinking = Deferred()
        minds.script_llm(thinking)
        self.do(self.char1, "say Hello Mara")
        self.assertIsNone(self.turn().record.ended)
        thinking.callback(Completion("Good evening."))
        self.wait(1)
        self.assertIsNotNone(self.turn().record.ended)

    def test_a_greeting_looks_for_no_memory(self):
        minds.script_llm("Good evening.")
        self.do(self.char1, "say Hello Mara")
        self.assertIsNone(self.turn().record.recalled)

    def test_it_counts_what_whoever_asked_may_not_know(self):
        minds.script_llm("Who knows.", repeat=True)
        self.do(self.char2, "whisper Mara = The silver key is under the hearthstone.")
        self.do(self.char1, "say Mara, where is the silver key?")
        recalled = self.turn().record.recalled
        # The entry of the journal and the lore; only the secret is withheld.
        self.assertEqual((recalled.withheld, recalled.items), (1, []))

    def test_it_counts_what_fits_but_not_for_all_who_would_hear(self):
        minds.script_llm("Who knows.", repeat=True)
        self.do(self.char1, "whisper Mara = I have lost the ferry.")
        self.do(self.char1, "say Mara, when does the ferry cross?")
        recalled = self.turn().record.recalled
        told = [item.text for item in recalled.items]
        self.assertEqual(told, ["The ferry crosses at noon."])
        self.assertEqual((recalled.unfit_for_others, recalled.withheld), (1, 0))

    def test_what_failed_says_so(self):
        minds.script_llm(RuntimeError("the moon"))
        self.patch(turns.log, "err", lambda *_: None)
        self.do(self.char1, "say Hello Mara")
        failed = "no answer: TurnEnded: it failed; the server log has the traceback"
        self.assertEqual(self.turn().notes, [failed])

    def test_a_restart_forgets_it_all(self):
        minds.script_llm("Good evening.")
        self.do(self.char1, "say Hello Mara")
        minds.forget_all()
        self.assertEqual(trace.turns(self.mara.id), [])

    def test_a_turn_holds_no_object_of_the_game(self):
        minds.script_llm("Good evening.")
        self.do(self.char1, "say Hello Mara")
        held = [*vars(self.turn()).values(), *vars(self.turn().record).values()]
        self.assertFalse([one for one in held if hasattr(one, "typeclass_path")])


class LetPassTests(MindTestCase):
    def passed(self):
        """Return what Mara let pass: words and reasons, the newest first."""
        return [(event.text, reason) for event, reason in trace.passed(self.mara.id)]

    def test_talk_that_is_not_for_it_names_the_rule(self):
        self.do(self.char1, "say It rains.")
        self.assertEqual(self.passed(), [("It rains.", "room talk")])

    def test_what_it_answers_is_not_ignored(self):
        self.do(self.char1, "say Hello Mara")
        self.assertEqual(self.passed(), [])

    def test_a_halt_is_a_reason(self):
        active_assistants.halt()
        self.addCleanup(active_assistants.halt, halted=False)
        self.do(self.char1, "say Hello Mara")
        self.assertEqual(self.passed(), [("Hello Mara", "every mind was halted")])

    def test_that_somebody_plays_it_is_a_reason(self):
        self.puppet(self.mara, self.account2, self.session2)
        self.do(self.char1, "whisper Mara = Hello")
        self.assertEqual(self.passed(), [("Hello", "somebody was playing it")])

    def test_what_waited_for_too_long_is_ignored(self):
        self.patch(turns, "AT_ONCE", 0)
        self.do(self.char1, "say Hello Mara")
        self.clock.advance(700)
        self.patch(turns, "AT_ONCE", 64)
        volatile.forget_all()
        turns.request(self.script_of_mara.id, delay=0.1)
        self.wait(1)
        self.assertEqual(self.passed(), [("Hello Mara", "it had waited for too long")])


class TurnTests(MindTestCase):
    def test_a_turn_that_nobody_runs_is_not_kept(self):
        event = records.new_event("say", "x", event_id="1", now=NOON)
        Turn(self.script_of_mara, [event])
        self.assertEqual(trace.turns(self.mara.id), [])
