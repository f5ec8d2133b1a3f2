"""What lines that are made to take long cost: `python -m tests.benchmarks.hostile`.

`reader` is the slowest expression or function of text on 20,000 characters of any shape, in CPU time.
The others are played in a running game in which five NPCs listen: for how long the reactor is held
at most while a player types `say`, `tell` or `remember/forget` with such a line. `stock_ms` is the
same `say` in a room where nobody has a mind: what it costs any game. That is played first, so that what
Evennia itself loads at the first command of a Server is not taken for ours: `first_stock_ms`, beside the
first line that minds hear, `first_line_ms`.
"""

import os
import sys

from tests.benchmarks.link import MeasuredGame, progress, run
from tests.scenarios.game import GameError

SETTLE_SECONDS = 3
LIMIT_MS = 50


def measure():
    """Return all figures."""
    with MeasuredGame() as game:
        game.call("inside_hostile.build")
        game.fresh_server()
        game.call("inside_world.seat_players")
        game.call("inside_stall.idle", seconds=SETTLE_SECONDS)
        found = {}
        for command in ("stock", "say", "tell", "forget"):
            progress(f"hostile: {command}")
            found[command] = game.call("inside_hostile.play", command=command)
            progress(f"hostile: {command}: {found[command]['held']}")
    if not found["say"]["remembered"] or found["forget"]["remembered"]:
        raise GameError("nobody heard it, or nobody forgot it")
    progress("hostile: the slowest reader")
    seconds, where = slowest_reader()
    slices = {f"{name}_ms": one["worst_ms"] for name, one in found.items()}
    return {
        "benchmark": "hostile",
        "reader_ms": round(seconds * 1000, 2),
        "reader": where,
        **slices,
        "shapes": {name: one["shape"] for name, one in found.items()},
        "first_line_ms": found["say"]["first_ms"],
        "first_stock_ms": found["stock"]["first_ms"],
        "limit_ms": LIMIT_MS,
        "npcs": 5,
    }


def slowest_reader():
    """Return the CPU seconds of the slowest expression or function of text, and where it is."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "server.conf.test_settings"
    import django
    import evennia

    django.setup()
    evennia._init()
    from tests import hostile_text, text_readers

    readers = list(text_readers.functions())
    for where, _, readings in text_readers.expressions():
        readers += [(where, read) for read in readings]

    def seconds(read, line):
        took = hostile_text.seconds(read, line)
        # What is made at the first use is no matter of the line.
        return min(took, hostile_text.seconds(read, f" {line}")) if took * 1000 > LIMIT_MS else took

    lines = hostile_text.lines().values()
    return max((seconds(read, line), where) for where, read in readers for line in lines)


if __name__ == "__main__":
    sys.exit(run(measure))
