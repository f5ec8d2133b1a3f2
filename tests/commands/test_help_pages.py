"""Help pages fit a terminal of 78 columns, and show how each switch is written."""

import re

from evennia_ai.commands.base import split_switches
from evennia_ai.commands.cmdsets import COMMANDS
from tests.commands.cases import CommandTestCase

WIDTH = 78
# Evennia's own pages.
NOT_OURS = ("examine", "scripts", "tag", "spawn", "link", "unlink", "sethome")


class HelpPageTests(CommandTestCase):
    def pages(self):
        """Return our commands with their pages."""
        found = []
        for name, command in COMMANDS.items():
            if name not in NOT_OURS:
                made = command()
                made.caller = self.char1
                found.append((made, made.get_help(self.char1, None)))
        return found

    def test_no_line_is_longer_than_a_terminal_is_wide(self):
        for command, page in self.pages():
            lines = [line for line in page.splitlines() if line.strip()]
            indent = min(len(line) - len(line.lstrip()) for line in lines)
            with self.subTest(command.key):
                self.assertEqual([line for line in lines if len(line) - indent > WIDTH], [])

    def test_each_switch_stands_under_usage(self):
        for command, page in self.pages():
            for name, method in command.switch_methods().items():
                if name:
                    usage = (method.__doc__ or "").strip().splitlines()[0]
                    self.assertTrue(usage.startswith(f"{command.default_key}/{name}"), usage)
                    self.assertRegex(page, rf"{re.escape(command.default_key)}/{name}\b")

    def test_the_help_command_shows_no_line_that_is_wider(self):
        for command, _ in self.pages():
            with self.subTest(command.key):
                lines = self.types(f"help {command.key}").splitlines()
                self.assertGreater(len(lines), 10)
                self.assertTrue(
                    any(f"Help for {command.key.lstrip('@')}" in line for line in lines)
                )
                self.assertEqual([line for line in lines if len(line) > WIDTH], [])

    def test_each_page_has_an_example_that_uses_the_command_as_it_says(self):
        for command, page in self.pages():
            with self.subTest(command.key):
                _, title, after = re.split(r"^ *(Examples?):\n", page, maxsplit=1, flags=re.M)
                examples = [line.strip() for line in after.splitlines() if line.strip()]
                self.assertEqual(title, "Example" if len(examples) == 1 else "Examples")
                for example in examples:
                    self.assertTrue(example.startswith(command.key), example)
                    typed, _ = split_switches(example.removeprefix(command.key))
                    self.assertLessEqual(set(typed), set(command.switch_methods()))
