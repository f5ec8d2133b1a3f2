"""Tests of running a command of the game: only what is listed, and only as the NPC itself."""

from evennia.commands.cmdset import CmdSet
from evennia.commands.command import Command

from evennia_ai.exceptions import ToolError
from evennia_ai.memory.state import npc_settings
from evennia_ai.tools import world
from tests.tools.doubles import ToolTestCase


class Dance(Command):
    """Dance."""

    key = "dance"
    aliases = ["jig"]

    def func(self):
        self.caller.db.danced = self.args.strip()


class StaffDance(Dance):
    """Dance as staff do."""

    key = "@staffdance"
    aliases = []
    locks = "cmd:perm(Admin)"


class AccountDance(Dance):
    """Dance as an account."""

    key = "accountdance"
    aliases = []
    account_caller = True


class Crash(Dance):
    """Be broken."""

    key = "crash"
    aliases = []

    def func(self):
        raise ValueError("broken command")


class Python(Dance):
    """Stand for the command that runs code."""

    key = "@py"
    aliases = []


class DanceCmdSet(CmdSet):
    """What the barkeep can do."""

    key = "dances"

    def at_cmdset_creation(self):
        for command in (Dance, StaffDance, AccountDance, Crash, Python):
            self.add(command())


class ExecuteCommandTests(ToolTestCase):
    extra_settings = {
        "ALLOWED_COMMANDS": ["dance", "@staffdance", "accountdance", "crash", "py", "sing", "door"]
    }

    def setUp(self):
        super().setUp()
        self.npc.cmdset.add(DanceCmdSet, persistent=False)
        npc_settings.grant(
            self.npc, allowed_commands=["Dance", "staffdance", "accountdance", "crash", "@py"]
        )
        self.offered = world.ExecuteCommand().allowed

    def run_command(self, command):
        return self.successResultOf(self.use(world.ExecuteCommand, command=command))

    def run_refused(self, command):
        self.npc.db.danced = None
        failure = self.failureResultOf(self.use(world.ExecuteCommand, command=command), ToolError)
        self.assertIsNone(self.npc.db.danced)
        return str(failure.value)

    def test_it_is_offered_only_if_settings_and_builder_agree(self):
        self.assertTrue(self.offered(self.turn))
        npc_settings.grant(self.npc, allowed_commands=["get"])
        self.assertFalse(self.offered(self.turn))
        npc_settings.grant(self.npc, allowed_commands=["@py"])
        self.assertFalse(self.offered(self.turn))
        npc_settings.grant(self.npc, allowed_commands=["dance"])
        self.assertTrue(self.offered(self.turn))
        with self.settings_ai(ALLOWED_COMMANDS=[]):
            self.assertFalse(self.offered(self.turn))
        self.turn.character = None
        self.assertFalse(self.offered(self.turn))

    def test_it_does_nothing_where_it_is_not_offered(self):
        npc_settings.grant(self.npc, allowed_commands=None)
        self.assertEqual(self.run_refused("dance"), "You have no commands.")

    def test_a_permitted_command_runs_as_the_npc(self):
        self.assertEqual(self.run_command("dance wildly"), 'You did: "dance wildly"')
        self.assertEqual(self.npc.db.danced, "wildly")
        self.assertEqual(self.turn.notes, ['ran the command dance: "dance wildly"'])
        self.run_command("jig")
        self.assertEqual(self.npc.db.danced, "")

    def test_a_command_that_is_not_listed_does_not_run(self):
        self.assertEqual(
            self.run_refused("door"),
            'You cannot do "door"; what you can do begins with: '
            "accountdance, crash, dance, staffdance.",
        )
        self.assertEqual(self.npc.location, self.room1)

    def test_lists_of_settings_and_builder_must_both_name_it(self):
        with self.settings_ai(ALLOWED_COMMANDS=["crash"]):
            self.assertIn("begins with: crash.", self.run_refused("dance"))

    def test_nothing_runs_while_the_turn_is_about_what_is_not_for_everybody(self):
        refusal = "You cannot use commands now: others could hear what is not for them."
        for private, audience in ((True, "public"), (False, ["uuid-of-ann"]), (False, [])):
            self.turn.private, self.turn.audience = private, audience
            with self.subTest(private=private, audience=audience):
                self.assertEqual(
                    self.refused(world.ExecuteCommand, command="dance wildly"), refusal
                )
                self.assertIsNone(self.npc.db.danced)
        self.turn.private, self.turn.audience = False, "public"
        self.run_command("dance wildly")
        self.assertEqual(self.npc.db.danced, "wildly")

    def test_locks_of_a_command_are_those_of_the_npc(self):
        self.run_refused("@staffdance")
        self.run_refused("staffdance")
        self.npc.permissions.add("Admin")
        self.run_command("@staffdance slowly")
        self.assertEqual(self.npc.db.danced, "slowly")

    def test_code_and_account_commands_never_run(self):
        for line in ("py 1", "@py 1", "accountdance"):
            with self.subTest(line):
                self.run_refused(line)

    def test_one_line_is_one_command(self):
        for line in ("dance;dance", "dance\ndance", "dance\rdance", ""):
            with self.subTest(line):
                self.run_refused(line)

    def test_a_nick_is_judged_by_what_it_stands_for(self):
        self.npc.nicks.add("dance", "@py 1", category="inputline")
        self.run_refused("dance")
        self.npc.nicks.add("dance", "jig;jig", category="inputline")
        self.run_refused("dance")
        self.npc.nicks.add("waltz", "dance slowly", category="inputline")
        self.run_command("waltz")
        self.assertEqual(self.npc.db.danced, "slowly")

    def test_an_npc_with_an_account_runs_nothing(self):
        self.npc.account = self.account
        self.assertIn("while a person", self.run_refused("dance"))

    def test_an_npc_without_commands_of_its_own_finds_none(self):
        self.npc.cmdset.delete(DanceCmdSet)
        self.run_refused("dance")

    def test_a_broken_command_does_not_break_the_turn(self):
        self.assertEqual(self.run_command("crash"), 'You did: "crash"')
