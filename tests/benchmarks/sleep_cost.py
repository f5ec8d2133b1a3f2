"""What one night costs: `python -m tests.benchmarks.sleep_cost`, one JSON line for each size of journal.

An assistant with a journal of mixed entries sleeps until its work is done, on a clock of the
benchmark. A model answers each job as the offline mind would; what it is asked and answers is counted by
the estimate of tokens that prompts are cut by. `one_call_per_entry` is the same night if each entry were
rated by a request of its own.
"""

import json
import os
import random
import sys
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

from tests import database_file
from tests.benchmarks.link import progress, run
from tests.benchmarks.noted import DONE, NOTED, PEOPLE, THINGS

SIZES = (100, 300)
# A night that is not done by then is an error of ours.
MOST_TICKS = 400
TICK_SECONDS = 60
# Hours over which the entries were noted.
HOURS = 48


class CountingModel:
    """Answers as the offline mind does, and counts calls and tokens by job."""

    name, is_model = "counting", True

    def __init__(self, mind):
        self.mind = mind
        self.calls, self.tokens = Counter(), Counter()
        # Tokens by job if each entry were rated alone.
        self.alone = Counter()

    def complete(self, request):
        """Answer, as a model whose server counts no tokens."""
        return self.mind.complete(request).addCallback(self._count, request)

    def _count(self, completion, request):
        from evennia_ai.domain.model_text import tokens

        text = completion.text
        if request.job == "score":
            # Otherwise it would be known for an answer by rules.
            text = json.dumps({"scores": json.loads(text)["scores"]})
            self.alone.update(_rated_alone(request, tokens))
        cost = tokens.estimate_messages(request.messages) + tokens.estimate(text)
        self.calls[request.job] += 1
        self.tokens[request.job] += cost
        return replace(completion, text=text, is_model=True, model=self.name)


def _rated_alone(request, tokens):
    """Return calls and tokens of a request for each entry of this one."""
    from evennia_ai import prompts_asleep

    alone = Counter()
    for entry in request.context["entries"]:
        messages = prompts_asleep.rating(name="Mara", entries=[entry])
        answer = json.dumps({"scores": [{"id": entry["id"], "score": 5}]})
        alone["tokens"] += tokens.estimate_messages(messages) + tokens.estimate(answer)
        alone["calls"] += 1
    return alone


def measure(sizes=SIZES):
    """Return the figures of all sizes."""
    with tempfile.TemporaryDirectory() as folder:
        _start_evennia(Path(folder))
        return {"benchmark": "sleep_cost", "nights": [_measure_size(size) for size in sizes]}


def _start_evennia(folder):
    """Make Evennia, an empty database and a semantic memory in `folder` usable in this process."""
    os.environ.update(TEST_DB_PATH=":memory:", DJANGO_SETTINGS_MODULE="server.conf.test_settings")
    import django
    from django.conf import settings

    settings.EVENNIA_AI = {
        "ALLOW_MODEL_REQUESTS": False,
        # What a night takes is measured, and not cut short.
        "SLEEP_TOKENS": 10_000_000,
        "SEMANTIC": {
            "default": {
                "BACKEND": "evennia_ai.semantic.stored.StoredMemory",
                "OPTIONS": {"path": str(folder / "memory.db3")},
            }
        },
    }
    django.setup()
    import evennia

    evennia._init()
    database_file.make_tables()
    from evennia_ai.semantic import memory_thread

    memory_thread.set_worker(memory_thread.InlineWorker())


def _measure_size(size):
    from twisted.internet.task import Clock

    from evennia_ai import scheduling
    from evennia_ai.llm.offline import OfflineMind
    from evennia_ai.testing import minds

    progress(f"sleep_cost: {size} entries")
    clock = Clock()
    clock.advance(1_900_000_000)
    scheduling.set_clock(clock)
    minds.forget_all()
    model = CountingModel(OfflineMind())
    minds.base.install("default", model)
    npc, script = _with_journal(size)
    clock.advance(HOURS * 3600)
    ticks = _night(clock, npc, script)
    return {**summary(size, model), "ticks": ticks, **_left(npc, script)}


def summary(size, model):
    """Return what is printed of a night, of these counts."""
    calls, spent = sum(model.calls.values()), sum(model.tokens.values())
    return {
        "entries": size,
        "calls": calls,
        "calls_per_entry": round(calls / size, 3),
        "tokens": spent,
        "tokens_per_100_entries": round(spent * 100 / size),
        "by_job": {
            job: {"calls": model.calls[job], "tokens": model.tokens[job]}
            for job in sorted(model.calls)
        },
        "one_call_per_entry": {
            "calls": calls - model.calls["score"] + model.alone["calls"],
            "tokens": spent - model.tokens["score"] + model.alone["tokens"],
        },
    }


def _with_journal(size):
    """Return (an NPC with that many entries, its mind)."""
    from evennia.objects.objects import DefaultRoom
    from evennia.utils.create import create_object

    from evennia_ai import scheduling
    from evennia_ai.memory import identity, journal
    from evennia_ai.memory.state import reflection_state
    from evennia_ai.testing import minds
    from evennia_ai.typeclasses import scripts

    chance = random.Random(size)
    inn = create_object(DefaultRoom, key="inn", nohome=True)
    npc = minds.make_assistant("Mara", location=inn)
    script, own = scripts.find(npc), identity.identity_of(npc)
    journal.set_max_entries(npc, 2 * size)
    noted = scheduling.now().timestamp()
    for number in range(size):
        who = chance.choice(PEOPLE)
        is_whisper, is_seen = chance.random() < 0.15, chance.random() < 0.2
        entry = journal.add_entry(
            npc,
            _words(chance, who, DONE if is_seen else NOTED),
            source_type="observation" if is_seen else "direct",
            source_entity=who,
            source_id=_identity(who),
            tags=["pose" if is_seen else "whisper" if is_whisper else "say"],
            audience=sorted([own, _identity(who)]) if is_whisper else "public",
            now=_time(noted + number * HOURS * 3600 / size),
        )
        reflection_state.note_entry(script, entry)
    return npc, script


def _words(chance, who, templates):
    return chance.choice(templates).format(
        who=who,
        other=chance.choice([other for other in PEOPLE if other != who]),
        thing=chance.choice(THINGS),
        number=chance.randint(2, 90),
    )


def _identity(name):
    """Return the same identity for a name in each run."""
    import uuid

    return str(uuid.uuid5(uuid.NAMESPACE_OID, name))


def _time(seconds):
    from datetime import datetime, timezone

    return datetime.fromtimestamp(seconds, tz=timezone.utc)


def _night(clock, npc, script):
    """Sleep until the work is done; return how many ticks it took."""
    from evennia_ai.memory.state import sleep_state
    from evennia_ai.sleep import sleep_cycle, steps

    sleep_cycle.transition_mode(
        script, "sleep", "the benchmark", wake_at=_time(clock.seconds() + 10 * 3600)
    )
    for tick in range(1, MOST_TICKS):
        done = []
        steps.run_sleep_tick(script, npc).addBoth(done.append)
        while not done:
            clock.advance(0)
        if hasattr(done[0], "raiseException"):
            done[0].raiseException()
        for name, result in done[0]["steps"].items():
            if result.get("error"):
                progress(f"sleep_cost, tick {tick}: {name}: {result['error']}")
        if sleep_state.done(script):
            return tick
        clock.advance(TICK_SECONDS)
    raise RuntimeError(f"the night was not done after {MOST_TICKS} ticks: {done[0]}")


def _left(npc, script):
    """Return what became of the entries."""
    from evennia_ai.memory import journal
    from evennia_ai.memory.state import sleep_state

    entries = journal.entries(npc)
    return {
        "consolidated": sum(entry.consolidated for entry in entries),
        "syntheses": sum("synthesis" in entry.tags for entry in entries),
        "degraded": sleep_state.is_degraded(script),
    }


if __name__ == "__main__":
    sys.exit(run(measure))
