"""docs/settings.md is what the comments in defaults.py say, and every setting stands in it."""

import io
import re
import tempfile
import unittest
from pathlib import Path

from django.core.management import CommandError, call_command

from evennia_ai import conf
from evennia_ai.management.commands import ai_settings
from tests.processes import ROOT


class PageTests(unittest.TestCase):
    def test_the_page_on_disk_is_up_to_date(self):
        on_disk = (ROOT / "docs" / "settings.md").read_text("utf-8")
        self.assertEqual(on_disk, ai_settings.page(), "`make docs` writes the page anew")

    def test_every_setting_stands_on_the_page_once_and_with_words(self):
        lines = ai_settings.page().splitlines()
        named = [at for at, line in enumerate(lines) if re.match(r'"[A-Z_]+":', line)]
        self.assertEqual([lines[at].split('"')[1] for at in named], list(conf.DEFAULTS))
        without_words = [
            lines[at].split('"')[1] for at in named if not lines[at - 1].startswith("# ")
        ]
        self.assertEqual(without_words, ["REPLY_TOKENS"])

    def test_there_are_six_groups_and_few_settings(self):
        headings = [line for line in ai_settings.page().splitlines() if line.startswith("## ")]
        self.assertEqual(len(headings), 6)
        self.assertLessEqual(len(conf.DEFAULTS), 48)


class CommandTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "settings.md"

    def test_without_options_the_page_is_printed(self):
        output = io.StringIO()
        call_command("ai_settings", stdout=output)
        self.assertEqual(output.getvalue(), ai_settings.page())

    def test_what_was_written_passes_the_check(self):
        call_command("ai_settings", write=self.file)
        call_command("ai_settings", check=self.file)
        self.assertTrue(self.file.read_text("utf-8").startswith("# Settings\n"))

    def test_a_page_that_differs_or_is_missing_fails_the_check(self):
        with self.assertRaisesRegex(CommandError, "is not up to date; `make docs` writes it"):
            call_command("ai_settings", check=self.file)
        self.file.write_text("# Settings\n", "utf-8")
        with self.assertRaisesRegex(CommandError, "is not up to date"):
            call_command("ai_settings", check=self.file)
