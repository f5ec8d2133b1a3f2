"""Games that know us only as builders do: by the wheel that pip installs, and by what is written."""

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.scenarios.game import DATABASE, LEAVE_OUT, ROOT, SUPERUSER, Game, GameError
from tests.scenarios.stage import Player, Stage
from tests.scenarios.telnet import Connection

# What the wheel is made of.
SOURCES = ("evennia_ai", "setup.cfg", "pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE")
# From this version on setuptools makes wheels by itself.
SETUPTOOLS = (70, 1)
BUILD_SECONDS = 600


LOOPBACK = {
    "TELNET_INTERFACES": ["127.0.0.1"],
    "WEBSERVER_INTERFACES": ["127.0.0.1"],
    "WEBSOCKET_CLIENT_INTERFACE": "127.0.0.1",
}

# Python runs a module of this name at its start. What is hidden is not found, as if pip had never
# installed it: `find_spec` gives None, an import fails.
HIDING = """
import sys

HIDDEN = {hidden!r}


class Hiding:
    def __init__(self, finder):
        self.finder = finder

    def __getattr__(self, name):
        return getattr(self.finder, name)

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in HIDDEN:
            return None
        return self.finder.find_spec(name, path, target)


sys.meta_path[:] = [Hiding(finder) for finder in sys.meta_path]
"""


class Installed:
    """What pip makes of us: a directory with the wheel, one with what it installs, a new game."""

    def __init__(self):
        self.directory = Path(tempfile.mkdtemp(prefix="evennia-ai-wheel-"))
        self.packages = self.directory / "packages"
        self.game = self.directory / "game"
        try:
            self.wheel = self._build()
            self._install()
            self._make_game()
        except BaseException:
            self.remove()
            raise

    def remove(self):
        """Delete everything."""
        shutil.rmtree(self.directory, ignore_errors=True)

    def hide(self, *names):
        """Return a directory for PYTHONPATH with which Python finds no such packages."""
        path = self.directory / f"without-{'-'.join(names)}"
        path.mkdir(exist_ok=True)
        (path / "sitecustomize.py").write_text(HIDING.format(hidden=names), encoding="utf-8")
        return path

    def _install(self):
        _pip("install", "--no-deps", "--target", self.packages, self.wheel)

    def _build(self):
        # Somewhere else: a build leaves its traces where it is made.
        source = self.directory / "source"
        source.mkdir()
        for name in SOURCES:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, source / name, ignore=LEAVE_OUT)
            else:
                shutil.copy(ROOT / name, source)
        isolated = () if _needs_tools() else ("--no-build-isolation",)
        _pip("wheel", "--no-deps", *isolated, "--wheel-dir", self.directory / "wheel", source)
        [wheel] = (self.directory / "wheel").iterdir()
        return wheel

    def _make_game(self):
        launched = [shutil.which("evennia"), "--init", self.game.name]
        run_quietly(launched, cwd=self.directory)
        apply(ROOT / "README.md", self.game)
        # What a test sets comes last.
        with (self.game / "server" / "conf" / "settings.py").open("a", encoding="utf-8") as file:
            file.write("\n\nfrom server.conf.secret_settings import *\n")


class BuiltGame(Game):
    """A new game in which the installed package is used, and nothing of the source is in reach."""

    def __init__(self, installed, *, hidden=None, **settings):
        super().__init__(**LOOPBACK, **settings)
        self._installed, self._hidden = installed, hidden
        self._reach(hidden, installed.packages)

    def prepare(self):
        """Copy the game as it was made by the lines of the README, and make its database.

        Where nothing is hidden the database is that of the first such game, before its first start.
        """
        shutil.copytree(self._installed.game, self.directory, dirs_exist_ok=True)
        self.configure()
        made = self._installed.directory / DATABASE.name
        if not self._hidden and made.exists():
            shutil.copy(made, self.directory / DATABASE)
            return
        # The launcher has no exit status for what goes wrong before Django begins.
        printed = self.run("migrate")
        if "Applying evennia_ai.0001_initial... OK" not in printed:
            raise GameError(f"our tables were not made:\n{printed}")
        if not self._hidden:
            shutil.copy(self.directory / DATABASE, made)

    def uninstall(self):
        """Take the package out of reach, and the lines of the README out of the game's files.

        What is hidden is the package as the launcher's own environment has it.
        """
        self._reach(self._installed.hide("evennia_ai"))
        for path, code in blocks(ROOT / "README.md"):
            self._change(path, f"\n\n{code}", "")

    def reinstall(self):
        """Put both back."""
        self._reach(self._hidden, self._installed.packages)
        apply(ROOT / "README.md", self.directory)

    def _change(self, path, old, new):
        text = (self.directory / path).read_text(encoding="utf-8")
        if old not in text:
            raise GameError(f"{path} has no lines {old!r}")
        (self.directory / path).write_text(text.replace(old, new), encoding="utf-8")

    def _reach(self, *paths):
        # Evennia's launcher takes the first of them away, to put itself there.
        found = [str(path) for path in (self.directory, *paths) if path]
        self._environment["PYTHONPATH"] = os.pathsep.join(found)

    def enter(self):
        """Let the superuser come in by telnet, whatever the language of the game; return them."""
        stage = Stage(self.port, write=lambda line: None)
        player = Player(SUPERUSER[0], Connection(self.port), stage)
        stage.players.append(player)
        player.sees(r"connect <")
        player.sends(f"connect {SUPERUSER[0]} {SUPERUSER[1]}")
        player.sees(r"^Limbo")
        player.catches_up()
        return player


def blocks(document, *, section=""):
    """Return the blocks of code in a document that are for a file of the game, as (path, code).

    A block belongs to a file if "in `path/of/file.py`:" stands right before it. Only what follows
    the heading `section` counts, up to the next one.
    """
    text = document.read_text(encoding="utf-8")
    if section:
        text = text.split(f"\n## {section}\n", 1)[1].split("\n## ", 1)[0]
    found = re.findall(r"[Ii]n `([\w/]+\.py)`:\n\n```python\n(.*?)```", text, re.S)
    if not found:
        raise GameError(f"{document} has no code for a file of the game")
    return found


def apply(document, game, *, section=""):
    """Add the blocks of code of a document to the files of a game that it names."""
    for path, code in blocks(document, section=section):
        with (game / path).open("a", encoding="utf-8") as file:
            file.write(f"\n\n{code}")


def typed(document, command):
    """Return the line of a document that tells to type a command in the game."""
    text = document.read_text(encoding="utf-8")
    return re.search(rf"^    ({re.escape(command)} .*)$", text, re.M)[1]


def _needs_tools():
    """Return whether the build tools must come from somewhere else than this environment."""
    try:
        version = importlib.metadata.version("setuptools")
    except importlib.metadata.PackageNotFoundError:
        return True
    return tuple(map(int, version.split(".")[:2])) < SETUPTOOLS


def _pip(*arguments):
    quiet = ("--quiet", "--disable-pip-version-check")
    run_quietly(
        [sys.executable, "-m", "pip", arguments[0], *quiet, *map(str, arguments[1:])], cwd=ROOT
    )


def run_quietly(command, *, cwd=ROOT):
    """Run a program to its end; GameError has what it printed if it failed."""
    done = subprocess.run(
        command,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=BUILD_SECONDS,
        text=True,
        check=False,
    )
    if done.returncode:
        raise GameError(f"{' '.join(map(str, command))} failed:\n{done.stdout}")
