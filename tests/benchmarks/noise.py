"""What it costs an NPC to hear what is not meant for it: `python -m tests.benchmarks.noise`.

1,000 lines a second that are no speech (weather, combat), beside a character without a mind; and
1,000 lines in one go that somebody says to somebody else, which it keeps as context.
"""

import sys

from tests.benchmarks.link import MeasuredGame, progress, run
from tests.scenarios.game import GameError

LINES, SECONDS = 1000, 10
SETTLE_SECONDS = 3


def measure():
    """Return all figures."""
    with MeasuredGame() as game:
        game.call("inside_world.build_audience")
        game.fresh_server()
        game.call("inside_world.seat_players")
        game.call("inside_stall.idle", seconds=SETTLE_SECONDS)
        progress(f"noise: {LINES} untyped lines a second for {SECONDS} s")
        flood = game.call(
            "inside_noise.flood", mind="Listener", stock="Stone", lines=LINES, seconds=SECONDS
        )
        progress(f"noise: {LINES} lines of talk at once")
        heard = game.call("inside_noise.burst", speaker="Ann", npc="Listener", lines=LINES)
        unheard = game.call("inside_noise.burst", speaker="Carl", npc="Stone", lines=LINES)
    if flood["kept"] or not heard["remembered"] or unheard["remembered"]:
        raise GameError("what was to be heard was not, or what was not to be heard was")
    added = flood["Listener"] - flood["Stone"]
    return {
        "benchmark": "noise",
        "cpu_share_added": round(added / SECONDS, 5),
        "microseconds_per_line": round(added / flood["sent"] * 1e6, 2),
        "stock_microseconds_per_line": round(flood["Stone"] / flood["sent"] * 1e6, 2),
        "lines_per_s": LINES,
        "seconds": SECONDS,
        "talk": {
            "lines": LINES,
            "lines_remembered": heard["remembered"],
            "ms_per_line": round((heard["cpu"] - unheard["cpu"]) / LINES * 1000, 3),
            "ms_per_line_at_once": round((heard["at_once"] - unheard["at_once"]) / LINES * 1000, 3),
            "worst_gap_ms": max(heard["late_ms"]),
        },
    }


if __name__ == "__main__":
    sys.exit(run(measure))
