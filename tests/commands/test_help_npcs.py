"""`help npcs`: what players type to talk with NPCs, and what they can do about what is remembered of them."""

from django.test import override_settings
from evennia.help.filehelp import FILE_HELP_ENTRIES
from evennia.utils.create import create_help_entry

from evennia_ai.commands.cmdsets import AssistantCmdSet
from evennia_ai.commands.players import help_topic
from evennia_ai.memory import persona
from evennia_ai.testing import minds
from tests.commands.cases import CommandTestCase

WIDTH = 78
LANGUAGES = ("en", "sv", "de")
# What is read where something typed is none of the game's commands, or wrong.
MISUSES = ("not available", "Usage", "There is no", "no mind", "Could not find")


def typed(text):
    """Return the lines of a text that are to be typed."""
    return [item[0].splitlines()[0].strip() for item in help_topic.ITEM.finditer(text)]


class HelpNpcsTests(CommandTestCase):
    def setUp(self):
        super().setUp()
        self.char1.cmdset.add(AssistantCmdSet)

    def texts(self):
        """Yield the text in each language."""
        for language in LANGUAGES:
            with override_settings(LANGUAGE_CODE=f"{language}-xx"), self.subTest(language):
                yield help_topic.text()

    def test_a_player_reads_how_to_talk_whisper_ask_forget_and_opt_out(self):
        page = self.types("help npcs")
        for words in (
            "say Mara, who brews the ale here?",
            "whisper Mara = ",
            "tell Mara = ",
            "remember Mara\n",
            "remember/forget all",
            "remember/optout",
        ):
            self.assertIn(words, page)
        self.assertEqual([line for line in page.splitlines() if len(line) > WIDTH], [])
        self.assertIn("npcs", self.types("help"))

    def test_each_line_that_it_shows_can_be_typed(self):
        mara = self.mara()
        persona.save_lore(mara, ["The ale here is brewed by old Tam."])
        minds.script_llm("It is brewed by old Tam.", repeat=True)
        lines = typed(help_topic.text())
        self.assertEqual(len(lines), 11)
        for line in lines:
            with self.subTest(line):
                read = self.types_and_waits(line)
                self.assertNotEqual(read, "")
                self.assertEqual([words for words in MISUSES if words in read], [])
            if "[y/N]" in read:
                self.types("n")

    def test_the_languages_that_minds_speak_without_a_model_show_the_same_commands(self):
        shown = [[line.split()[0] for line in typed(text)] for text in self.texts()]
        self.assertEqual(shown, [shown[0]] * len(LANGUAGES))
        for text in self.texts():
            self.assertEqual([line for line in text.splitlines() if len(line) > WIDTH], [])
        with override_settings(LANGUAGE_CODE="sv"):
            self.assertIn("Mara glömmer dig", help_topic.text())
        with override_settings(LANGUAGE_CODE="fr"):
            self.assertIn("Mara forgets you", help_topic.text())

    def test_it_names_commands_as_the_game_does_and_none_that_it_left_out(self):
        with self.settings_ai(COMMAND_KEYS={"tell": "mutter", "rate": ""}):
            text = help_topic.text()
        self.assertIn("  mutter Mara = Is the back door open?\n", text)
        self.assertNotIn("How well you like", text)
        self.assertIn("  report Mara\n", text)

    def test_it_speaks_of_no_rating_where_none_is_taken(self):
        with self.settings_ai(EXPERIENCE={"ENABLED": False}):
            text = help_topic.text()
        self.assertNotIn("How well you like", text)
        self.assertIn("  report Mara\n", text)

    def test_a_topic_of_the_games_own_takes_its_place(self):
        create_help_entry("npcs", "Ours are silent.", category="General")
        page = self.types("help npcs")
        self.assertIn("Ours are silent.", page)
        self.assertNotIn("whisper Mara", page)

    def test_it_stands_in_front_of_the_modules_of_the_game_once(self):
        self.char2.cmdset.add(AssistantCmdSet)
        modules = FILE_HELP_ENTRIES.help_file_modules
        self.assertEqual(modules.count("evennia_ai.commands.players.help_topic"), 1)
        self.assertEqual(modules[0], "evennia_ai.commands.players.help_topic")
