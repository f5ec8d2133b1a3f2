"""Whether secrets stay where they belong: `python -m tests.benchmarks.secrets`, one JSON line.

Random histories are played (`tests.scenarios.histories`), and then people ask about the secrets in
them. `prompts` counts what was built for a reply that somebody hears who may not know the secret
asked about; `leaks` the secrets that were shown all the same, in messages, data or results of
tools, that were said in somebody's hearing, or that the turn would let too many know later;
`audience_recall` is the share of questions by people in the audience for which it was shown.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests import database_file
from tests.benchmarks.link import progress, run
from tests.scenarios.game import ROOT

# Histories are shared out among so many processes; in half of them room talk is for who hears it.
ROOM_TALK = ("public", "heard")
PROMPTS = 10_200
PEOPLE = 5
# Placements of people in which they ask, in one history.
PLACEMENTS = 7
# Seconds after which it may speak to the same person of itself again.
PAUSE = 1000

# How each tool that reads is asked about a topic, of somebody. All others note, as they declare (`keeps`), or act.
READING = {
    "search_journal": lambda topic, who: {"query": topic},
    "review_journal": lambda topic, who: {"synthesis": "All is well.", "save_as_entry": False},
    "search_episodic_memory": lambda topic, who: {"query": topic, "min_importance": 1},
    "recall_entity_profile": lambda topic, who: {"entity_id": who},
    "recall_conversation_context": lambda topic, who: {"entity_id": who},
    "recall_memories": lambda topic, who: {"query": topic, "min_trust": 0, "limit": 20},
    "look": lambda topic, who: {},
}
# They end or pass on what is there already, and show nothing of it.
ACTING = {"finish_pending_action", "escalate_to_staff"}


def measure(prompts=PROMPTS):
    """Return the figures of all processes together."""
    begun = time.monotonic()
    share = -(-prompts // len(ROOM_TALK))
    workers = [
        subprocess.Popen(
            [sys.executable, "-m", __spec__.name, f"--room-talk={talk}", f"--prompts={share}"],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        for talk in ROOM_TALK
    ]
    try:
        lines = [worker.communicate()[0] for worker in workers]
    finally:
        for worker in workers:
            worker.kill()
    if any(worker.returncode for worker in workers):
        raise RuntimeError("a part of the benchmark failed; see above")
    total = sum((Counter(json.loads(line)) for line in lines), Counter())
    progress(f"secrets: {dict(total)}, {time.monotonic() - begun:.0f} s")
    return summary(total)


def summary(counts):
    """Return what is printed, of these counts."""
    return {
        "benchmark": "secrets",
        "prompts": counts["prompts"],
        "leaks": counts["leaks"],
        "audience_recall": round(counts["recalled"] / max(1, counts["controls"]), 4),
    }


def work(room_talk, prompts, *, seed=0):
    """Play histories under one rule for room talk until there are enough prompts; return counts."""
    with tempfile.TemporaryDirectory() as folder:
        _start_evennia(Path(folder), room_talk)
        from twisted.internet.task import Clock

        from evennia_ai import scheduling
        from evennia_ai.semantic import memory_thread
        from tests.synced import synced

        synced().start()
        memory_thread.set_worker(memory_thread.InlineWorker())
        clock = Clock()
        clock.advance(1_900_000_000)
        scheduling.set_clock(clock)
        counts, chance, number = Counter(), random.Random(f"{room_talk} {seed}"), 0
        stage = _stage()
        while counts["prompts"] < prompts:
            closed = room_talk == "heard" or number % 3 == 0
            counts += _history(chance, clock, stage, closed=closed)
            number += 1
            progress(f"secrets, room talk {room_talk}: {number} histories, {dict(counts)}")
    return counts


def _start_evennia(folder, room_talk):
    """Make Evennia, an empty database and a semantic memory in `folder` usable in this process."""
    os.environ.update(TEST_DB_PATH=":memory:", DJANGO_SETTINGS_MODULE="server.conf.test_settings")
    import django
    from django.conf import settings

    settings.EVENNIA_AI = {
        "ALLOW_MODEL_REQUESTS": False,
        "ROOM_TALK": room_talk,
        # All tools are looked at, and leave the prompt the room that it usually has.
        "ALL_TOOLS": True,
        "CONTEXT_TOKENS": 8000,
        "SEMANTIC": {
            "default": {
                "BACKEND": "evennia_ai.semantic.mem0.Mem0Memory",
                "OPTIONS": {"path": str(folder / "memory.db3")},
            }
        },
    }
    django.setup()
    import evennia

    evennia._init()
    database_file.make_tables()


def _stage():
    """Return (people, an open room, a private room, where people come from)."""
    from evennia.objects.objects import DefaultRoom
    from evennia.utils.create import create_object

    from tests.scenarios.cast import make_people

    inn, parlour, road = (
        create_object(DefaultRoom, key=key, nohome=True) for key in ("inn", "parlour", "road")
    )
    parlour.tags.add("private")
    return make_people(PEOPLE, location=road), inn, parlour, road


def _history(chance, clock, stage, *, closed):
    """Play one history and ask about its secrets; return counts."""
    from evennia_ai.testing import minds
    from tests.scenarios.cast import Parrot
    from tests.scenarios.histories import History

    people, inn, parlour, road = stage
    minds.forget_all()
    parrot = Parrot(chance)
    minds.base.install("default", parrot)
    history = History(
        chance=chance,
        people=people,
        room=parlour if closed else inn,
        elsewhere=road,
        clock=clock,
        closed=closed,
    )
    history.play()
    counts = Counter()
    for _ in range(PLACEMENTS):
        asker, *others = chance.sample(people, len(people))
        history.gather(asker, others[: chance.choice((0, 0, 1, 1, 2, 4))])
        for secret in list(history.secrets.values()):
            counts += ask(history, asker, secret)
    counts += _said(history)
    counts += _carried_out(history)
    history.close()
    return counts


def ask(history, asker, secret):
    """Let somebody ask about a secret; return counts of what the mind would be shown."""
    from evennia_ai.agent import context
    from evennia_ai.agent.turn import Turn
    from tests.scenarios.histories import NOT_IN_PROMPTS, too_widely_known

    kind = history.chance.choice(("say", "say", "whisper"))
    turn = Turn(history.mind, [history.question(asker, secret.topic, kind=kind)])
    messages = result_of(context.build(turn))
    prompt = f"{messages} {turn.context}"
    results = _results(history, turn, secret)
    shown = f"{prompt}\n{results}"
    hearers = {asker.who}
    if not turn.private:
        hearers |= {person.who for person in history.present()}
    leaks = history.leaks(shown, hearers) or too_widely_known(turn, shown, history.secrets)
    for leak in leaks:
        lines = [line for line in shown.splitlines() if leak.token in line]
        progress(f"shown to others: {leak}, before {sorted(hearers)}: {lines}")
    counts = Counter(leaks=len(leaks))
    everybody = {asker.who, *(person.who for person in history.present())}
    if not secret.may_hear(everybody if kind == "say" else {asker.who}):
        counts["prompts"] += 1
    # A prompt that draws on it is answered in a whisper; a tool shows only what all may know.
    by_tool = secret.way in NOT_IN_PROMPTS
    if secret.may_hear(everybody if by_tool and kind == "say" else {asker.who}):
        counts["controls"] += 1
        found = secret.token in (shown if by_tool else prompt)
        counts["recalled"] += found
        if not found:
            counts[f"missed {secret.way}"] += 1
    return counts


def _results(history, turn, secret):
    """Return what every tool that reads shows in this turn."""
    from evennia_ai.agent import loop
    from evennia_ai.llm.base import ToolCall
    from evennia_ai.tools import registry
    from evennia_ai.tools.base import ToolCategory

    results = []
    for tool in registry.offered(turn):
        if tool.name in READING:
            who = secret.about or history.chance.choice(history.people).key
            arguments = READING[tool.name](secret.topic, who)
            results.append(result_of(loop.use_tool(turn, ToolCall("1", tool.name, arguments))))
        elif tool.category is ToolCategory.SAFE_CHAIN and not (tool.keeps or tool.name in ACTING):
            raise LookupError(f"{tool.name} reads, and READING does not say how to ask it")
    return "\n".join(results)


def _said(history):
    """Let each secret be asked for aloud, and the parrot answer; count what reached wrong ears."""
    for secret in list(history.secrets.values()):
        person = history.chance.choice(history.people)
        others = history.chance.sample(history.people, 2)
        history.gather(person, others)
        person.at_say(f"Mara, where is the {secret.topic}?")
        history.wait(2)
    leaks = history.overheard()
    for leak in leaks:
        progress(f"heard by others: {leak}")
    return Counter(leaks=len(leaks))


def _carried_out(history):
    """Let it plan in a whisper to tell somebody each secret, and come to meet them; count what reached wrong ears."""
    from evennia_ai.agent import loop
    from evennia_ai.agent.turn import Turn
    from evennia_ai.llm.base import ToolCall
    from evennia_ai.memory.state import kept_goals

    for person in history.people:
        person.heard.clear()
    for secret in list(history.secrets.values()):
        asker, other, third = history.chance.sample(history.people, 3)
        asker = next((one for one in history.people if one.who in secret.audience), asker)
        history.gather(asker, [])
        turn = Turn(history.mind, [history.question(asker, secret.topic, kind="whisper")])
        goal_id = kept_goals.add_goal(history.mind, f"Speak of a {secret.topic}").id
        arguments = {"goal_id": goal_id, "steps": [f"tell {other.key}: It is {secret.token}."]}
        result_of(loop.use_tool(turn, ToolCall("1", "plan_goal", arguments)))
        history.wait()
        history.clock.advance(PAUSE)
        history.gather(other, [third])
        history.clock_ticks()
        history.wait()
    leaks = history.overheard()
    for leak in leaks:
        progress(f"heard by others at a step of a plan: {leak}")
    return Counter(leaks=len(leaks))


def result_of(deferred):
    """Return what a Deferred has fired with, once the slices of work that it waits for are done."""
    from evennia_ai import scheduling

    results = []
    deferred.addBoth(results.append)
    scheduling.drain()
    [result] = results
    if hasattr(result, "raiseException"):
        result.raiseException()
    return result


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--prompts", type=int, default=PROMPTS)
    parser.add_argument("--room-talk", choices=ROOM_TALK, help="a share of it, for counts alone")
    given = parser.parse_args()
    if given.room_talk:
        sys.exit(run(lambda: work(given.room_talk, given.prompts)))
    sys.exit(run(lambda: measure(given.prompts)))
