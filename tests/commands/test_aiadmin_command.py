from datetime import datetime
from unittest.mock import patch

import evennia
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from evennia.scripts.tickerhandler import TICKER_HANDLER
from twisted.internet.defer import Deferred

from evennia_ai import checks, permission
from evennia_ai.checks import live_checks
from evennia_ai.commands.aiadmin import aiadmin_command
from evennia_ai.commands.base import all_minds
from evennia_ai.exceptions import PermissionUnclear
from evennia_ai.llm import base
from evennia_ai.llm.base import Completion
from evennia_ai.llm.wrappers.breaker import Breaker
from evennia_ai.memory.state import active_assistants, assistant
from evennia_ai.testing import minds
from evennia_ai.typeclasses import scripts
from evennia_ai.workers import job_control
from tests.commands.cases import CommandTestCase

OPENAI = "evennia_ai.llm.openai.OpenAIBackend"


class AdminTestCase(CommandTestCase):
    def setUp(self):
        super().setUp()
        self.addCleanup(minds.forget_all)
        self.addCleanup(active_assistants.halt, halted=False)


class JobsTests(AdminTestCase):
    def test_a_game_of_one_process_has_no_queue(self):
        self.assertEqual(
            self.types("@aiadmin/jobs"),
            "No job leaves this server: it does them itself, in a thread (see docs/scaling.md).",
        )

    def test_what_is_no_state_and_no_change_is_answered_with_how_it_is_written(self):
        usage = "Usage: @aiadmin/jobs [waiting/running/failed, or <number> = retry/drop]"
        for wrong in ("all", "1", "1 = again", "1 =", "= drop it"):
            with self.subTest(wrong):
                self.assertEqual(self.types(f"@aiadmin/jobs {wrong}"), usage)

    def test_the_jobs_of_a_state_are_listed_with_whose_they_are(self):
        job = {
            "number": 7,
            "kind": "night",
            "assistant_id": self.mara().id,
            "created": datetime(2026, 11, 27, 2, 30, 15),
            "attempts": 5,
            "worker": None,
        }
        with (
            patch.object(job_control, "has_queue", return_value=True),
            patch.object(job_control, "listed", lambda state: [job] if state == "failed" else []),
        ):
            failed = self.types("@aiadmin/jobs failed")
            self.assertEqual(self.types("@aiadmin/jobs waiting"), "No job is waiting.")
        row = next(line for line in failed.splitlines() if "2026" in line)
        self.assertEqual(
            row.replace("|", " ").split(),
            ["7", "2026-11-27", "02:30:15", f"Mara(#{job['assistant_id']})", "night", "5"],
        )
        self.assertIn("@aiadmin/jobs <number> = retry or drop", failed)


class HaltTests(AdminTestCase):
    def test_it_needs_no_confirmation_and_counts(self):
        self.mara()
        said = self.types("@aiadmin/halt")
        self.assertEqual(said, "Every mind is halted (1). @aiadmin/resume lets them go on.")
        self.assertTrue(active_assistants.is_halted())

    def test_whoever_thinks_just_then_says_nothing(self):
        thinking = Deferred()
        minds.script_llm(thinking)
        self.mara()
        self.types("say Hello Mara")
        minds.pass_time(self.clock, 1)
        self.types("@aiadmin/halt")
        thinking.callback(Completion("Too late."))
        minds.pass_time(self.clock, 5)
        self.assertFalse([text for _, text in self.read[self.char1] if "Too late" in text])

    def test_nobody_begins_to_think_either(self):
        llm = minds.script_llm("Hello!", repeat=True)
        self.mara()
        self.types("@aiadmin/halt")
        self.types("say Hello Mara")
        minds.pass_time(self.clock, 5)
        self.assertEqual(llm.requests, [])

    def test_it_holds_over_a_restart(self):
        self.types("@aiadmin/halt")
        minds.forget_all()
        self.assertTrue(active_assistants.is_halted())

    def test_resume_lets_them_go_on(self):
        self.mara()
        self.types("@aiadmin/halt")
        self.assertEqual(self.types("@aiadmin/resume"), "The minds go on (1).")
        self.assertFalse(active_assistants.is_halted())
        self.types("say Hello Mara")
        minds.pass_time(self.clock, 2)
        spoken = [text for _, text in self.read[self.char1] if text.startswith("Mara says")]
        self.assertEqual(len(spoken), 1)

    def test_doing_it_again_is_said(self):
        self.assertEqual(self.types("@aiadmin/resume"), "The minds are not halted.")
        self.types("@aiadmin/halt")
        expected = "Every mind is halted already. @aiadmin/resume lets them go on."
        self.assertEqual(self.types("@aiadmin/halt"), expected)

    def test_each_change_is_one_line_for_staff(self):
        expected = ["evennia_ai: Char(#6) halted every mind."]
        self.assertEqual(self.logged("@aiadmin/halt"), expected)
        self.assertEqual(self.logged("@aiadmin/halt"), [])
        expected = ["evennia_ai: Char(#6) let every mind go on."]
        self.assertEqual(self.logged("@aiadmin/resume"), expected)


class DoctorTests(AdminTestCase):
    def setUp(self):
        super().setUp()
        # The handler is one for all tests of a run.
        TICKER_HANDLER.clear()
        self.addCleanup(TICKER_HANDLER.clear)

    def sentences(self):
        """Return what is found wrong with the running server, and what mends it."""
        return [
            (problem.sentence, problem.line) for problem in live_checks.live_problems(all_minds())
        ]

    def test_all_is_well_in_a_game_that_is_set_up(self):
        self.mara()
        self.assertEqual(self.types("@aiadmin/doctor"), "All is well.")

    def test_it_shows_what_the_checks_find(self):
        with self.settings_ai(TURN_DEADLIN=3):
            [problem] = checks.problems()
            said = self.types("@aiadmin/doctor").splitlines()
        self.assertEqual(said[0], f"minor  {problem.sentence}")
        self.assertEqual(said[1].split(None, 1), ["paste", problem.line])

    def test_it_never_shows_a_key(self):
        options = {"model": "m", "api_key": "sk-secret", "extra": {"headers": "Bearer sk-secret"}}
        with self.settings_ai(LLM={"default": {"BACKEND": OPENAI, "OPTIONS": options}}):
            self.types("@aiadmin/doctor")
            minds.pass_time(self.clock, 200)
        self.assertNotIn("secret", str(self.read))

    def test_it_finds_a_ticker_that_is_missing(self):
        self.mara()
        [key] = TICKER_HANDLER.ticker_storage
        TICKER_HANDLER.remove(store_key=key)
        expected = ("Nothing ticks for the assistants of the interval of 5 s.", "reload")
        self.assertEqual(self.sentences(), [expected])

    def test_it_finds_a_mind_that_is_on_but_not_listed(self):
        mara = self.mara()
        active_assistants.leave(scripts.find(mara))
        expected = (f"Mara(#{mara.id}) is on, but hears nothing.", "reload")
        self.assertEqual(self.sentences(), [expected])

    def test_it_finds_a_mind_that_is_listed_but_off(self):
        mind = scripts.find(self.mara())
        assistant.enable(mind, enabled=False)
        sentence = f"Script #{mind.id} is listed as a mind that is on, but it is off or gone."
        self.assertEqual(self.sentences(), [(sentence, "reload")])

    def test_it_finds_a_halt(self):
        active_assistants.halt()
        self.assertEqual(self.sentences(), [("Every mind is halted.", "@aiadmin/resume")])

    def test_it_finds_a_model_that_is_left_alone(self):
        class Model:
            name, is_model = "gpt-x", True

        breaker = Breaker(Model(), alias="default")
        base.install("default", breaker)
        self.assertEqual(self.sentences(), [])
        breaker.failures, breaker.last_error = 5, "LLMUnavailable: refused"
        breaker._opened_at = self.clock.seconds()
        [(sentence, line)] = self.sentences()
        self.assertEqual(
            sentence,
            "The model 'default' failed 5 times in a row (LLMUnavailable: refused); "
            "the offline mind answers.",
        )
        self.assertEqual(line, 'EVENNIA_AI["LLM"]["default"]["OPTIONS"]["base_url"] = "…"')

    def test_it_finds_a_moderation_that_fails(self):
        with self.settings_ai(MAY_SAY="tests.commands.test_aiadmin_command.nowhere"):
            asking = permission.ask(self.char1, "Hello.", [])
            self.failureResultOf(asking, PermissionUnclear)
            self.flushLoggedErrors()
            [(sentence, line)] = self.sentences()
        self.assertEqual(
            sentence,
            "MAY_SAY could not say whether words may be said, so they were not: 1 time since the "
            "start, and the last time it failed with ImproperlyConfigured.",
        )
        self.assertEqual(line, 'EVENNIA_AI["MAY_SAY"] = "evennia_ai.permission.may_say"')

    def test_it_finds_tables_that_are_missing(self):
        MigrationRecorder(connection).record_unapplied("evennia_ai", "0001_initial")
        [(sentence, line)] = self.sentences()
        self.assertEqual(sentence, "The database lacks tables of ours (0001_initial).")
        self.assertEqual(line, "evennia migrate")

    def test_it_finds_a_server_that_runs_without_the_hooks(self):
        class Service:
            start_stop_modules = [aiadmin_command]

        with patch.object(evennia, "EVENNIA_SERVER_SERVICE", Service()):
            expected = ("The server was started without evennia_ai.hooks.", "evennia reboot")
            self.assertEqual(self.sentences(), [expected])
            from evennia_ai import hooks

            Service.start_stop_modules = [None, hooks]
            self.assertEqual(self.sentences(), [])

    def test_settings_that_are_no_dict_are_said_and_no_error(self):
        with self.settings(EVENNIA_AI=["TURN_DEADLINE"]):
            said = self.types("@aiadmin/doctor")
        self.assertIn("wrong  EVENNIA_AI must be a dict.", said)

    def test_the_lines_to_paste_name_the_command_as_the_game_does(self):
        active_assistants.halt()
        command = aiadmin_command.CmdAIAdmin(key="@minds")
        command.caller, command.session, command.args = self.char1, None, "/doctor"
        command.parse()
        self.read[self.char1].clear()
        command.func()
        [(_, said)] = self.read[self.char1]
        self.assertIn("@minds/resume", said)


class LockTests(AdminTestCase):
    def test_a_builder_has_no_such_command(self):
        builder = self.as_staff("Builder")
        for text in ("@aiadmin/halt", "@aiadmin/doctor", "@aiadmin"):
            with self.subTest(text):
                self.assertIn("is not available", self.types(text, by=builder))
        self.assertFalse(active_assistants.is_halted())

    def test_an_admin_may_halt(self):
        self.types("@aiadmin/halt", by=self.as_staff("Admin"))
        self.assertTrue(active_assistants.is_halted())

    def test_without_a_switch_nothing_is_done(self):
        switches = "/budget, /cost, /doctor, /halt, /jobs, /reports, /resume, /tools"
        expected = f"@aiadmin needs a switch: {switches}."
        self.assertEqual(self.types("@aiadmin"), expected)
        self.assertEqual(self.types("@aiadmin halt"), expected)
        self.assertFalse(active_assistants.is_halted())
