"""How long the game stands still when 200 NPCs are spoken to at once: `python -m tests.benchmarks.stall`.

Each round begins with a new start in the same world, in which nobody has met. In `cold` each player
speaks to an NPC for the first time, in `warm` the same player to the same NPC once more, and in `inn` 20 of
them do so once more. Of each,
the least, the median and the greatest of `n` rounds are printed; above them stands the cold round
with the median worst gap. What a turn costs (`*_per_turn`) is CPU time of the reactor's thread and
of the whole process, and the SQL statements of that thread without BEGIN, SAVEPOINT and their like.
It includes what is put off until after the answers, and with it AFTERWARDS seconds of what the
game does anyway, which is `idle_*`.

A request is noted where it arrives, at the model's server, and an answer where the speaker hears
it. Neither loading the client nor the first call is part of the rounds.
"""

import argparse
import random
import re
import statistics
import sys
import time
from functools import partial

from tests import model_steps
from tests.benchmarks.link import MeasuredGame, progress, run
from tests.model_server import ModelServer
from tests.scenarios.game import GameError

NPCS = 200
ROUNDS = 3
LATENCY = 0.2
SETTLE_SECONDS = 3
# A whole tick, whose cost is told apart.
IDLE_SECONDS = 5
# After the last answer, in which work that was put off still counts: also that of a tick, or of the
# second after which some things are written.
AFTERWARDS = 6
# What all answers have in common; the rest differs, since nobody repeats what they said before.
REPLY = "All is well"
GOSSIP = (
    "tonight, since the flood, old Tam, at the mill, with the ferry, up north, after the rain, "
    "in the cellar, for the smith, they say, no wolves, three coppers, a bed, some bread"
).split(", ")
WORDS = "Good evening, {npc}! Who brews the ale here?"
WARM_WORDS = "And tell me, {npc}, what does a bed cost here?"
INN_WORDS = "Does the ferry cross in the fog, {npc}?"
# So many speak at once in a busy inn.
INN = 20
# Limits high enough that neither the client nor a budget is what is measured.
LIMITS = {
    "RATE": {"server": 100_000, "assistant": 1000, "player": 1000},
    "BUDGET": {
        scope: {"tokens": 10**9, "money": None} for scope in ("server", "assistant", "player")
    },
}
_NPC = re.compile(r"Npc(\d+)")


class Model:
    """The scripted model, which notes when it was asked on behalf of which NPC."""

    def __init__(self):
        self.asked = {}
        self._chance = random.Random(7)
        self.server = ModelServer(self._answer)

    def _answer(self, body):
        now = time.monotonic()
        words = ", ".join(self._chance.sample(GOSSIP, 6))
        self.asked.setdefault(_NPC.search(str(body))[1], now)
        return model_steps.text(f"{REPLY} {words}.").after(LATENCY)


def measure(rounds, npcs):
    """Return all figures."""
    model = Model()
    with (
        model.server,
        MeasuredGame(
            constants={"evennia_ai.agent.turns.AT_ONCE": NPCS},
            EVENNIA_AI=minds(model.server.base_url),
        ) as game,
    ):
        # One more, who is spoken to first: what the first call of a Server costs is told apart.
        progress(f"stall: building {npcs + 1} rooms")
        game.call("inside_world.build_talkers", count=npcs + 1)
        game.keep_world()
        figures = []
        for number in range(1, rounds + 1):
            game.fresh_world()
            figures.append(_round(game, model, npcs))
            for state, found in figures[-1].items():
                progress(f"stall: round {number}, {state}: {found}")
    return {
        "benchmark": "stall",
        **_result(figures),
        "n": npcs,
        "settings": {
            "model_latency_ms": LATENCY * 1000,
            "rounds": rounds,
            "concurrency": NPCS,
            **LIMITS,
        },
    }


def minds(base_url):
    """Return the settings of minds that think with the scripted model."""
    options = {"model": "scripted", "base_url": base_url, "concurrency": NPCS}
    backend = {"BACKEND": "evennia_ai.llm.openai.OpenAIBackend", "OPTIONS": options}
    return {"LLM": {"default": backend}, **LIMITS}


def _round(game, model, npcs):
    game.call("inside_world.seat_players")
    # Meanwhile the client of the model is loaded, as in any game that has just started.
    game.call("inside_stall.idle", seconds=SETTLE_SECONDS)
    idle, everybody = game.call("inside_stall.idle", seconds=1), range(npcs)
    first = _talk(game, WORDS, [npcs])
    cold = {
        **_turns(game, model, WORDS, everybody),
        "first_call_gap_ms": max(first["late_ms"]),
        "idle_gap_ms": max(idle),
    }
    warm = _turns(game, model, WARM_WORDS, everybody)
    costs = game.call("inside_stall.idle_costs", seconds=IDLE_SECONDS).items()
    warm.update({f"idle_{name}_per_s": round(cost / IDLE_SECONDS, 2) for name, cost in costs})
    inn = _turns(game, model, INN_WORDS, everybody[:INN])
    return {"cold": cold, "warm": warm, "inn": inn}


def _talk(game, words, numbers, **options):
    return game.call("inside_stall.talk", words=words, numbers=[*numbers], reply=REPLY, **options)


def _turns(game, model, words, numbers):
    """Return the figures of one turn of each of these NPCs, all of them at once."""
    model.asked.clear()
    talked = _talk(game, words, numbers, afterwards=AFTERWARDS)
    said, answered, asked = talked["said"], talked["answered"], dict(model.asked)
    if not answered:
        raise GameError(f"nobody answered; see {game.directory / 'server' / 'logs'}")
    seconds = max(answered.values()) - min(said.values())
    costs = talked["costs"].items()
    return {
        "worst_gap_ms": max(talked["late_ms"]),
        "p99_gap_ms": percentile(talked["late_ms"], 99),
        "turns_per_s": round(len(answered) / seconds, 1),
        **{f"{name}_per_turn": round(cost / len(answered), 2) for name, cost in costs},
        "event_to_request_ms": _spans(said, asked),
        "event_to_answer_ms": _spans(said, answered),
        "unanswered": len(said) - len(answered),
    }


def _spans(begun, ended):
    spans = [(ended[key] - begun[key]) * 1000 for key in begun if key in ended]
    return {"p50": round(statistics.median(spans)), "p95": round(percentile(spans, 95))}


def percentile(values, percent):
    """Return the smallest value that `percent` of all values do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]


def _result(rounds):
    """Return the cold round with the median worst gap, and the spread of all rounds of each sort."""
    cold, warm, inn = ([one[state] for one in rounds] for state in ("cold", "warm", "inn"))
    ordered = sorted(cold, key=lambda one: one["worst_gap_ms"])
    return {
        **ordered[len(ordered) // 2],
        "spread": {
            "worst_gap_ms": [one["worst_gap_ms"] for one in ordered],
            "turns_per_s": sorted(one["turns_per_s"] for one in cold),
        },
        "cold": {"n": len(cold), **_spread(cold)},
        "warm": {"n": len(warm), **_spread(warm)},
        "inn": {"n": len(inn), **_spread(inn)},
    }


def _spread(figures):
    """Return the least, the median and the greatest of each figure, also of those in figures."""
    if not isinstance(figures[0], dict):
        middle = round(statistics.median(figures), 2)
        return {"min": min(figures), "median": middle, "max": max(figures)}
    return {name: _spread([one[name] for one in figures]) for name in figures[0]}


def main(arguments):
    """Measure as often as is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--npcs", type=int, default=NPCS)
    return run(partial(measure, **vars(parser.parse_args(arguments))))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
