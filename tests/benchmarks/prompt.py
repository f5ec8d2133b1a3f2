"""What a request of a typical turn takes, in tokens by part: `python -m tests.benchmarks.prompt`.

The innkeeper of the demo talks with two people; `lines` have been said before. Of each way of speaking it
counts the parts of the prompt, the schemas of tools, and how much is the same, from the beginning on, as
in the request before, which a provider may keep. On a channel a line takes the place of the room.
Estimated as the budget does.
"""

import os
import sys
import tempfile
from pathlib import Path

import yaml

from tests.benchmarks.link import run

LINES = (0, 10, 50)
MINDS = Path(__file__).resolve().parent.parent.parent / "world" / "minds"
KINDS = ("talk", "gift", "whisper")
SUBJECTS = "mill bridge ferry market harvest wedding storm horse letter bell".split()


def measure(lines=LINES):
    """Return the tokens of each part, by what was said before and how it is spoken."""
    from tests.benchmarks import lived

    with tempfile.TemporaryDirectory() as folder:
        from evennia_ai import defaults

        lived.start_evennia(Path(folder), sections=defaults.DEFAULTS["CONTEXT_SECTIONS"])
        lived.quiet()
        from evennia_ai.semantic import worker

        worker.set_worker(worker.InlineWorker())
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
    from evennia.utils.create import create_object

    ann, words = life.people["Ann"], "Mara, what do you know about the old mill?"
    if kind == "gift":
        thing = create_object(DefaultObject, key="silver coin", location=ann, home=life.room)
        thing.move_to(life.npc, move_type="give")
        thing.at_give(ann, life.npc)
    elif kind == "whisper":
        ann.at_say(words, whisper=True, receivers=[life.npc], msg_self=True)
    else:
        ann.at_say(words)


def _turn(life, kind):
    """Return the tokens of a turn by part, and how much of it is as in the request before."""
    from evennia_ai.agent import trace
    from evennia_ai.domain.model_text import tokens

    before = _text(life.model.messages)
    _speak(life, kind)
    life.wait(5)
    noted = trace.turns(life.npc.id)[0].record
    now = _text(life.model.messages)
    parts = {
        name: tokens.estimate("\n".join(part) if isinstance(part, list) else part)
        for name, part in noted.fitted.items()
        if part
    }
    whole = tokens.estimate(now) + noted.tool_tokens
    same = tokens.estimate(os.path.commonprefix([before, now])) + noted.tool_tokens
    return {
        "all": whole,
        "tools": noted.tool_tokens,
        "offered": len(noted.tool_names),
        "same": round(same / whole, 3) if before else 0.0,
        "parts": parts,
    }


def _text(messages):
    return "\n".join(f"{one['role']}: {one['content']}" for one in messages or ())


if __name__ == "__main__":
    sys.exit(run(measure))
