"""docs/settings.md is what the comments in defaults.py say, and every setting stands in it."""

import io
import tempfile
import unittest
from pathlib import Path

from django.core.management import CommandError, call_command

from evennia_ai import conf
from evennia_ai.management.commands import ai_settings
from tests.processes import ROOT

SOURCE = """
DEFAULTS: dict[str, Any] = {
    # ## Turns
    #
    # Seconds to wait,
    # at least.
    "TURN_DELAY": 0.3,
    # Tokens of a prompt, and of an answer.
    "CONTEXT_TOKENS": 3000,
    "REPLY_TOKENS": 300,
    # ## Hooks
    # Lines.
    "LINES": [
        "a",  # first
        "b",
    ],
}
"""


class ReadEntriesTests(unittest.TestCase):
    def test_comments_headings_and_source_are_read(self):
        first, second, third = ai_settings.read_entries(SOURCE)
        self.assertEqual(
            first,
            ("Turns", ["TURN_DELAY"], "Seconds to wait,\nat least.", '"TURN_DELAY": 0.3,'),
        )
        self.assertEqual(third.heading, "Hooks")
        self.assertEqual(third.source, '"LINES": [\n    "a",  # first\n    "b",\n],')
        self.assertEqual(second.heading, "")

    def test_a_key_without_a_comment_belongs_to_the_one_above(self):
        entry = ai_settings.read_entries(SOURCE)[1]
        self.assertEqual(entry.names, ["CONTEXT_TOKENS", "REPLY_TOKENS"])
        self.assertEqual(entry.words, "Tokens of a prompt, and of an answer.")
        self.assertEqual(entry.source, '"CONTEXT_TOKENS": 3000,\n"REPLY_TOKENS": 300,')

    def test_a_source_without_defaults_is_an_error(self):
        with self.assertRaises(CommandError):
            ai_settings.read_entries("OTHER = {}")


class PageTests(unittest.TestCase):
    def test_the_page_on_disk_is_up_to_date(self):
        on_disk = (ROOT / "docs" / "settings.md").read_text("utf-8")
        self.assertEqual(on_disk, ai_settings.page(), "`make docs` writes the page anew")

    def test_every_setting_stands_on_the_page_once_and_with_words(self):
        names = []
        for entry in ai_settings.read_entries(
            (ROOT / "evennia_ai" / "defaults.py").read_text("utf-8")
        ):
            self.assertGreater(len(entry.words), 10, entry.names)
            names += entry.names
        self.assertEqual(names, list(conf.DEFAULTS))


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
