"""One assistant alone may be lent a mind, for as long as somebody tests it."""

from django.test import override_settings
from twisted.trial.unittest import SynchronousTestCase

from evennia_ai.core import volatile
from evennia_ai.llm import base
from evennia_ai.llm.scripted import ScriptedMind
from evennia_ai.sleep import sleep_llm
from evennia_ai.testing import AITestCase, minds


class LendingTests(SynchronousTestCase):
    def setUp(self):
        super().setUp()
        self.addCleanup(volatile.forget_all)
        self.mind = ScriptedMind([], name="lent")

    def test_it_does_every_job_of_that_assistant_and_of_no_other(self):
        base.lend(7, self.mind)
        for job in base.JOBS:
            with self.subTest(job):
                self.assertIs(base.get_llm(job, assistant_id=7), self.mind)
                self.assertEqual(base.get_llm(job, assistant_id=8).name, "offline")
                self.assertEqual(base.get_llm(job).name, "offline")

    def test_it_comes_before_a_mind_for_the_job(self):
        scripted = {"BACKEND": "evennia_ai.llm.scripted.ScriptedMind", "OPTIONS": {"replies": []}}
        with override_settings(EVENNIA_AI={"LLM": {"default": scripted, "score": scripted}}):
            base.lend(7, self.mind)
            self.assertIs(base.get_llm("score", assistant_id=7), self.mind)

    def test_it_is_taken_back(self):
        base.lend(7, self.mind)
        self.assertTrue(base.has_loan(7))
        base.lend(7, None)
        self.assertFalse(base.has_loan(7))
        self.assertEqual(base.get_llm("reply", assistant_id=7).name, "offline")

    def test_other_settings_take_it_back_too(self):
        base.lend(7, self.mind)
        volatile.forget_all()
        self.assertFalse(base.has_loan(7))

    def test_a_wrong_job_is_an_error_all_the_same(self):
        base.lend(7, self.mind)
        with self.assertRaisesRegex(ValueError, "no such job: 'dance'"):
            base.get_llm("dance", assistant_id=7)


class NightTests(AITestCase):
    def test_it_thinks_at_night_as_well_whatever_else_was_chosen_for_that(self):
        npc = minds.make_assistant("Mara", location=self.room1)
        other = minds.script_llm(alias="cheap")
        models = {"default": {"BACKEND": "x"}, "cheap": {"BACKEND": "x"}}
        with self.settings_ai(LLM=models, NPC_MODELS=["cheap"]):
            base.install("cheap", other)
            mind = ScriptedMind([], name="lent")
            self.assertEqual(
                sleep_llm.mind_for(npc.assistant.id, "summarise", alias="cheap").name, "scripted"
            )
            base.lend(npc.id, mind)
            self.assertEqual(
                sleep_llm.mind_for(npc.assistant.id, "summarise", alias="cheap").name, "lent"
            )
