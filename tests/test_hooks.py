"""Start and stop of the server."""

import ast
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

from django.db import OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder
from evennia.prototypes import prototypes
from evennia.utils import logger
from evennia.utils.funcparser import ParsingError
from twisted.internet.defer import fail

from evennia_ai import hooks, scheduling
from evennia_ai.checks import installed
from evennia_ai.core import languages
from evennia_ai.lifecycle import burial
from evennia_ai.llm import ledger, loop_thread
from evennia_ai.memory.state import active_assistants
from evennia_ai.semantic import base as semantic
from evennia_ai.testing import minds
from evennia_ai.workers import database
from tests.agent.cases import MindTestCase, words


class HookTests(MindTestCase):
    def setUp(self):
        super().setUp()
        self.done = []
        self.patch(ledger, "flush", lambda: self.done.append("flush"))
        self.patch(ledger, "prune", lambda: self.done.append("prune") or ())
        self.patch(loop_thread, "stop", lambda: self.done.append("stop"))
        self.patch(logger, "log_info", self.log.append)
        # How long steps take is the machine's; here they have no pauses.
        self.patch(scheduling, "STEPS_SECONDS", 60.0)

    def test_the_module_imports_nothing_by_itself(self):
        tree = ast.parse(Path(hooks.__file__).read_text())
        top = [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
        self.assertEqual(top, [])

    def test_the_start_says_which_mind_thinks_and_prunes_a_little_later(self):
        hooks.at_server_start()
        self.assertEqual(
            self.log,
            [
                "evennia_ai: no language model is configured. Assistants use the offline mind: it "
                "answers from memory and does not converse freely."
            ],
        )
        self.assertEqual(self.done, [])
        self.wait(1.5)
        self.assertEqual(self.done, ["prune"])

    def test_a_start_without_our_tables_is_one_sentence_and_no_traceback(self):
        errors = []
        self.patch(logger, "log_err", errors.append)
        MigrationRecorder(connection).record_unapplied("evennia_ai", "0001_initial")
        hooks.at_server_start()
        self.wait(1.5)
        self.assertEqual(
            errors,
            [
                "evennia_ai: the database lacks tables of ours (0001_initial), so that nothing is "
                "counted or reported. Run `evennia migrate`, then `evennia reload`."
            ],
        )
        self.assertEqual(self.done, [])

    def test_the_database_is_asked_once_whether_tables_are_missing(self):
        with self.assertNumQueries(1):
            self.assertEqual(installed.missing_tables(), [])

    def test_the_start_reads_the_languages_so_that_the_first_line_does_not_wait_for_them(self):
        # Of files that are others than before, nothing is read yet.
        for files in ({"nl": Path("nl.yaml")}, {}):
            languages.use(files)
        hooks.at_server_start()
        self.wait(1.5)
        read = []
        self.patch(languages, "read_file", read.append)
        self.char1.execute_cmd("say Mara, hello")
        self.wait(5)
        self.assertEqual((read, len(words(self.ann))), ([], 2))

    def test_a_language_that_cannot_be_read_is_a_warning_and_the_rest_is_loaded(self):
        loaded = []
        self.patch(semantic, "warm_up", lambda: loaded.append("memory"))
        with TemporaryDirectory() as folder:
            file = Path(folder) / "en.yaml"
            file.write_text("phrases: [")
            self.addCleanup(languages.use, {})
            languages.use({"en": file})
            hooks.at_server_start()
            self.wait(1.5)
        self.assertEqual((len(self.log), loaded), (2, ["memory"]))
        self.assertIn("en.yaml is no YAML", self.log[1])

    def test_the_start_keeps_prototypes_from_searching_what_minds_keep(self):
        callables = prototypes.FUNC_PARSER.callables
        self.addCleanup(callables.update, dict(callables))
        hooks.at_server_start()
        for name in ("search", "obj", "objlist", "dbref"):
            with self.assertRaisesRegex(ParsingError, "the name of one Attribute"):
                callables[name]("x", attribute_name="attributes__db_strvalue", caller=self.char1)

    def test_a_step_of_the_start_is_taken_again_when_the_database_is_back(self):
        away = OperationalError("no connection")
        asked = {
            # One before all else, one that fails at once, and one that fails later.
            installed: mock.Mock(side_effect=[away, []]),
            ledger: mock.Mock(side_effect=[away, ()]),
            burial: mock.Mock(side_effect=[fail(away), None]),
        }
        self.patch(installed, "missing_tables", asked[installed])
        self.patch(ledger, "prune", asked[ledger])
        self.patch(burial, "finish", asked[burial])
        self.patch(database, "mend", lambda: True)
        hooks.at_server_start()
        for counts in ([1, 0, 1], [2, 1, 2], [2, 2, 2], [2, 2, 2]):
            self.wait(1.2 if counts[1] == 0 else 1)
            self.assertEqual([one.call_count for one in asked.values()], counts)

    def test_a_step_that_the_database_refuses_is_logged_and_not_taken_again(self):
        asked = mock.Mock(side_effect=OperationalError("no such table"))
        with mock.patch.object(ledger, "prune", asked):
            hooks.at_server_start()
            self.wait(5)
        self.assertEqual(asked.call_count, 1)
        [failure] = self.flushLoggedErrors(OperationalError)
        self.assertEqual(str(failure.value), "no such table")

    def test_the_start_names_a_model(self):
        minds.script_llm("Hm.")
        hooks.at_server_start()
        self.assertEqual(self.log, ["evennia_ai: assistants think with scripted."])

    def test_a_first_boot_runs_the_hooks_twice_without_harm(self):
        hooks.at_server_start()
        hooks.at_server_stop()
        hooks.at_server_start()
        self.wait(1.5)
        self.assertEqual(self.done, ["flush", "stop", "prune", "prune"])

    def test_at_the_stop_no_turn_begins_any_more(self):
        mind = minds.script_llm("Hm.")
        self.char1.execute_cmd("say Mara, hello")
        hooks.at_server_stop()
        self.wait(5)
        self.assertEqual((mind.requests, self.pending()), ([], ["Mara, hello"]))
        self.assertTrue(active_assistants.is_closing())

    def test_at_the_stop_what_waited_is_done_and_stored(self):
        scheduling.call_soon(self.done.append, "work")
        hooks.at_server_stop()
        self.assertEqual(self.done, ["work", "flush", "stop"])

    def test_one_piece_of_work_that_fails_does_not_keep_the_rest_from_being_done(self):
        def fail():
            raise ZeroDivisionError

        scheduling.call_soon(fail)
        scheduling.call_soon(self.done.append, "work")
        # Evennia would break off the stop, and the server stay without a mind.
        hooks.at_server_stop()
        self.assertEqual(self.done, ["work", "flush", "stop"])
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)
