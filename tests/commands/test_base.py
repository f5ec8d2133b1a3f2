import inspect
from unittest import TestCase
from unittest.mock import patch

from evennia.commands.command import Command
from evennia.commands.default.muxcommand import MuxCommand

from evennia_ai.commands.aiadmin.aiadmin_command import CmdAIAdmin
from evennia_ai.commands.aimemory.aimemory_command import CmdAIMemory
from evennia_ai.commands.assistants.assistant_command import CmdAssistant
from evennia_ai.commands.base import AssistantCommand, choose_switch, split_switches, switch
from evennia_ai.commands.players.player import CmdTell
from tests.commands.cases import CommandTestCase

COMMANDS = (CmdAssistant, CmdAIMemory, CmdAIAdmin, CmdTell)
KNOWN = ["create", "start", "stop", "status"]


class PartsTests(TestCase):
    def test_no_part_of_a_command_has_a_method_that_another_takes_for_its_own(self):
        for command in COMMANDS:
            owners = {}
            for part in command.__mro__[: command.__mro__.index(AssistantCommand)]:
                for name, value in vars(part).items():
                    if inspect.isfunction(value):
                        owners.setdefault(name, []).append(part.__name__)
            shared = {name: parts for name, parts in owners.items() if len(parts) > 1}
            self.assertEqual(shared, {}, command.__name__)


class SplitSwitchesTests(TestCase):
    def test_what_stands_before_the_arguments_is_a_switch(self):
        for raw, expected in {
            "": ([], ""),
            " Bob the builder": ([], "Bob the builder"),
            "/attach Bob": (["attach"], "Bob"),
            " /attach Bob": (["attach"], "Bob"),
            "/Attach   Bob ": (["attach"], "Bob"),
            "/attach": (["attach"], ""),
            "/a/b Bob": (["a", "b"], "Bob"),
            "/a /b Bob": (["a", "b"], "Bob"),
            "/": ([""], ""),
            "/ Bob": ([""], "Bob"),
            "/a/ Bob": (["a", ""], "Bob"),
            " Bob /attach": ([], "Bob /attach"),
            "/create Ann = she/her": (["create"], "Ann = she/her"),
        }.items():
            with self.subTest(raw):
                self.assertEqual(split_switches(raw), expected)


class ChooseSwitchTests(TestCase):
    def test_one_that_is_written_out_is_chosen(self):
        self.assertEqual(choose_switch(["stop"], KNOWN), ("stop", ""))

    def test_one_that_is_also_the_beginning_of_another_is_chosen(self):
        self.assertEqual(choose_switch(["halt"], ["halt", "halter"]), ("halt", ""))

    def test_a_beginning_that_fits_one_is_enough(self):
        self.assertEqual(choose_switch(["c"], KNOWN), ("create", ""))

    def test_a_beginning_that_fits_several_is_refused(self):
        expected = ("", "/sta may be /start or /status")
        self.assertEqual(choose_switch(["sta"], KNOWN), expected)

    def test_one_that_does_not_exist_is_refused(self):
        self.assertEqual(choose_switch(["halt"], KNOWN), ("", "There is no switch /halt"))

    def test_an_empty_one_fits_none(self):
        self.assertEqual(choose_switch([""], KNOWN), ("", "There is no switch /"))
        self.assertEqual(choose_switch([""], ["only"]), ("", "There is no switch /"))

    def test_a_slip_is_asked_about(self):
        expected = ("", "There is no switch /creat-e; did you mean /create?")
        self.assertEqual(choose_switch(["creat-e"], KNOWN), expected)

    def test_two_are_refused_though_each_exists(self):
        self.assertEqual(choose_switch(["stop", "start"], KNOWN), ("", "One switch at a time"))


class Bell(AssistantCommand):
    """
    Ring a bell.

    Usage:
      bell
      bell/loud <hour>
    """

    key = "bell"
    default_key = "bell"

    def ring(self, how):
        self.msg(f"{how} [{self.args}] [{self.lhs}] [{self.rhs}]")

    @switch("")
    def softly(self):
        """bell"""
        self.ring("soft")

    @switch("loud")
    def loudly(self):
        """bell/loud <hour>"""
        self.ring("loud")

    @switch("last", lock="perm(Developer)")
    def for_the_last_time(self):
        """bell/last"""
        self.ring("last")


class AssistantCommandTests(CommandTestCase):
    def rings(self, text, *, by=None, command=None):
        """Return what the bell says to `text`, typed right after its name."""
        caller = by or self.char1
        self.read[caller].clear()
        bell = command or Bell()
        bell.caller, bell.args, bell.session = caller, text, None
        bell.cmdstring = bell.raw_cmdname = bell.key
        bell.parse()
        bell.func()
        return "\n".join(message for _, message in self.read[caller])

    def test_without_a_switch_the_default_runs(self):
        self.assertEqual(self.rings(" noon"), "soft [noon] [noon] [None]")

    def test_a_switch_runs_its_method_alone(self):
        self.assertEqual(self.rings("/loud noon"), "loud [noon] [noon] [None]")

    def test_the_arguments_are_split_at_the_first_equals_sign(self):
        self.assertEqual(self.rings(" a = b = c"), "soft [a = b = c] [a] [b = c]")
        self.assertEqual(self.rings(" a ="), "soft [a =] [a] []")

    def test_a_wrong_switch_runs_nothing_and_lists_the_right_ones(self):
        for text, problem in {
            "/quiet noon": "There is no switch /quiet",
            "/ noon": "There is no switch /",
            "/l noon": "/l may be /last or /loud",
            "/loud/last noon": "One switch at a time",
            "/loud /last noon": "One switch at a time",
            "/loud/loud noon": "One switch at a time",
        }.items():
            with self.subTest(text):
                expected = f"{problem}: bell has /last, /loud. Nothing was done."
                self.assertEqual(self.rings(text), expected)

    def test_a_switch_behind_a_lock_is_not_there_for_others(self):
        expected = "There is no switch /last: bell has /loud. Nothing was done."
        self.assertEqual(self.rings("/last", by=self.char2), expected)
        self.assertEqual(self.rings("/l", by=self.char2), "loud [] [] [None]")

    def test_the_help_speaks_of_the_key_that_the_game_chose(self):
        own = Bell(key="gong")
        self.assertIn("gong/loud <hour>", own.get_help(self.char1, None))
        self.assertIn("bell/loud <hour>", Bell().get_help(self.char1, None))

    def test_usage_is_the_first_line_of_the_method(self):
        own = Bell(key="gong")
        self.rings("/loud", command=own)
        self.read[self.char1].clear()
        own.say_usage()
        self.assertEqual(self.read[self.char1], [("", "Usage: gong/loud <hour>")])

    def test_a_command_without_a_default_lists_its_switches(self):
        class Mute(AssistantCommand):
            key = "mute"

            @switch("now")
            def now(self):
                """mute/now"""

        self.assertEqual(self.rings("", command=Mute()), "mute needs a switch: /now.")

    def test_it_needs_no_command_class_that_knows_switches(self):
        """A game may have set COMMAND_DEFAULT_CLASS to Evennia's bare command."""
        with patch.object(MuxCommand, "parse", Command.parse):
            self.assertEqual(self.rings("/loud a = b"), "loud [a = b] [a] [b]")

    def test_a_question_is_left_to_evennia(self):
        class Asking(AssistantCommand):
            @switch("")
            def ask(self):
                """command"""
                yield "Really?"

        asking = Asking()
        asking.caller, asking.args = self.char1, ""
        asking.parse()
        self.assertTrue(inspect.isgenerator(asking.func()))


class HelpTests(CommandTestCase):
    def test_the_five_that_matter_come_first_and_the_others_by_name(self):
        for command in COMMANDS[:3]:
            lines = [line.strip() for line in command.__doc__.splitlines()]
            usages = [line for line in lines if line.startswith(f"{command.key}/")]
            typed = [split_switches(line.removeprefix(command.key))[0] for line in usages]
            names = ["/".join(name) for name in typed][: len(command.switch_functions()) - 1]
            with self.subTest(command.key):
                self.assertEqual(tuple(names[:5]), command.first)
                self.assertEqual(names[5:], sorted(names[5:]))
                self.assertEqual({*names, ""}, set(command.switch_functions()))

    def test_each_usage_stands_in_the_help_as_it_is(self):
        for command in COMMANDS:
            for name, method in command().switch_methods().items():
                if not hasattr(AssistantCommand, method.__name__):
                    with self.subTest(command=command.key, switch=name):
                        usage = method.__doc__.strip().splitlines()[0]
                        self.assertTrue(usage.startswith(command.key), usage)
                        if name:
                            self.assertIn(usage, command.__doc__)

    def test_no_command_lacks_a_lock_or_a_category(self):
        found = {command.key: (command.locks, command.help_category) for command in COMMANDS}
        self.assertEqual(
            found,
            {
                "@assistant": ("cmd:perm(Builder)", "building"),
                "@aimemory": ("cmd:perm(Builder)", "building"),
                "@aiadmin": ("cmd:perm(Admin)", "admin"),
                "tell": ("cmd:all()", "general"),
            },
        )
