"""Whether a night outlives crashes: `python -m tests.benchmarks.crash`, one JSON line.

A mind with 300 entries sleeps, and its process is killed (SIGKILL) at 200 random moments of all
steps and started anew each time; then the night is slept to its end, and what there is is held
against what there was. The processes are forked off one that has loaded everything and opened
nothing; ten more kills are of processes that start from nothing, with a real reactor and the
thread of long-term memory. `under_way` counts the kills of a step that had work left afterwards.

`--break` takes one of the safeguards away: then there must be something lost or doubled.
"""

import argparse
import json
import os
import random
import select
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter, defaultdict
from pathlib import Path

from tests.benchmarks import crash_check, crash_night, crash_world
from tests.benchmarks.link import progress, run
from tests.scenarios.game import ROOT

KILLS, FRESH_KILLS = 200, 10
# Kills of one step in one world: more would find its work done.
KILLS_PER_STEP = 5
# Of how long a step takes, so much may pass before the kill: also what comes after it is hit.
SPREAD = 1.2
# Seconds after which a process that tells nothing hangs.
PATIENCE = 60
BETWEEN = "between"
FRESH = "import sys; from tests.benchmarks import crash_night; crash_night.main(*sys.argv[1:])"


class Night:
    """A process that sleeps, as its parent sees it: what it tells, and when it dies."""

    def __init__(self, pid, pipe):
        self.pid = pid
        self.step = BETWEEN
        self.ticks = 0
        self.did = {}
        self.seconds = defaultdict(list)
        self.errors = []
        self._pipe = pipe
        self._text = b""

    def wait_for(self, *words):
        """Read until it tells these words; return whether it did."""
        wanted = list(words)
        while (told := self._read()) is not None:
            if told[: len(wanted)] == wanted:
                return True
        return False

    def kill(self):
        """Kill it now, and read what it told before."""
        os.kill(self.pid, signal.SIGKILL)
        self.end()

    def end(self):
        """Read all that it tells until it ends."""
        while self._read() is not None:
            pass
        os.close(self._pipe)
        os.waitpid(self.pid, 0)

    def _read(self):
        while b"\n" not in self._text:
            if not select.select([self._pipe], [], [], PATIENCE)[0]:
                raise RuntimeError(f"a night hangs in {self.step}")
            read = os.read(self._pipe, 65536)
            if not read:
                return None
            self._text += read
        line, self._text = self._text.split(b"\n", 1)
        told = json.loads(line)
        self._note(*told)
        return told

    def _note(self, what, *told):
        if what == "tick":
            self.ticks += 1
        elif what == "begin":
            self.step = told[0]
        elif what == "end":
            step, did, seconds = told
            self.step = BETWEEN
            self.did.setdefault(step, did)
            if did:
                self.seconds[step].append(seconds)
        elif what == "error":
            self.errors.append(told)


class World:
    """A copy of the template, its clock, and how often it was killed."""

    def __init__(self, template, folder):
        self.folder = folder
        shutil.copytree(template, folder)
        self.now = crash_world.EVENING
        self.kills, self.under_way = Counter(), Counter()
        # Steps that were killed, and did not run since.
        self._killed = Counter()
        self.errors = []

    def sleep(self, start=None):
        """Let a process sleep here."""
        return (start or forked)(crash_night.sleep, self.folder, self.now)

    def kill_in(self, step, after, start=None, turns=1):
        """Kill a process so many seconds after it began a step, at the turn of that number.

        Return False if the night was over by then.
        """
        night = self.sleep(start)
        try:
            came = all(night.wait_for("begin", step) for _ in range(turns))
            time.sleep(after if came else 0)
        finally:
            night.kill()
        if not came:
            self._count(night)
            return False
        self.kills[night.step] += 1
        self._count(night)
        self._killed[night.step] += 1
        return True

    def finish(self):
        """Sleep to the end of the night; return how long each step took, when it did anything."""
        night = self.sleep()
        night.end()
        self._count(night)
        return night.seconds

    def check(self, before):
        """Return what was lost, doubled and left undone."""
        after = json.loads(call(crash_night.look, self.folder))
        now = crash_world.stamp(self.now)
        return {
            "lost": crash_check.lost(before, after, now=now),
            "doubled": crash_check.doubled(before, after),
            "unfinished": [*crash_check.unfinished(after), *after["broken"], *self.errors],
        }

    def _count(self, night):
        self.now += crash_night.TICK_SECONDS * night.ticks
        self.errors += [f"{step}: {error}" for step, error in night.errors]
        for step, did in night.did.items():
            if did:
                self.under_way[step] += self._killed[step]
            del self._killed[step]


def forked(task, *arguments):
    """Run a task in a child of this process, which tells of it; return a Night."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        _leave_after(task, *arguments, lambda *told: _tell(writing, told))
    os.close(writing)
    return Night(pid, reading)


def fresh(broken):
    """Return what starts a process from nothing in place of `forked`."""

    def start(task, folder, now):
        reading, writing = os.pipe()
        process = subprocess.Popen(
            [sys.executable, "-c", FRESH, folder, str(now), broken],
            cwd=ROOT,
            stdout=writing,
        )
        os.close(writing)
        return Night(process.pid, reading)

    return start


def call(task, *arguments):
    """Run a task in a child; return what it returns, as JSON."""
    with tempfile.TemporaryFile("w+") as answer:
        pid = os.fork()
        if pid == 0:
            _leave_after(lambda: json.dump(task(*arguments), answer) or answer.flush())
        _, status = os.waitpid(pid, 0)
        if status:
            raise RuntimeError(f"{task.__name__} failed")
        answer.seek(0)
        return answer.read()


def _leave_after(task, *arguments):
    """Run a task and end this process, whatever happens: it must not go on as its parent."""
    status = 1
    try:
        task(*arguments)
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status)


def _tell(pipe, told):
    # In one piece, also if the process is killed meanwhile.
    os.write(pipe, json.dumps(told).encode() + b"\n")


def measure(kills=KILLS, fresh_kills=FRESH_KILLS, broken="", seed=None):
    """Return the figures."""
    with tempfile.TemporaryDirectory() as name:
        folder, chance, begun = Path(name), random.Random(seed), time.monotonic()
        crash_night.prepare(folder, broken)
        _assert_nothing_is_open(folder)
        template = folder / "template"
        before = json.loads(call(crash_night.build, template))
        whole = World(template, folder / "whole")
        seconds = {step: statistics.median(took) for step, took in whole.finish().items()}
        found = [whole.check(before)]
        progress(f"crash: a night without crashes: {seconds}, {_counted(found)}")
        worlds = []
        while (done := sum(sum(world.kills.values()) for world in worlds)) < kills:
            world = World(template, folder / f"world{len(worlds)}")
            _kill_often(world, seconds, kills - done, chance)
            worlds.append(world)
            world.finish()
            found.append(world.check(before))
            progress(f"crash: {dict(world.kills)}, {_counted(found[-1:])}")
            shutil.rmtree(world.folder)
        if fresh_kills:
            worlds.append(_kill_fresh(template, folder, seconds, fresh_kills, chance, broken))
            found.append(worlds[-1].check(before))
            progress(f"crash: {fresh_kills} fresh processes, {_counted(found[-1:])}")
        return _result(worlds, found, fresh_kills, time.monotonic() - begun)


def _kill_often(world, seconds, kills, chance):
    """Kill in each step, in the order in which its work comes up."""
    # The last but two has work when those behind it have done theirs; which had none in a whole night
    # is not killed.
    for step in sorted(seconds.keys() & set(crash_night.steps()), key=_in_order):
        for _ in range(min(KILLS_PER_STEP, kills - sum(world.kills.values()))):
            world.kill_in(step, chance.random() * SPREAD * seconds[step], turns=_turns(step))


def _in_order(step):
    return _turns(step), crash_night.steps().index(step)


def _turns(step):
    # What may be let go is only known when the tick before has noted what it tells.
    return 2 if step == "clear_stale_conversations" else 1


def _kill_fresh(template, folder, seconds, kills, chance, broken):
    world, steps = World(template, folder / "fresh"), crash_night.steps()
    for number in range(kills):
        step = steps[number * len(steps) // kills]
        world.kill_in(step, chance.random() * SPREAD * seconds[step], fresh(broken))
    world.finish()
    return world


def _assert_nothing_is_open(folder):
    """A child must share neither a connection nor a thread with the others."""
    import threading

    opened = [os.path.realpath(path) for path in Path("/proc/self/fd").glob("*")]
    if threading.active_count() > 1 or any(str(folder) in path for path in opened):
        raise RuntimeError(f"not fit to be forked: {threading.enumerate()}, {opened}")


def _counted(found):
    return {key: sum(len(one[key]) for one in found) for key in ("lost", "doubled", "unfinished")}


def _result(worlds, found, fresh_kills, seconds):
    kills = sum((world.kills for world in worlds), Counter())
    under_way = sum((world.under_way for world in worlds), Counter())
    for one in found:
        for sentence in [sentence for sentences in one.values() for sentence in sentences][:10]:
            progress(f"crash: {sentence}")
    counted = _counted(found)
    return {
        "benchmark": "crash",
        "kills": sum(kills.values()) - fresh_kills,
        "kills_of_fresh_processes": fresh_kills,
        "lost": counted["lost"],
        "doubled": counted["doubled"],
        "completed": counted["unfinished"] == 0,
        "kills_by_step": {step: kills[step] for step in [*crash_night.steps(), BETWEEN]},
        "under_way": {step: under_way[step] for step in crash_night.steps()},
        "nights": len(found),
        "seconds": round(seconds),
    }


def main(arguments):
    """Measure as it is said on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kills", type=int, default=KILLS)
    parser.add_argument("--fresh-kills", type=int, default=FRESH_KILLS)
    parser.add_argument("--break", dest="broken", choices=sorted(crash_night.BREAKS), default="")
    parser.add_argument("--seed", type=int, help="to kill at the same moments again, nearly")
    return run(lambda: measure(**vars(parser.parse_args(arguments))))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
