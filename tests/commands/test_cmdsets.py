from unittest.mock import patch

from django.test import override_settings
from evennia.commands.default.cmdset_character import CharacterCmdSet
from evennia.commands.default.comms import CmdPage

from evennia_ai.commands import cmdsets
from evennia_ai.commands.cmdsets import AssistantCmdSet, AssistantGuardCmdSet
from evennia_ai.testing import AITestCase
from tests.commands.cases import CommandTestCase

STAFF = ["@aiadmin", "@aimemory", "@assistant", "@examine"]


class AssistantCmdSetTests(AITestCase):
    def keys(self):
        return sorted(command.key for command in AssistantCmdSet())

    def test_it_holds_our_commands_and_a_page_without_tell(self):
        self.assertEqual(self.keys(), [*STAFF, "page", "rate", "remember", "report", "tell"])
        [page] = [command for command in AssistantCmdSet() if command.key == "page"]
        self.assertIsInstance(page, CmdPage)
        self.assertEqual(page.aliases, [])

    def test_the_class_of_page_keeps_its_alias(self):
        AssistantCmdSet()
        self.assertEqual(CmdPage.aliases, ["tell"])
        self.assertEqual(CmdPage().aliases, ["tell"])

    def test_the_keys_are_those_of_the_game(self):
        with self.settings_ai(COMMAND_KEYS={"assistant": "@npc", "tell": "ask"}):
            self.assertEqual(
                self.keys(),
                sorted(
                    [
                        "@aiadmin",
                        "@aimemory",
                        "@npc",
                        "@examine",
                        "ask",
                        "rate",
                        "remember",
                        "report",
                    ]
                ),
            )
        self.assertEqual(self.keys(), [*STAFF, "page", "rate", "remember", "report", "tell"])

    def test_an_empty_key_leaves_a_command_out(self):
        with self.settings_ai(COMMAND_KEYS={"tell": ""}):
            self.assertEqual(self.keys(), [*STAFF, "rate", "remember", "report"])

    def test_a_command_of_the_very_same_key_is_replaced(self):
        with self.settings_ai(COMMAND_KEYS={"tell": "page"}):
            found = [type(command) for command in AssistantCmdSet() if command == "page"]
            self.assertEqual(found, [cmdsets.CmdTell])

    def test_a_game_without_commands_for_accounts_has_ours(self):
        with override_settings(CMDSET_ACCOUNT="no.such.CmdSet"):
            self.assertEqual(self.keys(), [*STAFF, "rate", "remember", "report", "tell"])

    def replaced(self, ours):
        """Return the keys of Evennia's commands for characters that a set replaces."""
        stock = CharacterCmdSet()
        return sorted(stock.get(command).key for command in ours() if stock.get(command))

    def test_of_evennias_commands_for_characters_it_replaces_examine_only(self):
        self.assertEqual(self.replaced(AssistantCmdSet), ["@examine"])

    def test_the_guards_replace_what_asks_no_lock_and_add_nothing(self):
        guarded = ["@link", "@sethome", "@spawn", "@tag", "unlink"]
        self.assertEqual(self.replaced(AssistantGuardCmdSet), guarded)
        self.assertEqual(sorted(command.key for command in AssistantGuardCmdSet()), guarded)


class KeysInTheGameTests(CommandTestCase):
    def test_a_key_of_the_game_works_and_is_what_the_answers_speak_of(self):
        with self.settings_ai(COMMAND_KEYS={"assistant": "@npc", "tell": "ask"}):
            self.char1.cmdset.add(AssistantCmdSet)
            self.mara()
            self.assertEqual(self.types("@npc/stop"), "Usage: @npc/stop <npc>")
            self.assertEqual(
                self.types("ask mara = hi"), 'You ask Mara: "hi"'.replace("ask", "tell")
            )
            self.assertEqual(self.types("ask mara"), "Usage: ask <npc> = <words>")

    def test_the_demo_game_has_them(self):
        with patch.object(cmdsets.CmdTell, "func", lambda command: command.msg("told")):
            self.assertEqual(self.types("tell mara = hi"), "told")
