"""Made the game of the first version: `python -m tests.data.first_version.make`, with version 0.x at commit a824bd1.

It is kept so that a reader sees what is in it; later versions store things otherwise, and need not be
able to run it. A real game is played by telnet for a while; then, with the server down, those who live
in it (`residents`, `nights`) are given their pasts by the same functions that the game itself calls.
"""

import gzip
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

from tests.scenarios.game import ROOT, SUPERUSER, Game
from tests.scenarios.stage import Stage

FOLDER = Path(__file__).parent
DATABASES = ("evennia.db3", "evennia_ai_memory.db3", "evennia_ai_experience.db3")
# Whose minds are exported, and to which file.
EXPORTED = {"Odila": "odila.json", "Celeste": "celeste.json"}
SETTINGS = {
    "LEDGER_PROMPTS": True,
    "BUDGET": {"server": {"tokens": 2_000_000}, "assistant": {}, "player": {}},
}


def play(game):
    """Let two players come in, talk with the innkeeper and the guard, and leave."""
    stage = Stage(game.port)
    stage.enter(*SUPERUSER, staff=True)
    ann = stage.enter("Ann", "river-road-7")
    bob = stage.enter("Bob", "river-road-7")
    for player, line in (
        (ann, "say Good evening, Mara!"),
        (ann, "say Mara, who brews the ale here?"),
        (bob, "say Bertil, who is the captain of the watch?"),
        (ann, "say The bridge at Ferny Ford was washed away by the rain, Mara."),
        (ann, "whisper Mara = I hid the silver key under the hearthstone."),
        (bob, "say Mara, what do you know of the bridge?"),
        (bob, "get mug"),
        (bob, "give mug to Mara"),
        (bob, "say Thank you, Mara, you are very kind."),
        (bob, "rate Mara = 8"),
        (ann, "pose smiles at Mara."),
        (ann, "say Bertil, you are a lazy oaf."),
    ):
        stage.begin_step()
        player.does(line)
        stage.pump(3.0)
    stage.pump(4.0)
    stage.leave()


def inside(game, task, *arguments):
    """Run one of our tasks in the game's directory, as its server would; return what it printed."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.data.first_version.inside", task, *arguments],
        cwd=game.directory,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout


def collect(game):
    """Pack the game's databases, as they are, and the files of its minds."""
    for name in DATABASES:
        path = game.directory / "server" / name
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            if name == DATABASES[0]:
                # Web sessions of the portal, and what is noted of processes that are gone.
                connection.execute("DELETE FROM django_session")
            connection.execute("PRAGMA journal_mode=DELETE")
            connection.execute("VACUUM")
        with gzip.GzipFile(FOLDER / f"{path.stem}.sqlite.gz", "wb", mtime=0) as packed:
            packed.write(path.read_bytes())
    shutil.rmtree(FOLDER / "minds", ignore_errors=True)
    shutil.copytree(game.directory / "server" / "minds", FOLDER / "minds")


def main():
    """Make it all anew."""
    game = Game(EVENNIA_AI=SETTINGS)
    with game:
        play(game)
        game.stop()
        moment = f"{time.time():.3f}"
        inside(game, "build", moment)
        # Some of it took its time.
        moment = f"{float(moment) + 3600:.3f}"
        inside(game, "export", moment, json.dumps(EXPORTED))
        collect(game)
        # Reading may change what is there (a flat journal becomes pages): it comes last.
        inside(game, "read", moment, str(FOLDER / "inventory.json"))


if __name__ == "__main__":
    main()
