"""README.md followed line by line by somebody who has a new environment, the wheel and nothing else."""

import os
import re
import sqlite3
import sys
import unittest
from contextlib import closing
from pathlib import Path

from django.test import tag

from tests.model_server import ModelServer
from tests.scenarios.built_game import BuiltGame, Installed, run_quietly
from tests.scenarios.game import ROOT

README = ROOT / "README.md"
SETTINGS = Path("server") / "conf" / "settings.py"
# The sections that are followed; those before them are played by `make demo`.
SECTIONS = ("Add it to a game", "Give it a model", "Memory")
# What is typed there, in its order: each is a step of the test.
STEPS = [
    "pip install evennia-ai",
    "@assistant/create Mara = A warm innkeeper with a dry sense of humour.",
    "@assistant/attach bob          (any NPC that you have, of any typeclass)",
]
OLLAMA = "http://localhost:11434/v1"
# Without a model again, and a night in seconds.
OFFLINE_AND_QUICK = """
del EVENNIA_AI["LLM"]
EVENNIA_AI["TICK_RATE"] = 1
EVENNIA_AI["SLEEP_SCHEDULE"] = {"tick_rate_sleep": 1}
"""
# Seconds that one may take on a busy machine.
NIGHT = 120


class InstalledAnew(Installed):
    """An environment of its own, into which pip puts the wheel and what it asks for, from the index."""

    def __init__(self):
        self.programs = None
        super().__init__()

    def _install(self):
        run_quietly([sys.executable, "-m", "venv", self.directory / "venv"])
        self.programs = self.directory / "venv" / "bin"
        self.pip("install", self.wheel)
        [self.packages] = self.directory.glob("venv/lib/python*/site-packages")

    def pip(self, *arguments):
        """Run the pip of the environment."""
        quiet = ("--quiet", "--disable-pip-version-check")
        run_quietly([self.programs / "pip", arguments[0], *quiet, *map(str, arguments[1:])])


class GameAnew(BuiltGame):
    """A game that runs in that environment."""

    def __init__(self, installed):
        super().__init__(installed)
        found = [str(installed.programs), self._environment["PATH"]]
        self._environment["PATH"] = os.pathsep.join(found)
        # It finds its packages by itself.
        del self._environment["PYTHONPATH"]


def sections():
    """Return the text of the sections that are followed."""
    parts = re.split(r"^## (.+)\n", README.read_text("utf-8"), flags=re.M)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def steps():
    """Return the lines that the sections tell to type."""
    text = "".join(re.sub(r"```.*?```", "", sections()[title], flags=re.S) for title in SECTIONS)
    return [line.strip() for line in re.findall(r"^    (\S.*)$", text, re.M)]


def examples():
    """Return the settings that give the game a model, and those of OpenAI."""
    text = sections()["Give it a model"]
    [hosted] = re.findall(r"^\| OpenAI \| `(.*)` \|$", text, re.M)
    whole = re.findall(r"```python\n(.*?)```", text, re.S)
    return [*whole, f'EVENNIA_AI["LLM"]["default"]["OPTIONS"] = {hosted}\n']


class ReadmeTests(unittest.TestCase):
    def test_each_line_that_it_tells_to_type_is_a_step_of_the_test_below(self):
        self.assertEqual(steps(), STEPS)
        self.assertEqual(len(examples()), 2)
        self.assertIn(OLLAMA, examples()[0])

    @tag("scenario")
    def test_followed_line_by_line_it_plays_with_a_dead_model_a_live_one_and_memory(self):
        installed = InstalledAnew()
        self.addCleanup(installed.remove)
        game = GameAnew(installed)
        self.addCleanup(game.close)
        game.prepare()
        self.assertIn("no issues", game.run("check"))
        game.start(times=2)
        keeper = game.enter()
        self.addCleanup(keeper.connection.close)
        self.keeper, self.game = keeper, game
        keeper.sends('py __import__("evennia_ai").__file__')
        keeper.sees(re.escape(str(installed.packages)))
        keeper.sends(STEPS[1])
        keeper.sees("You create Mara")
        keeper.sends("@create/drop bob : evennia.objects.objects.DefaultCharacter")
        keeper.sees("You create")
        keeper.sends(STEPS[2].partition("   ")[0])
        keeper.sees(r"^bob\S* has a mind now")
        with ModelServer(lambda body: "Good evening to you.") as server:
            self.paste(examples()[0].replace(OLLAMA, server.base_url))
            self.assertRegex(self.doctor(), r"The model 'default' .* reads \d+ tokens a second")
            keeper.sends("say Hello, Mara!")
            keeper.sees(r'^Mara says, "Good evening to you\."$')
        self.assertRegex(self.doctor(), r"The model 'default' did not answer .* cannot be reached")
        self.game._environment["OPENAI_API_KEY"] = "sk-none"
        self.paste(examples()[1], reload=False)
        self.assertIn("no issues", game.run("check"))
        self.remember()
        self.assertEqual(game.tracebacks(), [], game.log()[-3000:])

    def remember(self):
        """Sleep on what was told, and find it in long-term memory."""
        self.paste(OFFLINE_AND_QUICK, reload=False)
        self.keeper.connection.close()
        self.game.stop()
        self.game.start()
        self.keeper = self.game.enter()
        self.addCleanup(self.keeper.connection.close)
        self.keeper.sends("say Mara, I hid the silver key under the hearthstone.")
        self.keeper.sees("^Mara says")
        self.keeper.sends("@aimemory/sleep Mara = deep")
        self.keeper.sees("falls asleep")
        woken = r"Mara\(#\d+\) wakes: the work of sleep is done"
        done = self.keeper.stage.pump(NIGHT, until=lambda: self.game.said(woken))
        self.assertTrue(done, self.game.log("server")[-2000:])
        self.assertEqual(self.doctor(), "All is well.")
        with closing(
            sqlite3.connect(self.game.directory / "server" / "evennia_ai_memory.db3")
        ) as db:
            texts = [text for (text,) in db.execute("SELECT text FROM facts")]
        self.assertIn("hid the silver key under the hearthstone", f"{texts}")

    def paste(self, code, *, reload=True):
        """Put lines below the settings."""
        with (self.game.directory / SETTINGS).open("a", encoding="utf-8") as file:
            file.write(f"\n{code}")
        if reload:
            self.keeper.forget()
            self.keeper.sends("reload")
            self.keeper.sees("Server restarted", seconds=60)

    def doctor(self):
        """Return what the doctor says in the end."""
        self.keeper.catches_up()
        self.keeper.forget()
        self.keeper.sends("@aiadmin/doctor")
        self.keeper.sees("^All is well|^wrong|^minor|did not answer", seconds=60)
        self.keeper.catches_up()
        return "\n".join(line for line in self.keeper.seen if not line.startswith("Measuring"))
