"""A long life: `python -m tests.benchmarks.year --days N`, one JSON line.

Six villagers tell 22 things a day where an NPC hears them, a third of them to it by name, each a fact
with an object of its own; every night it sleeps, and a model concludes three things. Some days are looked at: what a line of talk, an answer and a
night cost, how much of the journal are insights, how large the NPC has become, what was lost. At the
end one of them asks about facts of each quarter of that time: `known` is the share that stood in the
prompt.

Costs are processor time, and a busy machine only adds to it. So beside the ratio of the last day to the
settled one, `least_ratios` compares the least of the last three looks with the least of the first three
from that day on.
"""

import argparse
import random
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from tests.benchmarks.link import progress, run
from tests.benchmarks.recall import percentile

PEOPLE = "Anna Bo Cid Dora Egil Frida".split()
COUSINS = "Ulf Tove Rolf Sigrid Hilde Knut".split()
PLACES = (
    """well bridge mill tavern forge barn chapel garden market cellar ferry tower quarry orchard
    kiln smithy""".split()
)
DEEDS = """was seen near; lost a purse at; found an old coin at; quarrelled with the miller at;
    bought a goat at; hid a letter at; broke a cart at; met a stranger at""".replace("\n", " ")
KINDS = "red grey brass tiny cracked holy stolen bent".split()
THINGS = "kettle lantern saddle ring spoon flute drum mirror".split()
LINES_A_DAY = 22
# So many of them, one in each, are said to it by name.
EACH_NTH_LINE = 3
INSIGHTS_A_RUN = 3
# What is looked at is looked at on so many days, the first and the last among them.
EACH_NTH_DAY = 10
# The day that later ones are compared with, when the journal has filled up.
SETTLED = 30
# Days over which the cost of a night or a line is averaged.
WINDOW = 5
QUARTERS = 4
QUESTIONS = 150
# How many are asked where a day is looked at, to see what an answer costs.
ASKED = 15
COSTS = ("night", "line", "turn")
# Looks of which the least cost counts, at either end.
LOOKS = 3


def measure(days, questions=QUESTIONS, seed=4):
    """Return the figures of a life of so many days."""
    from tests.benchmarks import lived

    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        lived.start_evennia(Path(folder), sections=[...])
        lived.quiet()
        from evennia_ai.semantic import memory_thread

        memory_thread.set_worker(memory_thread.InlineWorker())
        life = lived.Life(PEOPLE, lived.Model(insights=INSIGHTS_A_RUN))
        told, costs, looks = [], [], {}
        for day in range(days):
            costs.append(_spend(life, day, chance, told))
            if day in (0, SETTLED - 1, days - 1) or (day + 1) % EACH_NTH_DAY == 0:
                looks[day + 1] = {**_look(life, told), **_cost(costs, day)}
                looks[day + 1]["turn_ms"] = percentile(
                    _known(life, told, days, chance, ASKED)[1], 50
                )
                progress(f"year: day {day + 1}: {looks[day + 1]}")
        known, asking = _known(life, told, days, chance, questions)
        history = _history(life)
    settled = [look for day, look in looks.items() if day >= min(SETTLED, days)]
    first, last = settled[0], looks[days]
    return {
        "benchmark": "year",
        "days": days,
        "told": len(told),
        "lost": last["lost"],
        "known": known,
        "questions": questions,
        **{f"{what}_ratio": round(_ratio(what, last, first), 2) for what in COSTS},
        "least_ratios": {
            what: round(_ratio(what, _least(settled[-LOOKS:]), _least(settled[:LOOKS])), 2)
            for what in COSTS
        },
        "asked_ms": percentile(asking, 50),
        "insights_share": last["insights_share"],
        "attributes_kB": last["attributes_kB"],
        "decisions": _decisions(life),
        "history": history,
        "looks": looks,
    }


def _spend(life, day, chance, told):
    """Live one day and its night; return seconds (a line, the night)."""
    life.begin(day)
    began = time.process_time()
    for number in range(LINES_A_DAY):
        who = chance.choice(PEOPLE)
        thing = f"{chance.choice(KINDS)} {chance.choice(THINGS)} {day:03d}{number:02d}"
        deed = f"{chance.choice(COUSINS)} {chance.choice(DEEDS.split('; ')).strip()}"
        # What it is not told itself is a rumour, from which it concludes nothing.
        call = "Mara, my" if number % EACH_NTH_LINE == 0 else "My"
        text = f"{call} cousin {deed} the {chance.choice(PLACES)}, with a {thing}."
        told.append((day, thing, text))
        life.say(who, text)
    spoken = time.process_time()
    life.sleep(day)
    return (spoken - began) / LINES_A_DAY, time.process_time() - spoken


def _ratio(what, last, first):
    return last[f"{what}_ms"] / first[f"{what}_ms"]


def _least(looks):
    return {f"{what}_ms": min(look[f"{what}_ms"] for look in looks) for what in COSTS}


def _cost(costs, day):
    """Return what the days up to one cost on average, in milliseconds."""
    window = costs[max(0, day + 1 - WINDOW) : day + 1]
    line, night = (statistics.fmean(column) for column in zip(*window, strict=True))
    return {"line_ms": round(1000 * line, 1), "night_ms": round(1000 * night)}


def _look(life, told):
    """Return what has become of what was told, and of the NPC."""
    from evennia.typeclasses.attributes import Attribute

    entries, stored = life.kept()
    known = {entry.content for entry in entries} | set(stored)
    # What is kept for good lies in Attributes of the body and of the mind.
    size = sum(
        len(one.db_strvalue or "") + len(str(one.db_value or ""))
        for holder in ({"objectdb": life.npc}, {"scriptdb": life.npc.assistant})
        for one in Attribute.objects.filter(**holder)
    )
    return {
        "journal": len(entries),
        "insights_share": round(
            sum("synthesis" in entry.tags for entry in entries) / max(1, len(entries)), 3
        ),
        "long_term": len(stored),
        "lost": sum(text not in known for _, _, text in told),
        "attributes_kB": size // 1024,
    }


def _known(life, told, days, chance, questions):
    """Ask about some facts; return (shares by quarter of the time, seconds of each question)."""
    shares, asking = defaultdict(list), []
    for day, thing, text in chance.sample(told, min(questions, len(told))):
        began = time.process_time()
        life.ask(PEOPLE[0], f"what do you know about the {thing}?")
        asking.append(time.process_time() - began)
        shares[day * QUARTERS // days + 1].append(text in life.prompt)
    return {
        str(quarter): round(statistics.fmean(found), 4) for quarter, found in sorted(shares.items())
    }, asking


def _decisions(life):
    """Return how many decisions are kept, and how many bytes of memory the search takes for each."""
    from evennia_ai.experience import base
    from evennia_ai.memory.state import assistant

    known = base._memory(assistant.key_of(life.npc.assistant))
    kept = known.get_stats()["total_memories"]
    return {"kept": kept, "bytes_each": round(known.file.cache.nbytes / max(1, kept))}


def _history(life):
    """Return how many steps of relationships are kept, and how many of them changed nothing."""
    from evennia_ai.memory.people import entity_profiles

    steps = [
        step
        for known in entity_profiles.all_profiles(life.npc).values()
        for step in known.relationship.history
    ]
    return {"steps": len(steps), "of_nothing": sum(not step.delta for step in steps)}


def main(arguments):
    """Read the arguments and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--days", type=int, default=130)
    parser.add_argument("--questions", type=int, default=QUESTIONS)
    parser.add_argument("--seed", type=int, default=4)
    given = parser.parse_args(arguments)
    return run(lambda: measure(given.days, given.questions, given.seed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
