"""What 500 minds cost while nobody talks to them: `python -m tests.benchmarks.idle`.

The baseline is the same Server with the same 500 bodies, before they have minds.
"""

import sys

from evennia_ai.testing.model_server import ModelServer
from tests.benchmarks.link import MeasuredGame, progress, run
from tests.benchmarks.stall import SETTLE_SECONDS, minds

ASSISTANTS = 500
PER_ROOM = 5
SECONDS = 60
# Nothing happens in the baseline, and it does not get more precise.
BASELINE_SECONDS = 30


def measure():
    """Return all figures."""
    model = ModelServer()
    with model, MeasuredGame(EVENNIA_AI=minds(model.base_url)) as game:
        progress(f"idle: building {ASSISTANTS} bodies")
        game.call("inside_world.build_crowd", count=ASSISTANTS, per_room=PER_ROOM)
        baseline = _share(game, BASELINE_SECONDS, "without minds")
        game.call("inside_world.attach_minds")
        share = _share(game, SECONDS, "with minds")
        asked = len(model.requests)
    return {
        "benchmark": "idle",
        "assistants": ASSISTANTS,
        "model_calls": asked,
        "cpu_share": share,
        "baseline_cpu_share": baseline,
        "seconds": SECONDS,
        "settings": {"npcs_per_room": PER_ROOM, "TICK_RATE": "default"},
    }


def _share(game, seconds, how):
    # A fresh process: what building left behind for the garbage collector is not measured.
    game.fresh_server()
    game.call("inside_stall.idle", seconds=SETTLE_SECONDS)
    progress(f"idle: {seconds} s {how}")
    share = game.call("inside_idle.cpu_share", seconds=seconds)
    progress(f"idle: {share:.2%} of a core {how}")
    return share


if __name__ == "__main__":
    sys.exit(run(measure))
