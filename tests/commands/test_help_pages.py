"""Help pages fit a terminal of 78 columns, and show how each switch is written."""

import re

from evennia_ai.commands.cmdsets import COMMANDS
from tests.commands.cases import CommandTestCase

WIDTH = 78
# Evennia's own page.
NOT_OURS = ("examine",)


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
