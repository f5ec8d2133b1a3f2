"""Dialogues from a shell: in a database that is thrown away, with an exit status for CI."""

import io
import json
import os
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

from django.core.management import CommandError, call_command
from django.test import tag
from evennia.objects.models import ObjectDB

from evennia_ai import scheduling
from evennia_ai.management.commands import ai_test
from evennia_ai.semantic import memory_thread
from evennia_ai.testing import minds
from tests.house.rules import ROOT
from tests.testing.dialogue_cases import HEAD, DialogueTestCase

GOOD = f"{HEAD}dialogue:\n  - Ann: Mara, who brews the ale here?\n    must_mention: tam\n"
BAD = GOOD.replace("tam", "owl")
SCRIPTED = "evennia_ai.llm.scripted.ScriptedMind"


def politely(npc, words, hearers):
    return "Good day."


class CommandTestCase(DialogueTestCase):
    def setUp(self):
        super().setUp()
        # It is one already.
        self.patch(ai_test, "throwaway_database", nullcontext)
        self.out = io.StringIO()

    def run_it(self, *args):
        """Return the lines that the command prints."""
        try:
            call_command("ai_test", *args, stdout=self.out)
        finally:
            scheduling.set_clock(self.clock)
            memory_thread.set_worker(memory_thread.InlineWorker())
        return self.out.getvalue().splitlines()

    def failure(self, *args):
        with self.assertRaises(CommandError) as caught:
            self.run_it(*args)
        return str(caught.exception)


class CommandTests(CommandTestCase):
    def test_what_passes(self):
        self.write("world/dialogues/mara.yaml", GOOD)
        before = ObjectDB.objects.count()
        lines = self.run_it("mara")
        self.assertEqual(
            lines[:2], ["1..1", "ok 1 - line 4: Ann says: Mara, who brews the ale here?"]
        )
        self.assertTrue(lines[2].startswith("# mara.yaml: passed, 1 of 1 steps"), lines[2])
        self.assertEqual(lines[3:], ["1 passed, 0 failed"])
        self.assertEqual(ObjectDB.objects.count(), before)

    def test_settings_of_the_file_hold_while_it_is_played(self):
        told = GOOD.replace("must_mention", "must_not_mention")
        words = "settings: {MAY_SAY: tests.management.test_ai_test.politely}"
        self.write("world/dialogues/mara.yaml", f"{words}\n{told}")
        self.assertEqual(self.run_it("mara")[-1], "1 passed, 0 failed")

    def test_what_fails_fails_the_command_after_all_were_played(self):
        self.write("world/dialogues/a_bad.yaml", BAD)
        self.write("world/dialogues/b_good.yml", GOOD)
        self.assertEqual(self.failure(), "1 of 2 dialogues failed.")
        told = self.out.getvalue()
        self.assertIn("not ok 1 - line 4", told)
        self.assertIn("# b_good.yml: passed", told)

    def test_a_wrong_file_keeps_all_from_being_played(self):
        self.write("world/dialogues/good.yaml", GOOD)
        self.write("world/dialogues/wrong.yaml", "nps: x")
        self.assertIn("wrong.yaml, line 1: there is no key 'nps'", self.failure("good", "wrong"))
        self.assertEqual(self.out.getvalue(), "")

    def test_nothing_to_play_is_a_failure(self):
        self.assertEqual(self.failure(), "There is no dialogue in world/dialogues.")
        self.assertEqual(self.failure("none"), "There is no file none in world/dialogues.")

    def test_an_npc_of_the_game_is_read_from_it(self):
        minds.make_assistant("Per", location=self.room1, lore=["The ale here is brewed by an owl."])
        self.write(
            "world/dialogues/per.yaml", BAD.replace("seed: mara", "npc: Per").replace("Mara", "Per")
        )
        self.assertIn("1 passed, 0 failed", self.run_it("per"))

    def test_an_npc_that_is_not_there_is_told_with_the_file(self):
        self.write("world/dialogues/per.yaml", GOOD.replace("seed: mara", "npc: Per"))
        self.assertTrue(
            self.failure("per").startswith("per.yaml: there is no assistant called Per;")
        )

    def test_time_may_pass_here(self):
        self.write("world/dialogues/mara.yaml", f"{GOOD}  - after: 3 days\n  - sleep: true\n")
        self.assertIn("ok 2 - line 6: 259200 seconds pass", self.run_it("mara"))


class TapeTests(CommandTestCase):
    """A model is asked once, and never again."""

    def setUp(self):
        super().setUp()
        self.tape = self.game / "world" / "dialogues" / "mara.jsonl"
        self.write("world/dialogues/mara.yaml", f"minds: tape\n{GOOD}")

    def model(self, *replies):
        return self.settings_ai(
            LLM={"default": {"BACKEND": SCRIPTED, "OPTIONS": {"replies": list(replies)}}}
        )

    def test_it_is_recorded_and_played_back_without_a_model(self):
        with self.model("Old Tam does."):
            self.assertIn("# mara.jsonl is recorded.", self.run_it("mara", "--record"))
        [line] = self.tape.read_text().splitlines()
        self.assertEqual(json.loads(line)["answer"]["text"], "Old Tam does.")
        lines = self.run_it("mara")
        self.assertIn("Mara thinking with tape; 1 calls", lines[-2])

    def test_another_tape_may_be_named(self):
        with self.model("Old Tam does."):
            self.run_it("mara", "--record", "--tape", "other.jsonl")
        self.assertFalse(self.tape.exists())
        self.write("world/dialogues/plain.yaml", GOOD)
        self.assertIn("1 passed, 0 failed", self.run_it("plain", "--tape", "other.jsonl"))

    def test_a_prompt_that_changed_fails_and_says_what_changed(self):
        with self.model("Old Tam does."):
            self.run_it("mara", "--record")
        self.write("world/minds/mara.yaml", "name: Mara\npersona: {description: Mara is cross.}\n")
        self.failure("mara")
        told = self.out.getvalue()
        self.assertIn(
            "the tape mara.jsonl does not fit any more: message 1 (system) says 'Who you", told
        )

    def test_what_fails_is_not_recorded(self):
        self.tape.write_text("as it was\n")
        with self.model("An owl."):
            self.assertEqual(self.failure("mara", "--record"), "1 of 1 dialogues failed.")
        self.assertEqual(self.tape.read_text(), "as it was\n")
        self.assertEqual(list(self.tape.parent.glob("*.part")), [])
        self.assertIn("# mara.jsonl is as it was", self.out.getvalue())

    def test_what_is_not_there_is_told(self):
        self.assertEqual(
            self.failure("mara"), "mara.yaml: there is no tape mara.jsonl; record it first."
        )
        self.assertEqual(
            self.failure("mara", "--record"),
            "mara.yaml: it asks for a model, and the settings have none.",
        )
        self.write("world/dialogues/plain.yaml", GOOD)
        with self.model("Aye."):
            self.assertIn("plain.yaml has no tape", self.failure("plain", "--record"))


@tag("scenario")
class ShellTests(DialogueTestCase):
    """The command as CI runs it, in a process and a database of its own."""

    def run_shell(self, *args):
        environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
        code = (
            "import sys; from django.conf import settings; "
            f"settings.GAME_DIR = {str(self.game)!r}; "
            "from django.core.management import execute_from_command_line as run; "
            "import django; django.setup(); import evennia; evennia._init(); "
            "run(['evennia', 'ai_test', *sys.argv[1:]])"
        )
        return subprocess.run(
            [sys.executable, "-c", code, *args],
            cwd=ROOT,
            env={**environment, "DJANGO_SETTINGS_MODULE": "server.conf.test_settings"},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    def test_the_exit_status_tells(self):
        self.write("world/dialogues/a.yaml", GOOD)
        self.write("world/dialogues/b.yaml", BAD)
        done = self.run_shell()
        self.assertEqual(done.returncode, 1)
        self.assertIn("CommandError: 1 of 2 dialogues failed.", done.stderr)
        self.assertIn("# a.yaml: passed", done.stdout)
        self.assertIn("# b.yaml: FAILED", done.stdout)
