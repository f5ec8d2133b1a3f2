"""What 500 minds cost while nobody talks to them: `python -m tests.benchmarks.idle [--routine]`, one JSON line.

The baseline is the same Server with the same 500 bodies, before they have minds. With `--routine` each has a day, too: four
parts at any minutes of the game's clock, in the rooms of its village; `day_cpu_share` is what that costs beside its mind, and
`gap_ms` by how much a call of the reactor came too late at most (`baseline_gap_ms`: on this machine, without minds). Of that `held_ms` is
what the reactor's own thread worked in one go at most, whatever else the machine does.
"""

import argparse
import sys
from functools import partial

from tests.benchmarks.link import MeasuredGame, progress, run
from tests.benchmarks.stall import SETTLE_SECONDS
from tests.benchmarks.stall import minds as settings_of_minds
from tests.model_server import ModelServer

ASSISTANTS = 500
PER_ROOM = 5
SECONDS = 60
# Nothing happens in the baseline, and it does not get more precise.
BASELINE_SECONDS = 30
# Within which what is read once was read, and everybody is where its day wants it first.
WALK_SECONDS = 40
GAP_SECONDS = 40
SEED = 2026
# A model that is new to a game is asked once what it can do, whoever is there.
PROBED = "Use a tool to do what is asked."


def measure(*, routine=False, minds=ASSISTANTS, seconds=SECONDS):
    """Return all figures; `seconds` are those of each measurement at most."""
    model = ModelServer()
    with model, MeasuredGame(EVENNIA_AI=settings_of_minds(model.base_url)) as game:
        progress(f"idle: building {minds} bodies")
        game.call("inside_world.build_crowd", count=minds, per_room=PER_ROOM)
        baseline = _share(game, min(seconds, BASELINE_SECONDS), "without minds")
        machine = _late(game, seconds) if routine else {}
        game.call("inside_world.attach_minds")
        share = _share(game, seconds, "with minds", settle=min(seconds, WALK_SECONDS))
        days = _days(game, share, seconds) if routine else {}
        asked = sum(PROBED not in str(request.body) for request in model.requests)
    return {
        "benchmark": "idle",
        "assistants": minds,
        "model_calls": asked,
        "cpu_share": share,
        "baseline_cpu_share": baseline,
        **days,
        **{f"baseline_{name}": late for name, late in machine.items()},
        "seconds": seconds,
        "settings": {"npcs_per_room": PER_ROOM, "TICK_RATE": "default"},
    }


def _days(game, without, seconds):
    """Return what it costs that each has a day."""
    game.call("inside_idle.give_days", seed=SEED)
    share = _share(game, seconds, "with minds and days", settle=min(seconds, WALK_SECONDS))
    before = game.call("inside_idle.where")
    late = _late(game, seconds)
    after = game.call("inside_idle.where")
    return {
        "routine_cpu_share": share,
        "day_cpu_share": round(share - without, 5),
        **late,
        "walked": sum(after[npc] != room for npc, room in before.items()),
        "kept": game.call("inside_idle.kept"),
    }


def _late(game, seconds):
    """Return by how much calls of the reactor come too late."""
    return game.call("inside_idle.late", seconds=min(seconds, GAP_SECONDS))


def _share(game, seconds, how, *, settle=SETTLE_SECONDS):
    # A fresh process: what building left behind for the garbage collector is not measured.
    game.fresh_server()
    game.call("inside_stall.idle", seconds=settle)
    progress(f"idle: {seconds} s {how}")
    share = game.call("inside_idle.cpu_share", seconds=seconds)
    progress(f"idle: {share:.2%} of a core {how}")
    return share


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--routine", action="store_true", help="each has a day, too")
    parser.add_argument("--minds", type=int, default=ASSISTANTS)
    parser.add_argument("--seconds", type=int, default=SECONDS, help="of each measurement at most")
    sys.exit(run(partial(measure, **vars(parser.parse_args()))))
