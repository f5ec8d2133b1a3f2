"""`@aiadmin/tools`: which tools each NPC is offered, and why not the others."""

from unittest.mock import patch

from evennia_ai.agent.turn import Turn
from evennia_ai.commands.aiadmin import admin_tools
from evennia_ai.core import records
from evennia_ai.memory.state import npc_settings, sleep_state
from evennia_ai.scheduling import now
from evennia_ai.sleep import sleep_cycle
from evennia_ai.testing import minds
from evennia_ai.tools import registry
from evennia_ai.typeclasses import scripts
from tests.commands.cases import CommandTestCase


class ToolsTests(CommandTestCase):
    def setUp(self):
        super().setUp()
        self.clock.advance(1_900_000_000)

    def said(self, text="@aiadmin/tools Mara"):
        """Return what is said of each tool, on one line."""
        shown, tool = {}, None
        # The pager ends the first page with what it is and how to read on.
        for line in self.types(text).partition("(Page [")[0].splitlines():
            cells = line.split()
            if cells and cells[0] in registry.all_tools():
                tool = cells[0]
            shown.setdefault(tool, []).extend(cells)
        return {tool: " ".join(cells) for tool, cells in shown.items()}

    def test_each_tool_of_one_says_whether_it_is_offered_and_else_why_not(self):
        self.mara()
        said = self.said()
        self.assertEqual(said["noop"], "noop ends turn yes")
        self.assertEqual(
            said["review_journal"], "review_journal lookup no: not while it answers (ALL_TOOLS)"
        )
        self.assertEqual(
            said["execute_command"],
            "execute_command deed no: only if ALLOWED_COMMANDS and its own "
            "allowed_commands share one",
        )
        self.assertIn("no turn", self.types("@assistant/why Mara"))

    def test_one_that_sleeps_is_offered_little(self):
        mara = self.mara()
        sleep_cycle.transition_mode(
            scripts.find(mara), sleep_state.ASLEEP, "test", depth=sleep_state.LIGHT
        )
        said = self.said()
        self.assertEqual(said["look"], "look lookup no: it sleeps")
        self.assertEqual(said["noop"], "noop ends turn no: it sleeps")

    def test_the_reasons_agree_with_what_is_offered(self):
        mara = self.mara()
        mind = scripts.find(mara)
        event = records.new_event("say", "", event_id="1", now=now())
        for asleep in (False, True):
            if asleep:
                sleep_cycle.transition_mode(
                    mind, sleep_state.ASLEEP, "test", depth=sleep_state.LIGHT
                )
            turn = Turn(mind, [event], llm=minds.script_llm())
            offered = [tool.name for tool in registry.offered(turn)]
            tools = registry.all_tools().values()
            free = [tool.name for tool in tools if not registry.why_not_offered(tool, turn)]
            with self.subTest(asleep=asleep):
                self.assertEqual(offered, free)

    def test_without_a_name_each_assistant_has_a_line(self):
        mara, bertil = self.mara(), minds.make_assistant("Bertil", location=self.room2)
        npc_settings.grant(bertil, allowed_commands=["look", "get"])
        with self.settings_ai(ALLOWED_COMMANDS=["look"]):
            said = [" ".join(line.split()) for line in self.types("@aiadmin/tools").splitlines()]
        count = len(registry.all_tools())
        lines = {line.split(" ")[0]: line for line in said if "(#" in line}
        self.assertRegex(lines[f"Mara(#{mara.id})"], rf"^Mara\(#\d+\) \d+ of {count} \d+ none$")
        self.assertRegex(
            lines[f"Bertil(#{bertil.id})"], rf"^Bertil\(#\d+\) \d+ of {count} \d+ look$"
        )

    def test_without_any_assistant_it_says_so(self):
        self.assertEqual(self.types("@aiadmin/tools"), "There is no assistant yet.")

    def test_many_fit_on_a_page(self):
        self.assertLess(admin_tools.ROWS, 30)
        for number in range(3):
            minds.make_assistant(f"Guard {number}", location=self.room2)
        with patch.object(admin_tools, "ROWS", 2):
            said = self.types("@aiadmin/tools").splitlines()
        self.assertEqual(said[-1], "… and 1 more: @aiadmin/tools <npc>")
        self.assertEqual(sum("Guard" in line for line in said), 2)

    def test_one_without_a_mind_has_no_tools(self):
        bob = self.mindless()
        self.assertEqual(
            self.types("@aiadmin/tools Bob"),
            f"Bob(#{bob.id}) has no mind; @assistant/attach gives it one.",
        )

    def test_to_look_leaves_no_line(self):
        self.mara()
        self.assertEqual(self.logged("@aiadmin/tools Mara"), [])
