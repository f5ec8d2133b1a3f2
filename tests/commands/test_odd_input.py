"""Whatever is typed, a command answers it; none raises an error of its own."""

import inspect
import shutil
import tempfile

from django.test import tag
from evennia.objects.models import ObjectDB
from twisted.internet.defer import Deferred

from evennia_ai import scheduling
from evennia_ai.commands.cmdsets import COMMANDS
from evennia_ai.memory.seeds import mind_folders
from tests.commands.cases import CommandTestCase
from tests.commands.test_help_pages import NOT_OURS

# More digits than Python makes a number of.
LONG = "9" * 5000
ODD = (
    "",
    "=",
    "/ =",
    "Mara",
    "Mara =",
    f"Mara = {LONG}",
    "Mara = 99999999999999999999",
    f"Mara/{LONG} = 5",
    f"Mara = importance>={LONG}",
    "Mara = days=1e400",
    "Mara = days=nan",
    "Mara = importance>=nan",
    "Mara = importance>=inf",
    f"server = {LONG}",
    f"server = 5/{LONG}",
    "Mara = 0",
    "Mara = -1",
    "Mara = ²",
    "Mara = #0",
    "Mara = *",
    "Mara = x | y | z",
    "Mara = 5/5/5",
    "Mara = a\u0000b",
    "\ud800",
    "Mara = \ud800 | a\udfff",
    "Mara/\ud800 = 3",
    "\u202eMara\u2066 = \u200b",
    "Mara/manner/x = y",
    "#0",
    "#99999999999999999999",
    f"#{LONG}",
    "Mara = #99999999999999999999",
    "me = me",
    "|rMara|n = |[r{name}%s",
    "../x = ../../y",
    "Mara = ../../y",
    "Mara = \\",
    f"{'x' * 3000} = {'y' * 3000}",
)


@tag("scenario")
class OddInputTests(CommandTestCase):
    def run_command(self, command, line):
        """Run a command as it would be when somebody types a line; a question is answered no."""
        made = command()
        made.caller = self.char1
        made.session = None
        made.cmdstring = made.key
        made.args = line
        made.parse()
        running = made.func()
        if inspect.isgenerator(running):
            next(running, None)
            running.close()
        if isinstance(running, Deferred):
            scheduling.drain()
            self.successResultOf(running)

    def test_nothing_raises(self):
        folder = tempfile.mkdtemp(prefix="evennia-ai-odd-")
        self.addCleanup(shutil.rmtree, folder)
        self.patch(mind_folders, "FOLDERS", {"seeds": folder, "minds": folder})
        npc = self.mara()
        for name, command in COMMANDS.items():
            if name in NOT_OURS:
                continue
            for switch in command().switch_methods():
                for odd in ODD:
                    line = f"{'/' if switch else ''}{switch} {odd}"
                    with self.subTest(f"{command.key}{line[:80]}"):
                        self.run_command(command, line)
                    # Another of that name would hide the one that is meant.
                    ObjectDB.objects.filter(db_location=self.room1, id__gt=npc.id).delete()
