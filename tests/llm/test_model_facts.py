"""Whether a model has tools: it is asked, it is kept, and a setting comes before what was learnt."""

import json
from unittest.mock import patch

from evennia.server.models import ServerConfig

from evennia_ai.core import volatile
from evennia_ai.llm import base, ledger, loop_thread, measure, model_facts
from evennia_ai.llm.base import ToolCall
from evennia_ai.llm.offline import OfflineMind
from evennia_ai.llm.openai import OpenAIBackend
from evennia_ai.llm.wrappers.ladder import Ladder
from evennia_ai.models import LedgerEntry
from evennia_ai.testing import AITestCase, minds
from tests import model_steps as steps
from tests.model_server import ModelServer

RIGHT = (
    ("follow", {"target": "Ann"}),
    ("give", {"item": "the mug", "target": "Bob"}),
    ("get_time", {}),
)


class ProfileTests(AITestCase):
    def setUp(self):
        super().setUp()
        self.clock.advance(1_900_000_000)
        runner = loop_thread.InlineRunner()
        loop_thread.set_runner(runner)
        self.addCleanup(loop_thread.set_runner, None)
        self.addCleanup(runner.stop)

    def learnt(self, *script, is_busy=bool, **described):
        """Ask a model that answers so; return whether it has tools then, and the number of requests."""
        with ModelServer(list(script)) as server:
            options = {"model": "m", "base_url": server.base_url}
            backend = {"BACKEND": "evennia_ai.llm.openai.OpenAIBackend", "OPTIONS": options}
            llm = {"default": {**backend, **described}}
            with self.settings_ai(LLM=llm, ALLOW_MODEL_REQUESTS=True):
                self.llm = base.get_alias("default")
                self.before = model_facts.uses_tools(self.llm)
                if model_facts.is_due(self.llm):
                    self.outcome(model_facts.learn(self.llm, "default", is_busy=is_busy))
                return model_facts.uses_tools(self.llm), len(server.requests)

    def test_three_right_calls_and_it_has_tools(self):
        self.assertEqual(self.learnt(*(steps.tools(one) for one in RIGHT)), (True, 3))
        self.assertFalse(self.before)

    def test_a_model_without_tools_is_judged_by_what_it_reads(self):
        right = dict(zip(measure.QUESTIONS, ("Ann", "Joan", "nothing", "six"), strict=True))
        for given, verdict in ((right, "good"), ({**right, next(iter(right)): "Bob"}, "weak")):
            with self.subTest(verdict), ModelServer(["No.", json.dumps(given)]) as server:
                model = OpenAIBackend(model=verdict, base_url=server.base_url)
                with self.settings_ai(ALLOW_MODEL_REQUESTS=True):
                    self.outcome(model_facts.learn(model, "default"))
                    self.assertFalse(model_facts.is_weak(model))
                    self.outcome(measure.judge(model, "default"))
                self.assertEqual(measure.verdict_of(model), verdict)

    def test_a_refusal_a_call_in_words_wrong_arguments_another_tool_and_two_calls_are_not_right(
        self,
    ):
        follow, give, _ = RIGHT
        for answers in (
            (steps.status(400, "this model does not support tools"), "Follow whom?"),
            ('{"name": "follow", "arguments": {"target": "Ann"}}',),
            (steps.tools(("follow", {"target": "the inn"})),),
            (steps.tools(("follow", {"target": "Ann", "speed": 3})),),
            (steps.tools(follow), steps.tools(("follow", {"target": "Bob"}))),
            (steps.tools(follow), steps.tools(give), steps.tools(give)),
            (steps.tools(follow, follow),),
            (steps.tools(("follow", "{")),),
        ):
            with self.subTest(answers=len(answers)):
                self.assertEqual(self.learnt(*answers), (False, len(answers)))

    def test_what_was_learnt_outlives_a_restart_for_thirty_days(self):
        self.learnt(*(steps.tools(one) for one in RIGHT))
        volatile.forget_all()
        self.assertTrue(model_facts.uses_tools(self.llm))
        self.assertFalse(model_facts.is_due(self.llm))
        self.clock.advance(31 * 86_400)
        self.assertTrue(model_facts.uses_tools(self.llm))
        self.assertTrue(model_facts.is_due(self.llm))

    def test_no_answer_teaches_nothing_and_is_asked_for_again_later(self):
        self.assertEqual(self.learnt(steps.status(503)), (False, 1))
        self.assertEqual(ServerConfig.objects.conf(model_facts.KEY, default=None), None)
        self.assertFalse(model_facts.is_due(self.llm))
        self.clock.advance(601)
        self.assertTrue(model_facts.is_due(self.llm))

    def test_nothing_is_asked_while_a_player_waits(self):
        self.assertEqual(self.learnt(is_busy=lambda: 1), (False, 0))
        self.assertTrue(model_facts.is_due(self.llm))

    def test_the_setting_comes_first_and_asks_nothing(self):
        self.assertEqual(self.learnt(PROFILE="tools"), (True, 0))
        self.assertEqual(self.learnt(PROFILE="plain"), (False, 0))

    def test_it_is_in_the_books_on_no_players_account(self):
        self.learnt("What?")
        ledger.flush()
        [entry] = LedgerEntry.objects.all()
        self.assertEqual((entry.job, entry.player_id, entry.assistant_id), ("probe", 0, 0))

    def test_minds_by_rules_and_scripted_ones_have_tools(self):
        for mind in (OfflineMind(), minds.script_llm()):
            self.assertTrue(model_facts.uses_tools(mind))
            self.assertFalse(model_facts.is_due(mind))

    def test_a_cheaper_model_without_tools_is_sent_none(self):
        plain, asked = minds.script_llm("Hm."), base.Request("reply", [], tools=({"name": "x"},))
        plain.profile = "plain"
        ladder = Ladder(minds.script_llm(ToolCall("1", "x")))
        with self.settings_ai(LLM={"default": {}, "cheaper": {}}):
            base.install("cheaper", plain)
            with patch("evennia_ai.llm.wrappers.budget.look", return_value="cheaper"):
                self.outcome(ladder.complete(asked))
        self.assertEqual([one.tools for one in plain.requests], [()])
