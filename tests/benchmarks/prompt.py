"""What a request of a typical turn takes, in tokens by part: `python -m tests.benchmarks.prompt`.

The innkeeper of the demo talks with two people; `lines` have been said before. Of each way of speaking it
counts the parts of the prompt, the schemas of tools, and how much is the same, from the beginning on, as
in the request before, which a provider may keep; schemas stand first there. Then comes the same line once
more (`again`), and one on a channel, where a line takes the place of the room. Estimated as the budget
does.
"""

import json
import os
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import yaml

from tests.benchmarks.link import run

LINES = (0, 10, 50)
MINDS = Path(__file__).resolve().parent.parent.parent / "world" / "minds"
KINDS = ("talk", "again", "gift", "whisper", "channel")
SUBJECTS = "mill bridge ferry market harvest wedding storm horse letter bell".split()


def measure(lines=LINES):
    """Return the tokens of each part, by what was said before and how it is spoken."""
    from tests.benchmarks import lived

    with tempfile.TemporaryDirectory() as folder:
        from evennia_ai import defaults

        lived.start_evennia(Path(folder), sections=defaults.DEFAULTS["CONTEXT_SECTIONS"])
        lived.quiet()
        from evennia_ai.semantic import memory_thread

        memory_thread.set_worker(memory_thread.InlineWorker())
        turns = {str(count): _turns(lived, count) for count in lines}
    shares = [turn["tools"] / turn["all"] for kinds in turns.values() for turn in kinds.values()]
    return {
        "benchmark": "prompt",
        "tools_share": [round(min(shares), 3), round(max(shares), 3)],
        "tools": max(turn["tools"] for kinds in turns.values() for turn in kinds.values()),
        "lines": turns,
    }


def _turns(lived, count):
    life = lived.Life(("Ann", "Bob"), lived.Model())
    _furnish(life)
    for number in range(count):
        subject = SUBJECTS[number % len(SUBJECTS)]
        life.say(("Ann", "Bob")[number % 2], f"Mara, the {subject} was the talk of day {number}.")
        life.wait(3)
    found = {kind: _turn(life, kind) for kind in KINDS}
    life.close()
    return found


def _furnish(life):
    from evennia.objects.objects import DefaultExit, DefaultRoom
    from evennia.utils.create import create_object

    from evennia_ai.memory import persona

    written = yaml.safe_load((MINDS / "innkeeper.yaml").read_text(encoding="utf-8"))
    persona.save_persona(life.npc, written["persona"])
    persona.save_lore(life.npc, written["lore"])
    life.room.key = "The Common Room"
    life.room.db.desc = "Smoke and lamplight, a long counter, and a lantern that hangs askew."
    for key in ("kitchen", "yard"):
        place = create_object(DefaultRoom, key=key, nohome=True)
        create_object(DefaultExit, key=key, location=life.room, destination=place, home=place)


def _speak(life, kind):
    from evennia.objects.objects import DefaultObject
    from evennia.utils.create import create_account, create_channel, create_object

    from evennia_ai.typeclasses import scripts

    ann, words = life.people["Ann"], "Mara, what do you know about the old mill?"
    if kind == "gift":
        thing = create_object(DefaultObject, key="silver coin", location=ann, home=life.room)
        thing.move_to(life.npc, move_type="give")
        thing.at_give(ann, life.npc)
    elif kind == "whisper":
        ann.at_say(words, whisper=True, receivers=[life.npc], msg_self=True)
    elif kind == "channel":
        channel = create_channel(f"Public {life.npc.id}")
        reader = create_account(f"Reader{life.npc.id}", email="", password="long-enough-1")
        _watch(reader, life.clock)
        channel.connect(reader)
        scripts.follow_channel(life.npc, channel, manner="named")
        channel.msg(words, senders=[reader])
    else:
        ann.at_say(words)


def _watch(reader, clock):
    """Let somebody be seen to read a channel: nobody answers where nobody does."""
    reader.sessions.all = lambda: [SimpleNamespace(cmd_last_visible=clock.seconds(), puppet=None)]
    reader.is_connected, reader.channel_msg = True, lambda *args, **options: None


def _turn(life, kind):
    """Return the tokens of a turn by part, and how much of it is as in the request before."""
    from evennia_ai.agent import trace
    from evennia_ai.domain.model_text import tokens

    before = _text(life.model)
    _speak(life, kind)
    life.wait(5)
    noted = trace.turns(life.npc.id)[0].record
    now = _text(life.model)
    parts = {
        name: tokens.estimate("\n".join(part) if isinstance(part, list) else part)
        for name, part in noted.fitted.items()
        if part
    }
    whole = tokens.estimate(now)
    same = tokens.estimate(os.path.commonprefix([before, now]))
    return {
        "all": whole,
        "tools": noted.tool_tokens,
        "offered": len(noted.tool_names),
        "same": round(same / whole, 3) if before else 0.0,
        "parts": parts,
    }


def _text(model):
    """Return the request as a provider reads it: the schemas of tools before what is said."""
    told = [f"{one['role']}: {one['content']}" for one in model.messages or ()]
    return "\n".join([*map(json.dumps, model.tools), *told])


if __name__ == "__main__":
    sys.exit(run(measure))
