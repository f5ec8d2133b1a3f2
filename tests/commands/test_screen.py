"""Tables fit the screen of whoever reads them, and are lines for a program that reads them out."""

import re
from unittest import TestCase

from django.conf import settings
from evennia.utils.ansi import strip_ansi
from evennia.utils.create import create_account

from evennia_ai import scheduling
from evennia_ai.commands.aiadmin import admin_tools
from evennia_ai.commands.cmdsets import COMMANDS
from evennia_ai.commands.screen import Screen, screen_of, table
from evennia_ai.models import LedgerEntry
from evennia_ai.testing import minds
from evennia_ai.tools import registry
from tests.commands.cases import CommandTestCase

LONG = "no: only if ALLOWED_COMMANDS and its own allowed_commands share one, and more than that"

# What is drawn: three marks of a kind, or a character that boxes are made of.
DRAWN = re.compile(r"([-_=~*#+|])\1\1|[\u2500-\u259f]")


class Session:
    def __init__(self, **flags):
        self.protocol_flags = flags


class TableTests(TestCase):
    def lines(self, *args):
        return strip_ansi(table(*args)).splitlines()

    def test_what_is_wide_is_wrapped_and_the_rest_stays_whole(self):
        lines = self.lines(("Tool", "Offered"), [("recall_conversation_context", LONG)])
        self.assertLessEqual(max(map(len, lines)), 78)
        self.assertIn(" recall_conversation_context ", lines[-2])

    def test_a_narrow_screen_has_narrow_tables(self):
        lines = self.lines(("Tool", "Offered"), [("noop", LONG)], Screen(40))
        self.assertLessEqual(max(map(len, lines)), 40)

    def test_for_a_screen_reader_each_row_names_its_cells(self):
        text = table(
            ("Who", "Calls", "Note"), [("Mara", 3, ""), ("Tam", 0, "ill")], Screen(78, True)
        )
        self.assertEqual(text, "Mara: Calls 3.\nTam: Calls 0, Note ill.")

    def test_a_client_says_how_wide_it_is_and_who_reads(self):
        for flags, screen in (
            ({}, Screen(78, False)),
            ({"SCREENWIDTH": {0: 60}, "SCREENREADER": True}, Screen(60, True)),
            ({"SCREENWIDTH": {0: 5000}}, Screen(78, False)),
            ({"SCREENWIDTH": {0: 3}}, Screen(40, False)),
        ):
            with self.subTest(flags):
                self.assertEqual(screen_of(Session(**flags)), screen)
        self.assertEqual(screen_of(None), Screen(78, False))


class ReadAloudTests(CommandTestCase):
    """With Evennia's flag SCREENREADER nothing of ours is drawn: as Evennia sends it, no line is of marks."""

    def setUp(self):
        super().setUp()
        self.npc = self.mara()
        self.session.protocol_flags["SCREENREADER"] = True
        self.addCleanup(self.session.protocol_flags.pop, "SCREENREADER")

    def drawn(self, text):
        """Return what is drawn in what somebody reads who types a line, and what they read."""
        # What the Portal takes out by itself.
        read = re.sub(settings.SCREENREADER_REGEX_STRIP, "", self.types_and_waits(text))
        return DRAWN.findall(read), read

    def test_no_switch_of_any_command_draws(self):
        minds.script_llm("Well.", repeat=True)
        self.types_and_waits("say Mara, the ale is brewed by old Tam.")
        found = 0
        for command in (made() for made in COMMANDS.values()):
            for switch in getattr(command, "switch_methods", dict)():
                typed = f"{command.key}/{switch}" if switch else command.key
                for text in (typed, f"{typed} Mara", f"help {command.key}"):
                    with self.subTest(text):
                        drawn, read = self.drawn(text)
                        self.assertEqual(drawn, [], read)
                        found += bool(read)
                if self.char1.ndb._getinput or self.char1.ndb._eveditor:
                    self.types("q")
        self.assertGreater(found, 100)

    def test_the_wizard_draws_no_line(self):
        for text in ("@assistant/create", "Tor", "A potter.", "", "1", "no"):
            with self.subTest(text):
                drawn, read = self.drawn(text)
                self.assertEqual(drawn, [], read)
                self.assertNotEqual(read.strip(), "")

    def test_help_for_players_is_plain(self):
        drawn, read = self.drawn("help npcs")
        self.assertEqual(drawn, [])
        self.assertIn("whisper Mara", read)


class WidthTests(CommandTestCase):
    def test_no_table_of_ours_is_wider_than_a_terminal(self):
        self.mara()
        for text in ("@assistant", "@aiadmin/tools Mara", "@aiadmin/tools", "@aiadmin/budget"):
            with self.subTest(text):
                wide = [line for line in self.types(text).splitlines() if len(line) > 79]
                self.assertEqual(wide, [])

    def test_what_cost_much_fits_as_well(self):
        account = create_account("Ann" * 10, email="", password="river-road-7")
        LedgerEntry.objects.create(
            created=scheduling.now(),
            alias="default",
            job="reply",
            player_id=account.id,
            prompt_tokens=123_456_789,
            cached_tokens=123_456_789,
            completion_tokens=12_345_678,
            money=123_456_789,
            latency_ms=1234,
            outcome="ok",
        )
        text = self.types("@aiadmin/cost players")
        self.assertLessEqual(max(map(len, text.splitlines())), 79)
        self.assertIn("ms a call", text)
        self.assertIn(" 1234 ", text)

    def test_a_screen_reader_is_given_lines(self):
        self.mara()
        self.session.protocol_flags["SCREENREADER"] = True
        self.addCleanup(self.session.protocol_flags.pop, "SCREENREADER")
        self.assertIn("Where Room, On on, Mode awake", self.types("@assistant"))
        self.assertIn("say: Kind ends turn", self.types("@aiadmin/tools Mara"))

    def test_the_words_of_staff_are_no_names_of_the_code(self):
        self.mara()
        said = self.types("@aiadmin/tools Mara")
        for word in ("terminal", "safe_chain", "dangerous"):
            self.assertNotIn(word, said)
        self.assertEqual(
            {str(tool.category) for tool in registry.all_tools().values()},
            set(admin_tools.CATEGORIES),
        )
