"""Tests of how sleep asks a mind: on whose account, within which bounds."""

from twisted.internet.defer import Deferred

from evennia_ai.exceptions import BudgetExceeded, LLMBadReply
from evennia_ai.llm import measure, model_facts
from evennia_ai.llm.base import Completion
from evennia_ai.memory.state import sleep_state
from evennia_ai.sleep import answers, sleep_llm
from evennia_ai.testing import minds
from evennia_ai.typeclasses import scripts
from tests.sleep.cases import SleepTestCase


def shape():
    from pydantic import BaseModel

    class Answer(BaseModel):
        score: int
        by_rules: bool = False

    return Answer


class AskTests(SleepTestCase):
    def ask(self, job="score", **fields):
        asked = {
            "messages": [{"role": "user", "content": "Rate it."}],
            "context": {"items": []},
            "schema": {},
        }
        return sleep_llm.ask(self.script.id, job, answer=shape(), **{**asked, **fields})

    def test_the_answer_comes_in_the_shape_that_was_asked_for(self):
        mind = minds.script_llm('{"score": 7}')
        self.assertEqual(self.successResultOf(self.ask()).score, 7)
        [request] = mind.requests
        self.assertEqual((request.job, request.deadline, request.max_tokens), ("score", 60.0, 400))
        self.assertEqual(request.context, {"items": []})
        self.assertEqual(request.caller.assistant_id, self.npc.id)
        self.assertEqual(request.caller.assistant_key, self.script.assistant_key)

    def test_what_the_server_reports_is_added_to_the_night(self):
        answer = Completion('{"score": 7}', prompt_tokens=120, completion_tokens=9)
        minds.script_llm(answer, answer)
        self.successResultOf(self.ask())
        self.successResultOf(self.ask())
        self.assertEqual(sleep_state.tokens(self.script), 258)

    def test_a_server_that_reports_nothing_is_estimated(self):
        minds.script_llm('{"score": 7}')
        self.successResultOf(self.ask(messages=[{"role": "user", "content": "x" * 360}]))
        self.assertTrue(
            100 <= sleep_state.tokens(self.script) <= 120, sleep_state.tokens(self.script)
        )

    def test_a_broken_answer_costs_as_well_and_is_asked_for_once_more(self):
        broken = Completion('{"score": "high"}', prompt_tokens=10, completion_tokens=2)
        mind = minds.script_llm(broken, broken)
        self.failureResultOf(self.ask(), LLMBadReply)
        self.assertEqual((len(mind.requests), sleep_state.tokens(self.script)), (2, 24))

    def test_another_mind_may_be_chosen_if_there_is_one(self):
        with self.settings_ai(LLM={"default": {}, "cheaper": {}}):
            minds.script_llm('{"score": 2}', alias="cheaper")
            general = minds.script_llm('{"score": 1}')
            self.assertEqual(self.successResultOf(self.ask(alias="cheaper")).score, 2)
            self.assertEqual(self.successResultOf(self.ask(alias="dearer")).score, 1)
        self.assertEqual(len(general.requests), 1)

    def test_a_model_that_is_known_to_be_weak_only_rates(self):
        mind = minds.script_llm('{"score": 7}')
        model_facts.keep(mind, verdict=measure.WEAK)
        self.assertEqual(self.successResultOf(self.ask()).score, 7)
        context = {"lines": [], "npc": "Mara"}
        asked = sleep_llm.ask(
            self.script.id,
            "extract",
            messages=[],
            context=context,
            schema={},
            answer=answers.shapes().Facts,
        )
        found = self.successResultOf(asked)
        self.assertEqual((found.facts, found.by_rules, len(mind.requests)), ([], True, 1))

    def test_a_night_whose_tokens_are_spent_asks_no_model(self):
        mind = minds.script_llm('{"score": 7}')
        sleep_state.spend(self.script, 60_000)
        failure = self.failureResultOf(self.ask(), BudgetExceeded)
        self.assertEqual(failure.getErrorMessage(), "the tokens of this night are spent")
        self.assertEqual(mind.requests, [])

    def test_a_mind_that_was_deleted_meanwhile_is_not_asked_for(self):
        mind = minds.script_llm('{"score": 7}')
        script_id = self.script.id
        scripts.detach(self.script.obj)
        asked = sleep_llm.ask(
            script_id, "score", messages=[], context={}, schema={}, answer=shape()
        )
        self.failureResultOf(asked, BudgetExceeded)
        self.assertEqual(mind.requests, [])

    def test_a_mind_that_is_deleted_while_the_model_thinks_costs_nothing_more(self):
        thinking = Deferred()
        minds.script_llm(thinking)
        asked = self.ask()
        scripts.detach(self.script.obj)
        thinking.callback('{"score": 7}')
        self.assertEqual(self.successResultOf(asked).score, 7)
