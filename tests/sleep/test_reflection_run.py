"""Tests of a whole reflection: what it keeps, for whom, and what it does when a mind fails."""

from unittest import mock

from django.db import DatabaseError
from msgspec import structs
from twisted.internet.defer import Deferred

from evennia_ai import scheduling
from evennia_ai.core.states import ReflectionState
from evennia_ai.exceptions import BudgetExceeded, LLMUnavailable
from evennia_ai.llm.base import Completion
from evennia_ai.memory import journal, kinds, repository
from evennia_ai.memory.state import reflection_state as states
from evennia_ai.sleep import evidence, reflection
from evennia_ai.testing import minds
from evennia_ai.typeclasses import scripts
from tests.sleep.reflecting import ANNA, QUESTIONS, ReflectionTestCase, insights


class RunTests(ReflectionTestCase):
    def test_the_whole_way_from_entries_to_a_synthesis(self):
        """R1 R14 R15 J72 M57: what comes back, what is stored, and the state after it."""
        ids = [
            self.happen("The mill burned down.", "Anna", importance=9),
            self.happen("Flour is dear since the mill is gone.", "Bo", importance=7),
        ]
        mind = minds.script_llm(
            QUESTIONS,
            insights(("I should sell bread.", [1]), ("Bread depends on one mill.", [1, 2])),
        )
        self.clock.advance(60)
        result = self.run_reflection()
        self.assertEqual(
            result,
            {
                "success": True,
                "questions": ["What happens at the mill?", "Who trades here?"],
                "insights": [
                    {
                        "content": "Bread depends on one mill.",
                        "evidence_ids": [str(ids[1]), str(ids[0])],
                    }
                ],
                "entries_reflected": 2,
                "stored_entries": [3],
                "error": None,
            },
        )
        self.assertEqual([request.job for request in mind.requests], ["questions", "insights"])
        [entry] = self.stored(result)
        self.assertEqual(entry.derived_from, [ids[1], ids[0]])
        self.assertEqual(self.waiting(), (0.0, ()))
        state = states.reflection_state(self.script)
        self.assertEqual((state.threshold, state.reflection_count), (150, 1))
        self.assertEqual(state.last_reflection_time, "1970-01-01T00:01:00.000Z")

    def test_the_mind_without_a_model_reflects_as_well(self):
        for by, text in (
            ("Anna", "The well has run dry."),
            ("Bo", "Somebody poisoned the well!"),
            ("Carl", "At night there are lights at the well."),
        ):
            self.happen(text, by)
        result = self.run_reflection()
        self.assertTrue(result["success"])
        self.assertEqual(
            result["insights"][0]["content"],
            "Anna, Bo and Carl each had something to tell about the well.",
        )
        self.assertEqual(sorted(result["insights"][0]["evidence_ids"]), ["1", "2", "3"])

    def test_what_came_meanwhile_waits_for_the_next_time(self):
        """R20 and decision C-13: nothing loaded is held while the mind thinks."""
        self.happen("The mill burned down.")
        thinking = Deferred()
        minds.script_llm(QUESTIONS, thinking)
        running = reflection.run_reflection(self.script, self.npc)
        scheduling.drain()
        later = self.happen("A stranger came.", importance=7)
        thinking.callback(Completion(insights(("The mill may burn again.", [1]))))
        result = self.outcome(running)
        self.assertTrue(result["success"])
        self.assertEqual(self.waiting(), (7.0, (later,)))

    def test_entries_that_are_gone_are_passed_over(self):
        """R20: ids of the window that the journal no longer has."""
        gone = self.happen("It rained.")
        self.happen("The mill burned down.")
        journal.remove_entries(self.npc, [gone])
        minds.script_llm(QUESTIONS, insights(("The mill may burn again.", [1])))
        self.assertEqual(self.run_reflection()["entries_reflected"], 1)

    def test_if_all_are_gone_it_is_what_mattered_lately(self):
        """M57 and decision C-13: recent entries of importance 5 and more."""
        repository.save(self.script, kinds.REFLECTION, ReflectionState(cumulative_importance=160))
        self.note("It drizzled.", importance=4)
        self.note("The mill burned down.", importance=5)
        mind = minds.script_llm(QUESTIONS, insights(("The mill may burn again.", [1])))
        self.assertEqual(self.run_reflection()["entries_reflected"], 1)
        self.assertNotIn("drizzled", mind.requests[0].messages[-1]["content"])

    def test_the_same_insight_is_not_kept_twice(self):
        for _ in range(2):
            self.happen("The mill burned down.")
            minds.script_llm(QUESTIONS, insights(("The mill may burn again.", [1])))
            result = self.run_reflection()
        self.assertEqual(
            (result["success"], result["error"]), (False, "there was nothing to conclude")
        )


class FailureTests(ReflectionTestCase):
    def setUp(self):
        super().setUp()
        self.happen("The mill burned down.", importance=10)
        state = structs.replace(states.reflection_state(self.script), threshold=10)
        repository.save(self.script, kinds.REFLECTION, state)

    def fail(self, *replies):
        minds.script_llm(*replies)
        return self.run_reflection()

    def test_a_mind_that_does_not_answer_leaves_all_for_later(self):
        """R20: success False and the error; the window is kept."""
        result = self.fail(QUESTIONS, LLMUnavailable("the line is dead"))
        self.assertEqual(
            result,
            {
                "success": False,
                "questions": [],
                "insights": [],
                "entries_reflected": 0,
                "stored_entries": [],
                "error": "the line is dead",
            },
        )
        self.assertEqual(self.waiting(), (10.0, (1,)))
        self.assertEqual(len(journal.entries(self.npc)), 1)

    def test_the_next_attempts_wait_ever_longer(self):
        """R20: 1, 2, 4 … hours, up to a day; meanwhile no reflection is due."""
        waited = []
        for _ in range(7):
            self.assertTrue(states.check_reflection_trigger(self.script))
            self.fail(LLMUnavailable("no"))
            hours = 0
            while not states.check_reflection_trigger(self.script):
                self.assertIn("not before", self.run_reflection()["error"])
                self.clock.advance(3600)
                hours += 1
            waited.append(hours)
        self.assertEqual(waited, [1, 2, 4, 8, 16, 24, 24])

    def test_success_ends_the_waiting(self):
        self.fail(LLMUnavailable("no"))
        self.clock.advance(3600)
        minds.script_llm(QUESTIONS, insights(("The mill may burn again.", [1])))
        self.assertTrue(self.run_reflection()["success"])
        self.assertEqual(states.reflection_state(self.script).failures, 0)

    def test_no_questions_and_no_insights_are_failures_too(self):
        """R20: zero questions, zero insights."""
        for replies in (['{"questions": []}'], [QUESTIONS, insights()]):
            result = self.fail(*replies)
            self.assertFalse(result["success"])
            self.assertEqual(result["error"], "there was nothing to conclude")
            self.assertEqual(self.waiting(), (10.0, (1,)))
            self.clock.advance(24 * 3600)

    def test_a_night_without_tokens_waits(self):
        self.assertEqual(self.fail(BudgetExceeded("spent"))["error"], "spent")
        self.assertEqual(self.waiting(), (10.0, (1,)))

    def test_storing_and_beginning_anew_are_one(self):
        """Whoever is cut off between the two has done neither, and does both once."""
        minds.script_llm(QUESTIONS, insights(("The mill may burn again.", [1])), repeat=True)
        with self.cut_off():
            running = reflection.run_reflection(self.script, self.npc)
            scheduling.drain()
            self.failureResultOf(running, DatabaseError)
        self.assertEqual(self.waiting(), (10.0, (1,)))
        self.assertEqual(len(journal.entries(self.npc)), 1)
        self.assertTrue(self.run_reflection()["success"])
        self.assertEqual(len(journal.entries(self.npc)), 2)

    def cut_off(self):
        """Return a context in which the state cannot be reset."""
        error = DatabaseError("disk full")
        return mock.patch.object(states, "reset_reflection_state", side_effect=error)

    def test_a_mind_that_is_deleted_meanwhile_stores_nothing(self):
        thinking = Deferred()
        minds.script_llm(thinking)
        running = reflection.run_reflection(self.script, self.npc)
        scripts.detach(self.npc)
        thinking.callback(Completion(QUESTIONS))
        result = self.outcome(running)
        self.assertEqual(result["error"], "the mind that reflected is gone")
        self.assertEqual(len(journal.entries(self.npc)), 1)


class AudienceTests(ReflectionTestCase):
    def test_each_group_of_ears_is_reflected_for_on_its_own(self):
        """Decision C-44: a prompt holds one group, and its insights are for just that group."""
        self.happen("The mill burned down.", "Bo")
        self.happen("Anna hid gold in the mill.", "Anna", audience=[ANNA])
        mind = minds.script_llm(
            QUESTIONS,
            insights(("The mill may burn again.", [1])),
            # What so few notes ask, nobody has to be asked.
            insights(("Fire and gold meet at the mill.", [1, 2])),
        )
        result = self.run_reflection()
        self.assertEqual([one.audience for one in self.stored(result)], ["public", [ANNA]])
        for request in mind.requests[:2]:
            self.assertNotIn("gold", f"{request.messages} {request.context}")
        self.assertIn("burned", f"{mind.requests[2].messages}")

    def test_of_one_thing_that_was_told_in_confidence_nobody_is_asked_what_it_comes_to(self):
        self.happen("Anna hid gold in the mill.", "Anna", audience=[ANNA])
        mind = minds.script_llm()
        self.assertEqual(self.run_reflection()["error"], "there was nothing to conclude")
        self.assertEqual(mind.requests, [])

    def test_what_everybody_knows_is_not_concluded_in_secret(self):
        self.happen("The mill burned down.", "Bo")
        self.happen("Anna hid gold in the mill.", "Anna", audience=[ANNA])
        public = next(number for number in (1, 2) if self.cites(number) == "The mill burned down.")
        minds.script_llm(
            QUESTIONS,
            insights(("The mill may burn again.", [1])),
            insights(("Fire came to the mill.", [public])),
        )
        self.assertEqual(len(self.run_reflection()["stored_entries"]), 1)

    def cites(self, number):
        found = self.successResultOf(
            evidence.retrieve_evidence_for_question(
                self.script, "What happens at the mill?", audience=[ANNA]
            )
        )
        return found[number - 1]["content"]

    def test_the_weightiest_two_come_first_and_the_others_wait(self):
        for number, importance in enumerate((3, 9, 5, 7)):
            known = {"importance": importance, "audience": [f"uuid-{number}"]}
            for told in ("Secret", "Another secret"):
                self.happen(f"{told} {number}.", **known)
        minds.script_llm(
            insights(("One secret is weighty.", [1])), insights(("A secret is there.", [1]))
        )
        result = self.run_reflection()
        self.assertEqual([one.audience for one in self.stored(result)], [["uuid-1"], ["uuid-3"]])
        self.assertEqual(self.waiting(), (16.0, (1, 2, 5, 6)))

    def test_a_group_that_failed_waits_while_the_others_are_kept(self):
        self.happen("The mill burned down.", importance=4)
        self.happen("Anna hid gold.", importance=6, audience=[ANNA])
        minds.script_llm(
            QUESTIONS, insights(("The mill may burn again.", [1])), LLMUnavailable("no line")
        )
        result = self.run_reflection()
        self.assertEqual((result["success"], result["error"]), (True, "no line"))
        self.assertEqual(self.waiting(), (6.0, (2,)))
        self.assertEqual(states.reflection_state(self.script).failures, 1)


class ForgottenMeanwhileTests(ReflectionTestCase):
    def test_what_rests_on_an_entry_that_was_forgotten_is_not_kept(self):
        gone = self.happen("The mill burned down.", "Anna", importance=9)
        left = self.happen("Flour is dear.", "Bo", importance=9)
        thinking = Deferred()
        minds.script_llm(QUESTIONS, thinking)
        running = reflection.run_reflection(self.script, self.npc)
        self.clock.advance(1)
        journal.remove_entries(self.npc, [gone])
        thinking.callback(
            Completion(insights(("Flour makes bread dear.", [2]), ("A burned mill is bad.", [1])))
        )
        self.clock.advance(1)
        result = self.successResultOf(running)
        self.assertEqual([one["evidence_ids"] for one in result["insights"]], [[str(left)]])
        [entry] = self.stored(result)
        self.assertEqual(entry.derived_from, [left])
