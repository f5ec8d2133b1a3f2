"""Whether what NPCs do for others outlives crashes: `python -m tests.benchmarks.crash_life`, one JSON line.

In a street a carrier brings letters and passes news on. Its process is killed (SIGKILL) at 100
random moments of a walk, a giving and a passing on, a third each, and started anew; then each of these is brought to its end, and what
there is is held against what there should be. `lost` are letters nowhere, errands and news of which nothing came, or which one
of two minds knows of; `doubled` what is there twice. `under_way` counts the kills before the step was over.

`--break` takes the transactions away: then something may be lost or doubled.
"""

import argparse
import json
import os
import random
import signal
import statistics
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path

from tests.benchmarks import crash, crash_night, crash_street
from tests.benchmarks.link import progress, run

KILLS = 100
# Of how long a step takes, so much may pass before the kill: also what comes after it is hit.
SPREAD = 1.1


def measure(kills=KILLS, broken="", seed=None):
    """Return the figures."""
    with tempfile.TemporaryDirectory() as name:
        folder, chance, begun = Path(name), random.Random(seed), time.monotonic()
        crash_night.prepare(folder, broken)
        crash_street.prepare()
        crash_street.warm_up(folder / "warm")
        crash._assert_nothing_is_open(folder)
        world = folder / "world"
        crash.call(crash_street.build, world)
        done, under_way = Counter(), Counter()
        seconds = _undisturbed(world)
        progress(f"crash_life: one of each without a crash: {seconds}")
        number = len(crash_street.PHASES)
        for count in range(kills):
            phase = crash_street.PHASES[count % len(crash_street.PHASES)]
            hit = _kill(world, number, phase, chance.random() * SPREAD * seconds[phase])
            done[phase] += 1
            under_way[phase] += hit
            number += 1
            if number % 10 == 0:
                progress(f"crash_life: {dict(done)}, under way {dict(under_way)}")
        found = json.loads(crash.call(crash_street.check, world, number))
        for sentence in [*found["lost"], *found["doubled"]][:20]:
            progress(f"crash_life: {sentence}")
        return {
            "benchmark": "crash_life",
            "kills": sum(done.values()),
            "lost": len(found["lost"]),
            "doubled": len(found["doubled"]),
            "kills_by_phase": dict(done),
            "under_way": dict(under_way),
            "rounds": number,
            "seconds": round(time.monotonic() - begun),
        }


def _undisturbed(world):
    """Play each phase once; return how long the step takes that is to be killed."""
    took = defaultdict(list)
    for number, phase in enumerate(crash_street.PHASES):
        told = Told(crash.forked(crash_street.play, world, number, phase))
        begun = None
        while (what := told.next()) is not None:
            if what == "begin":
                begun = time.monotonic()
            elif what == "end" and begun is not None:
                took[phase].append(time.monotonic() - begun)
        told.finish()
    return {phase: statistics.mean(took[phase]) for phase in crash_street.PHASES}


def _kill(world, number, phase, after):
    """Kill a process in a phase, and let another one bring it to its end; return whether the step was under way."""
    told = Told(crash.forked(crash_street.play, world, number, phase))
    # A walk has several steps: any of them.
    for _ in range(1 + (number // len(crash_street.PHASES)) % crash_street.STEPS[phase]):
        told.until("begin")
    time.sleep(after)
    was_under_way = told.kill()
    again = Told(crash.forked(crash_street.play, world, number, phase))
    while again.next() is not None:
        pass
    if again.finish():
        raise RuntimeError(f"round {number}, {phase}, came to no end")
    return was_under_way


class Told:
    """What a process tells of its steps."""

    def __init__(self, night):
        self.night = night

    def next(self):
        """Return the next word it tells, None at its end."""
        told = self.night._read()
        return told[0] if told is not None else None

    def until(self, word):
        """Read until it tells this."""
        while (what := self.next()) is not None and what != word:
            pass

    def kill(self):
        """Kill it; return whether it had not told of the end of the step."""
        os.kill(self.night.pid, signal.SIGKILL)
        ended = False
        while (what := self.next()) is not None:
            ended = ended or what == "end"
        self.finish()
        return not ended

    def finish(self):
        """Let it be gone; return how it ended."""
        os.close(self.night._pipe)
        return os.waitpid(self.night.pid, 0)[1]


def main(arguments):
    """Measure as it is said on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kills", type=int, default=KILLS)
    parser.add_argument("--break", dest="broken", choices=sorted(crash_night.BREAKS), default="")
    parser.add_argument("--seed", type=int, help="to kill at the same moments again, nearly")
    return run(lambda: measure(**vars(parser.parse_args(arguments))))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
