"""The built package in new games: what README.md and docs/install.md say is all that it takes."""

import re
import time
import unittest
import zipfile

from django.test import tag

from evennia_ai import __version__, conf
from evennia_ai.core.languages import EXCUSES
from tests.scenarios.browser import Browser
from tests.scenarios.built_game import BuiltGame, Installed, apply, blocks, typed
from tests.scenarios.game import ROOT, GameError

README, INSTALL = ROOT / "README.md", ROOT / "docs" / "install.md"
CREATE = "@assistant/create"
OPTIONAL = ("openai", "httpx2", "json_repair")
MODEL = {
    "default": {
        "BACKEND": "evennia_ai.llm.openai.OpenAIBackend",
        # Nobody listens there; it is never asked.
        "OPTIONS": {"model": "m", "base_url": "http://127.0.0.1:9/v1"},
    }
}

# A game in which people know each other by short descriptions, as the contrib itself says.
ROLEPLAYING = {
    "typeclasses/characters.py": """
from evennia.contrib.rpg.rpsystem import ContribRPCharacter

class Character(ContribRPCharacter):
    pass
""",
    "typeclasses/rooms.py": """
from evennia.contrib.rpg.rpsystem import ContribRPRoom

class Room(ContribRPRoom):
    pass
""",
    "typeclasses/objects.py": """
from evennia.contrib.rpg.rpsystem import ContribRPObject

class Object(ContribRPObject):
    pass
""",
    "commands/default_cmdsets.py": """
from evennia.contrib.rpg.rpsystem import RPSystemCmdSet

class CharacterCmdSet(CharacterCmdSet):
    def at_cmdset_creation(self):
        super().at_cmdset_creation()
        self.add(RPSystemCmdSet)
""",
}


# Something of the game's own that is ticked.
OWN_TICKER = """
from evennia import TICKER_HANDLER, logger

def beat():
    logger.log_info("the mill turns")

def begin():
    TICKER_HANDLER.add(1, beat)
"""
# What Evennia logs of what is wrong, and the last line of its tracebacks.
WRONG = re.compile(r"^.*\[(?:EE|WW)\] (.*)$|^.*\[!!\] (\w+(?:Error|Exception)\b.*)$", re.M)
GONE = re.compile(r"Could not load typeclass 'evennia_ai\.[\w.]+'\.|ImportError: ")
SECONDS = 60


@tag("scenario")
class WheelTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.installed = Installed()
        cls.addClassCleanup(cls.installed.remove)

    def started(self, game):
        """Start a prepared game for the first time; return its superuser, logged in."""
        game.start(times=2)
        keeper = game.enter()
        self.addCleanup(keeper.connection.close)
        return keeper

    def prepared(self, *, hidden=None, **settings):
        """Return a new game with its database, to be stopped and deleted at the end."""
        game = BuiltGame(self.installed, hidden=hidden, **settings)
        self.addCleanup(game.close)
        game.prepare()
        return game

    def check_answered(self, keeper, words):
        keeper.sends(f"say {words}")
        return keeper.sees(r'^Mara says, "(.+)"$')[1]

    def check_quiet(self, game):
        self.assertEqual(game.tracebacks(), [], game.log())

    def test_the_wheel_holds_the_package_and_nothing_else(self):
        with zipfile.ZipFile(self.installed.wheel) as wheel:
            names = wheel.namelist()
        tops = {name.partition("/")[0] for name in names}
        self.assertEqual(tops, {"evennia_ai", f"evennia_ai-{__version__}.dist-info"})
        modules = {path.relative_to(ROOT).as_posix() for path in ROOT.glob("evennia_ai/**/*.py")}
        self.assertEqual({name for name in names if name.endswith(".py")}, modules)
        self.assertIn("evennia_ai/testing/injections.yaml", names)
        for folder in ("templates", "static"):
            files = {path for path in ROOT.glob(f"evennia_ai/{folder}/**/*") if path.is_file()}
            self.assertLessEqual({path.relative_to(ROOT).as_posix() for path in files}, {*names})

    def test_both_documents_name_the_same_lines(self):
        self.assertEqual(blocks(README), blocks(INSTALL, section="Install"))

    def test_a_new_game_plays_by_the_lines_of_the_readme(self):
        game = self.prepared()
        self.assertIn("no issues", game.run("check"))
        keeper = self.started(game)
        keeper.sends('py __import__("evennia_ai").__file__')
        self.assertEqual(
            keeper.sees(r"(/.*evennia_ai/__init__\.py)")[1],
            str(self.installed.packages / "evennia_ai" / "__init__.py"),
        )
        keeper.sends(typed(README, CREATE))
        keeper.sees("You create Mara")
        self.assertIn("Keeper", self.check_answered(keeper, "Hello, Mara!"))
        self.check_pages(game)
        self.check_quiet(game)

    def check_pages(self, game):
        """The pages are there, with their style, and their files get into no other's way."""
        browser = Browser(game)
        page = browser.opens("/ai/")
        self.assertIn("Mara", page)
        number = re.search(r'href="/ai/npc/(\d+)/', page)[1]
        for name in ("turns", "memories", "people", "persona", "search"):
            self.assertIn("Mara", browser.opens(f"/ai/npc/{number}/{name}/"))
        self.assertIn("Mara", browser.opens("/ai/me/"))
        self.assertIn("What models cost", browser.opens("/ai/cost/"))
        self.assertIn('"name": "Mara"', browser.opens("/ai/api/"))
        for name, words in (("pages.css", "--ground"), ("pages.js", "fetch")):
            self.assertIn(words, browser.opens(f"/static/evennia_ai/{name}"))
        collected = game.run("collectstatic", "--no-input", "--clear", "--verbosity", "1")
        self.assertNotIn("another file", collected)
        kept = {path.name for path in (game.directory / "server/.static/evennia_ai").iterdir()}
        self.assertEqual(
            kept, {path.name for path in (ROOT / "evennia_ai/static/evennia_ai").iterdir()}
        )

    def test_a_roleplaying_game_in_swedish_plays_too(self):
        game = self.prepared(LANGUAGE_CODE="sv")
        for path, code in ROLEPLAYING.items():
            with (game.directory / path).open("a", encoding="utf-8") as file:
                file.write(code)
        apply(INSTALL, game.directory, section="A roleplaying game with short descriptions")
        keeper = self.started(game)
        keeper.sends(typed(INSTALL, CREATE))
        keeper.sees("Mara")
        answer = self.check_answered(keeper, "Hej, Mara!")
        keeper.sends("help npcs")
        keeper.sees("viskningar")
        # She knows what she sees, and no name; nobody is called by how they look to their face.
        self.assertIn("vän", answer)
        self.assertNotIn("Keeper", answer)
        self.check_quiet(game)

    def test_without_the_packages_for_models_it_plays_and_says_what_a_model_needs(self):
        game = self.prepared(hidden=self.installed.hide(*OPTIONAL))
        keeper = self.started(game)
        keeper.sends(f'py list(filter(__import__("importlib").util.find_spec, {OPTIONAL}))')
        keeper.sees(r"^\[\]$")
        keeper.sends(typed(README, CREATE))
        self.check_answered(keeper, "Hello, Mara!")
        game.configure(EVENNIA_AI={"LLM": MODEL})
        with self.assertRaisesRegex(GameError, r"pip install openai httpx2 json-repair"):
            game.run("check")
        keeper.sends("reload")
        keeper.sees("restarted")
        answer = self.check_answered(keeper, "Mara, how are you?")
        self.assertIn(answer, EXCUSES["fallback_lines"])
        self.assertIn(
            "no answer: LLMRefused: the client of m is not installed: No module named",
            game.log("server"),
        )
        self.check_quiet(game)

    def test_uninstalled_with_a_mind_forgotten_the_game_goes_on_and_nothing_need_be_left(self):
        game = self.prepared()
        (game.directory / "world" / "mill.py").write_text(OWN_TICKER, encoding="utf-8")
        keeper = self.started(game)
        keeper.sends(typed(README, CREATE))
        keeper.sees("You create Mara")
        keeper.sends("py from world import mill; mill.begin()")
        self.wait_for(game, "the mill turns")
        game.stop()
        game.uninstall()
        wrong = self.started_without(game)
        self.assertEqual([line for line in wrong if not GONE.fullmatch(line)], [])
        self.assertIn("Could not load typeclass 'evennia_ai.typeclasses.pulses.Pulse'.", wrong)
        game.reinstall()
        self.assertIn("All of that is gone.", game.run("ai_remove", "--confirm"))
        game.uninstall()
        self.assertEqual(self.started_without(game), [])

    def started_without(self, game):
        """Start a game without the package until its own ticker ticks; return what is wrong in the log."""
        before = len(game.log("server"))
        game.run("start")
        self.wait_for(game, "the mill turns", after=before)
        # Ours would tick by now, too.
        time.sleep(conf.DEFAULTS["TICK_RATE"] + 1)
        said = game.log("server")[before:]
        game.stop()
        return [one or other for one, other in WRONG.findall(said)]

    def wait_for(self, game, words, *, after=0):
        until = time.monotonic() + SECONDS
        while words not in game.log("server")[after:]:
            self.assertLess(time.monotonic(), until, game.log()[-3000:])
            time.sleep(0.1)
