"""Whether a migration outlives crashes: `python -m tests.benchmarks.crash_migration`, one JSON line.

A game of the first version is migrated by `ai_migrate` in a process that kills itself (SIGKILL) right before or
after a random one of its SQL statements that write; then it is run to its end and what there is is
held against the inventory, then once more, which must change nothing. A game is killed several times
at most. The processes are forked off one that has loaded everything and opened nothing; some start
from nothing.
"""

import argparse
import io
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.benchmarks import crash, crash_night
from tests.benchmarks.link import progress, run
from tests.migrating import first_version_game
from tests.processes import ROOT

KILLS, FRESH_KILLS = 50, 2
# Kills of one game, at most: of the later ones there is less left to do.
KILLS_PER_GAME = 3
MOMENTS = ("before", "after")
COMMAND = "ai_migrate"
# The file in which a process notes that it is about to die, and at which statement.
NOTE = "killed"
# A kill before a statement that only reads is one after that before it.
READS = ("SELECT", "PRAGMA")
# The words of a statement that tell it from others.
_HEAD = re.compile(r'(?:INSERT(?: OR \w+)? INTO|DELETE FROM|UPDATE) "?\w+"?|\w+')


def connect(folder):
    """Let this process, which has opened nothing yet, work on the game in `folder`."""
    from django.conf import settings
    from django.db import connections

    from tests.migrating.inventories import stop_clock

    settings.GAME_DIR = str(folder)
    path = folder / "server" / first_version_game.DATABASE
    connections["default"].settings_dict["NAME"] = str(path)
    with connections["default"].cursor() as cursor:
        for pragma in settings.SQLITE3_PRAGMAS:
            cursor.execute(pragma)
    stop_clock(first_version_game.inventory()["moment"])


def migrate(folder, number=0, moment="before"):
    """Migrate, and die at the statement of that number; return how many that write it took."""
    from django.core.management import call_command
    from django.db import connection

    connect(folder)
    count = 0

    def counted(execute, sql, params, many, context):
        nonlocal count
        if sql.lstrip().startswith(READS):
            return execute(sql, params, many, context)
        count += 1
        if count == number and moment == "before":
            _die(folder, sql)
        result = execute(sql, params, many, context)
        if count == number:
            _die(folder, sql)
        return result

    with connection.execute_wrapper(counted):
        call_command(COMMAND, stdout=io.StringIO())
    return count


def _die(folder, sql):
    (folder / NOTE).write_text(_HEAD.match(sql.strip())[0].replace('"', ""))
    os.kill(os.getpid(), signal.SIGKILL)


def look(folder):
    """Return what all of it says, as a server finds it that has just started."""
    from tests.migrating.inventories import read_inventory

    connect(folder)
    return read_inventory()


class KilledGame:
    """A copy of the template, which is killed and migrated."""

    def __init__(self, template, folder):
        self.folder = folder
        shutil.copytree(template, folder)
        self.kills = Counter()

    def kill_at(self, number, moment, start=None):
        """Let it be killed at a statement; return False if it was done before it came to it."""
        note = self.folder / NOTE
        note.unlink(missing_ok=True)
        try:
            (start or _forked)(self.folder, number, moment)
        except RuntimeError:
            if not note.exists():
                raise
        if not note.exists():
            return False
        self.kills[note.read_text()] += 1
        return True

    def finish(self):
        """Migrate to the end; return what is wrong then, in sentences."""
        crash.call(migrate, self.folder)
        done = first_version_game.tables(self.folder)
        crash.call(migrate, self.folder)
        again = first_version_game.tables(self.folder)
        changed = [
            f"{name} changed at the second run" for name in done if done[name] != again[name]
        ]
        left = [f"{one} was left" for one in first_version_game.left_behind(self.folder)]
        own = first_version_game.games_own(self.folder)
        # Reading changes things, too: it comes last.
        found = json.loads(crash.call(look, self.folder))
        wrong = first_version_game.differences(
            first_version_game.as_of_today(first_version_game.inventory()), found
        )
        return [*changed, *left, *wrong], own


def _forked(folder, number, moment):
    crash.call(migrate, folder, number, moment)


def _fresh(folder, number, moment):
    """Do the same in a process that starts from nothing."""
    module = "tests.benchmarks.crash_migration"
    arguments = [str(folder), str(number), moment]
    done = subprocess.run([sys.executable, "-m", module, "--inside", *arguments], cwd=ROOT)
    if done.returncode:
        raise RuntimeError(f"a migration ended with {done.returncode}")


def measure(kills=KILLS, fresh_kills=FRESH_KILLS, seed=None):
    """Return the figures."""
    with tempfile.TemporaryDirectory() as name, first_version_game.FirstVersionGame() as original:
        folder, chance, begun = Path(name), random.Random(seed), time.monotonic()
        template = folder / "template"
        original.copy_to(template)
        own = first_version_game.games_own(template)
        crash_night.prepare(folder)
        whole = KilledGame(template, folder / "whole")
        statements = int(crash.call(migrate, _copied(template, folder / "counted")))
        found = [_checked(whole, own)]
        progress(f"crash_migration: {statements} statements, {len(found[0])} faults without a kill")
        killed = []
        while (done := sum(sum(one.kills.values()) for one in killed)) < kills:
            game = KilledGame(template, folder / f"game{len(killed)}")
            first = _place(done, kills, statements, chance)
            start = _fresh if done < fresh_kills else None
            _kill_often(game, first, statements, min(KILLS_PER_GAME, kills - done), chance, start)
            killed.append(game)
            found.append(_checked(game, own))
            progress(f"crash_migration: {dict(game.kills)}, {len(found[-1])} faults")
            shutil.rmtree(game.folder)
        return _result(killed, found, statements, time.monotonic() - begun)


def _place(done, kills, statements, chance):
    """Return a statement, so that the kills are spread over all of the migration."""
    share = (done + chance.random()) / kills
    return 1 + min(statements - 1, int(share * statements))


def _kill_often(game, first, statements, kills, chance, start):
    number = first
    for _ in range(kills):
        if not game.kill_at(number, chance.choice(MOMENTS), start):
            return
        # Counted from where the next process begins, which has to look what is done already.
        number = chance.randint(1, max(1, statements - first))


def _checked(game, own):
    wrong, own_after = game.finish()
    return wrong if own == own_after else [*wrong, "what is the game's own has changed"]


def _copied(template, folder):
    shutil.copytree(template, folder)
    return folder


def _result(killed, found, statements, seconds):
    kills = sum((one.kills for one in killed), Counter())
    for wrong in found:
        for sentence in wrong[:10]:
            progress(f"crash_migration: {sentence}")
    return {
        "benchmark": "crash_migration",
        "kills": sum(kills.values()),
        "faults": sum(map(len, found)),
        "statements": statements,
        "killed": len(killed),
        "kills_by_statement": dict(kills.most_common()),
        "seconds": round(seconds),
    }


def _inside(folder, number, moment):
    folder = Path(folder)
    crash_night.prepare(folder.parent)
    migrate(folder, int(number), moment)


def main(arguments):
    """Measure as it is said on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kills", type=int, default=KILLS)
    parser.add_argument("--fresh-kills", type=int, default=FRESH_KILLS)
    parser.add_argument("--seed", type=int, help="to kill at the same statements again")
    return run(lambda: measure(**vars(parser.parse_args(arguments))))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--inside"]:
        _inside(*sys.argv[2:])
    else:
        sys.exit(main(sys.argv[1:]))
