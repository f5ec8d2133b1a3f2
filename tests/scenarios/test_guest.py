"""A guest in the host process: a stock game with the package is the same server as without it."""

import json
import shutil
import tempfile
import time
import unittest
from pathlib import Path

from django.test import tag

from tests.scenarios.built_game import LOOPBACK, apply, run_quietly, typed
from tests.scenarios.game import LEAVE_OUT, ROOT, SUPERUSER, Game
from tests.scenarios.stage import Player, Stage
from tests.scenarios.telnet import Connection

README = ROOT / "README.md"
PROBE = Path(__file__).with_name("guest_probe.py")
SECONDS = 60
FOUND = "found.json"
STARTED = "the game has started"
START_HOOK = f"""

def at_server_start():
    from evennia.utils import logger

    logger.log_info("{STARTED}")
"""
# Another value than SQLite was built with, so that the line of an owner shows, and any change of ours beside it.
OWNERS_LINE = """
DATABASES["default"]["OPTIONS"] = {"init_command": "PRAGMA secure_delete=FAST"}

from server.conf.secret_settings import *
"""
# The package explains an NPC with a mind to staff there.
EXAMINE = "@examine"


class StockGame(Game):
    """What `evennia --init` makes; `has_package` adds the lines of the README."""

    def __init__(self, *, has_package):
        super().__init__(**LOOPBACK)
        self.has_package = has_package

    def prepare(self):
        """Make the game and its database."""
        with tempfile.TemporaryDirectory() as folder:
            run_quietly(["evennia", "--init", "game"], cwd=folder)
            shutil.copytree(Path(folder) / "game", self.directory, dirs_exist_ok=True)
        if self.has_package:
            shutil.copytree(ROOT / "evennia_ai", self.directory / "evennia_ai", ignore=LEAVE_OUT)
            apply(README, self.directory)
            self.leave_guards_out()
        conf = self.directory / "server" / "conf"
        for name, code in (("at_server_startstop.py", START_HOOK), ("settings.py", OWNERS_LINE)):
            with (conf / name).open("a", encoding="utf-8") as file:
                file.write(code)
        shutil.copy(PROBE, self.directory / "world" / "probe.py")
        self._environment["PYTHONPATH"] = str(self.directory)
        self.configure()
        self.run("migrate")

    def leave_guards_out(self):
        """Take out the two lines by which an owner chooses to replace commands and functions of Evennia."""
        for name, guard in (
            ("server/conf/settings.py", "evennia_ai.prototype_guard"),
            ("commands/default_cmdsets.py", "self.add(AssistantGuardCmdSet)"),
        ):
            path = self.directory / name
            lines = path.read_text("utf-8").splitlines(keepends=True)
            kept = [line for line in lines if guard not in line]
            if len(kept) != len(lines) - 1:
                raise AssertionError(f"{name} has no line with {guard}.")
            path.write_text("".join(kept), "utf-8")

    def starts(self):
        """Return how often the Server has started so far."""
        return self.log("server").count(STARTED)

    def enter(self):
        """Let the superuser come in by telnet; return them."""
        stage = Stage(self.port, write=lambda line: None)
        keeper = Player(SUPERUSER[0], Connection(self.port), stage)
        stage.players.append(keeper)
        keeper.sees(r"connect <")
        keeper.sends(f"connect {SUPERUSER[0]} {SUPERUSER[1]}")
        keeper.sees(r"^Limbo")
        keeper.catches_up()
        return keeper

    def found(self, keeper):
        """Return what the probe finds in the running server."""
        path = self.directory / FOUND
        write = "write_beside_memory" if self.has_package else "write"
        keeper.sends(f"py from world import probe; probe.{write}({str(path)!r})")
        until = time.monotonic() + SECONDS
        while not path.exists():
            if time.monotonic() > until:
                raise AssertionError(self.log()[-3000:])
            time.sleep(0.1)
        # Each game has a directory of its own.
        return json.loads(path.read_text(encoding="utf-8").replace(str(self.directory), "GAME"))


@tag("scenario")
class GuestTests(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        with StockGame(has_package=False) as game:
            cls.stock = game.found(game.enter())
        with StockGame(has_package=True) as game:
            keeper = game.enter()
            keeper.sends(typed(README, "@assistant/create"))
            keeper.sees("You create Mara")
            keeper.sends("say Hello, Mara!")
            keeper.sees(r"^Mara says")
            cls.ours = game.found(keeper)

    def check_same(self, *names):
        for name in names:
            with self.subTest(name):
                self.assertEqual(self.ours[name], self.stock[name])

    def test_the_collector_and_the_interpreter_are_as_python_starts_them(self):
        self.check_same("collector", "interpreter")
        self.assertEqual(self.ours["collector"][:2], [True, [700, 10, 10]])
        self.assertEqual(self.ours["interpreter"][0], 0.005)

    def test_the_environment_is_the_same(self):
        self.check_same("environment")
        self.assertTrue(self.ours["mem0 is loaded"])

    def test_the_connections_to_sqlite_are_as_evennia_and_the_owner_set_them(self):
        self.check_same("sqlite")
        modes = [connection["secure_delete"] for connection in self.ours["sqlite"].values()]
        self.assertEqual(modes, [2, 2])

    def test_every_command_of_the_game_is_the_games_own(self):
        for name, stock in self.stock["commands"].items():
            with self.subTest(name):
                ours = self.ours["commands"][name]
                kept = {key: path for key, path in stock.items() if key != EXAMINE}
                self.assertEqual({key: ours.get(key) for key in kept}, kept)
                added = {path for key, path in ours.items() if key not in stock}
                others = {path for path in added if not path.startswith("evennia_ai.")}
                # The account's `page` stands beside our `tell`, which is its alias, so that it is not lost.
                self.assertLessEqual(others, {"evennia.commands.default.comms.CmdPage"})

    def test_functions_in_prototypes_are_the_games_own(self):
        self.check_same("prototype functions")

    def test_we_receive_two_signals_and_nothing_of_ours_stands_in_their_modules(self):
        added = set(self.ours["receivers"]) - set(self.stock["receivers"])
        # Django sends `setting_changed` in tests only.
        self.assertEqual(
            added,
            {
                "pre_delete: evennia_ai.apps._delete_what_is_ours",
                "setting_changed: evennia_ai.conf._forget",
            },
        )
        self.assertEqual(set(self.stock["receivers"]) - set(self.ours["receivers"]), set())
        self.check_same("ours in their modules")
