"""A call leaves the server where the wrappers say so, and counts as if it had been made here."""

from unittest import mock

from django.db import InterfaceError, OperationalError
from django.test import TestCase, override_settings
from twisted.internet.task import Clock

from evennia_ai import models, scheduling
from evennia_ai.core import volatile
from evennia_ai.exceptions import LLMUnavailable
from evennia_ai.llm import base, ledger
from evennia_ai.llm.base import Caller, Completion, Request
from evennia_ai.memory import lookup
from evennia_ai.workers import executors, job_control, payload, worker
from tests.workers import inline


class Mind:
    """Answers by number, so that each call can be told from another."""

    name, is_model = "counting", True
    asked, faults = [], []

    def complete(self, request):
        from twisted.internet.defer import fail, succeed

        self.asked.append(request)
        if self.faults:
            return fail(self.faults.pop())
        return succeed(Completion(str(len(self.asked)), prompt_tokens=3, completion_tokens=2))


def using(backend, **jobs):
    """Return settings in which calls are made by a backend."""
    llm = {"default": {"BACKEND": f"{__name__}.Mind"}}
    return override_settings(EVENNIA_AI={"LLM": llm, "JOBS": {"BACKEND": backend, **jobs}})


class CarrierTests(TestCase):
    def setUp(self):
        self.enterContext(inline.offered())
        self.enterContext(mock.patch("evennia_ai.llm.wrappers.retry.ATTEMPTS", 1))
        volatile.forget_all()
        Mind.asked.clear()
        Mind.faults.clear()

    def ask(self, words="hello", job="score"):
        request = Request(job, [{"role": "user", "content": words}], caller=Caller(4, "mara"))
        outcome = []
        base.get_llm(job).complete(request).addBoth(outcome.append)
        [found] = outcome
        return found if isinstance(found, Completion) else found.value

    def counted(self):
        ledger.flush()
        spent = models.Budget.objects.get(scope="assistant:mara").tokens
        return models.LedgerEntry.objects.filter(outcome="ok").count(), spent

    @using("thread")
    def test_in_the_thread_nothing_is_carried_or_written(self):
        self.assertEqual(self.ask().text, "1")
        self.assertEqual(self.counted(), (1, 5))
        self.assertEqual(models.Job.objects.count(), 0)
        self.assertIsNone(executors.executor_for("score"))

    @using("inline")
    def test_carried_it_is_counted_once_and_stands_in_one_row(self):
        self.assertEqual(self.ask().text, "1")
        self.assertEqual(self.counted(), (1, 5))
        [row] = models.Job.objects.all()
        self.assertEqual((row.kind, row.assistant_id), ("score", 4))
        # Who is asked has all but what is for minds that read no prompt.
        self.assertEqual(Mind.asked[0].messages, [{"role": "user", "content": "hello"}])

    @using("inline")
    def test_the_next_life_of_the_server_takes_the_answer_that_was_paid(self):
        self.ask()
        executors.stop()
        self.assertEqual(self.ask().text, "1")
        self.assertEqual(self.counted(), (1, 5))
        # The same life that asks again wants another answer.
        self.assertEqual(self.ask().text, "2")

    @using("inline")
    def test_what_failed_is_asked_anew(self):
        Mind.faults.append(LLMUnavailable("busy"))
        self.assertIsInstance(self.ask(), LLMUnavailable)
        executors.stop()
        self.assertEqual(self.ask().text, "2")

    @using("inline", KEEP=["reply"])
    def test_what_somebody_waits_for_stays_here(self):
        self.ask(job="reply")
        self.assertEqual(models.Job.objects.count(), 0)
        self.ask(job="score")
        self.assertEqual(models.Job.objects.count(), 1)

    def test_a_game_that_goes_back_and_forth_asks_for_nothing_twice_that_it_has(self):
        with using("inline"):
            self.assertEqual(self.ask("first").text, "1")
        with using("thread"):
            self.assertEqual(self.ask("second").text, "2")
        with using("inline"):
            self.assertEqual(self.ask("first").text, "1")
            self.assertEqual(self.ask("second").text, "3")

    @using("inline")
    def test_what_was_asked_and_answered_for_an_assistant_can_be_forgotten(self):
        self.ask()
        self.assertEqual(job_control.forget(5), 0)
        self.assertEqual(job_control.forget(4), 1)
        self.assertEqual(models.Job.objects.get().answer, "")
        executors.stop()
        self.assertEqual(self.ask().text, "2")

    @using("inline")
    def test_a_worker_carries_nothing_on(self):
        lookup.be_worker()
        self.addCleanup(volatile.forget_all)
        self.assertEqual(self.ask().text, "1")
        self.assertEqual(models.Job.objects.count(), 0)

    @using("inline")
    def test_a_worker_whose_database_was_away_answers_once_it_is_back(self):
        clock, outcome = Clock(), []
        scheduling.set_clock(clock)
        self.addCleanup(scheduling.set_clock, None)
        work = payload.Work("k1", payload.NIGHT, "default", 4, "{}")
        away = [OperationalError("it restarts"), InterfaceError("it is closed"), "done"]
        self.enterContext(mock.patch.object(worker, "answer", side_effect=away))
        worker.answer_here(work).addBoth(outcome.append)
        clock.pump([1.0] * 3)
        self.assertEqual(outcome, ["done"])
