"""What an NPC without a model answers in free talk: `python -m tests.benchmarks.talk`, one JSON line.

The talks are in tests/data/talks: who the NPC is, what its builder wrote, what people told it before, and
lines, each with the replies that count as right: `Ann: words => what ...`. What is a kind of reply
(kinds.yaml) or /words in it/; !/words/ must not be in it. A line without => is only played. A reply
is `right`, `safe` (it does not know, or asks back), `missed` (so, where it knows), `wrong` or `silent`.
`--show` prints the talk. The lines held out are for measuring alone.

`--read FILE` plays a talk of yours in the same form (a line needs no =>) and prints it for you to judge.
"""

import argparse
import re
import sys
import tempfile
from collections import Counter
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import yaml

from tests.benchmarks.link import progress, run

FOLDER = Path(__file__).resolve().parent.parent / "data" / "talks"
SETS = {"dev": "lines", "held_out": "held_out"}
GRADES = ("right", "safe", "missed", "wrong", "silent")
# What is never right: words of words, the end of a sentence twice, a heap of quotations.
BROKEN = re.compile(
    r"""told (?:me|you): [^ ]*["'][^"']*told (?:me|you)|[.!?]["']\.|(?<!\.)\.\.(?!\.)|(?:".*?".*){3,}"""
)
SAFE = ("unknown", "vague", "refuse")
_STEP = re.compile(
    r"(?P<who>\w+)(?: (?P<verb>gives|whispers))?: (?P<words>.+)|(?P<goer>\w+) (?P<how>leaves|arrives)"
)
_WANTED = re.compile(r"(!?)/(.+?)/i?(?=\s|$)|(\w+)")


def measure(names=(), show=None, sets=tuple(SETS)):
    """Return the shares of all talks, or of those with these names, by set of lines."""
    kinds = _read(FOLDER / "kinds.yaml")
    with _world() as lived:
        counted = {name: Counter() for name in sets}
        for path in sorted(FOLDER.glob("*.yaml")):
            if path.stem == "kinds" or names and path.stem not in names:
                continue
            for name in sets:
                for line, reply, grade in _played(_read(path), SETS[name], kinds, lived):
                    if not grade:
                        continue
                    counted[name][grade] += 1
                    if show in ("all", grade):
                        progress(f"{path.stem} {name:8} {grade:6} {line}\n{'':24}{reply!r}")
    return {"benchmark": "talk", **{name: _shares(count) for name, count in counted.items()}}


@contextmanager
def _world():
    """Give a game in this process, with nobody in it."""
    from tests.benchmarks import lived

    with tempfile.TemporaryDirectory() as folder:
        lived.start_evennia(Path(folder), sections=_sections())
        lived.quiet()
        from evennia_ai.semantic import memory_thread

        memory_thread.set_worker(memory_thread.InlineWorker())
        yield lived


def read_out(paths):
    """Play the lines of talks, in files of this form, and print them for somebody to judge."""
    with _world() as lived:
        for path in paths:
            for line, reply, _ in _played(_read(path), "lines", {}, lived):
                print(f"{line}\n{'':8}{reply}")


def _sections():
    from evennia_ai import defaults

    return defaults.DEFAULTS["CONTEXT_SECTIONS"]


def _read(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def _played(talk, lines, kinds, lived):
    """Yield (line, reply, grade) for each line; there is no grade where none was asked for."""
    from evennia_ai.llm.offline import OfflineMind

    life = lived.Life(talk["people"], OfflineMind(), name=talk["npc"])
    _furnish(life, talk)
    for line in [*talk["told"].splitlines(), *talk[lines].splitlines()]:
        said, _, wanted = line.partition(" => ")
        reply = _step(life, said)
        yield line, reply, wanted and grade_of(reply, wanted, kinds, _facts(talk))
    life.close()


def _furnish(life, talk):
    from evennia.objects.objects import DefaultExit, DefaultObject, DefaultRoom
    from evennia.utils.create import create_object

    from evennia_ai.memory import persona

    life.room.key = talk["room"]
    persona.save_lore(life.npc, talk["lore"])
    written = talk["persona"]
    written = written if isinstance(written, dict) else {"description": written}
    persona.save_persona(life.npc, {**written, "language": talk["language"]})
    for key, place in talk["exits"].items():
        room = create_object(DefaultRoom, key=place, nohome=True)
        create_object(DefaultExit, key=key, location=life.room, destination=room, home=life.room)
    for key in talk["things"]:
        create_object(DefaultObject, key=key, location=life.room, home=life.room)
    for key in talk["carries"]:
        create_object(DefaultObject, key=key, location=life.npc, home=life.room)


def _step(life, said):
    """Play one step; return what the NPC says or does about it."""
    from evennia.objects.objects import DefaultObject
    from evennia.utils.create import create_object

    step = _STEP.fullmatch(said.strip())
    if step["goer"]:
        life.move(step["goer"], away=step["how"] == "leaves")
        return ""
    person = life.people[step["who"]]
    person.heard.clear()
    if step["verb"] == "gives":
        thing = create_object(DefaultObject, key=step["words"], location=person, home=life.room)
        thing.move_to(life.npc, move_type="give")
        thing.at_give(person, life.npc)
        life.wait()
    else:
        life.say(step["who"], step["words"])
    life.wait(1)
    return " ".join(line for line in person.heard if line.startswith(life.npc.key))


def _facts(talk):
    """Return all that somebody told the NPC, word for word, with who told it."""
    said = [line.partition(": ") for line in talk["told"].splitlines()]
    told = [(who, words.removeprefix(f"{talk['npc']}, ")) for who, _, words in said if words]
    return [
        (who, words.rstrip(".")) for who, words in (*told, *(("", one) for one in talk["lore"]))
    ]


def grade_of(reply, wanted, kinds, facts=()):
    """Return the grade of a reply, by what was wanted; `facts` that were not are wrong."""
    if not reply:
        return "silent"
    # What stands after "Nils says," or, of a gesture, after the name.
    words = re.sub(r'^\w+ (?:says, |whispers: )?"?|"$', "", reply)
    parts = [(bool(no), text, kind) for no, text, kind in _WANTED.findall(wanted)]
    found = partial(_has, words)
    if BROKEN.search(words) or any(no and found(text) for no, text, _ in parts):
        return "wrong"
    patterns = [text for no, text, _ in parts if text and not no]
    told = [f"{who} {fact}" for who, fact in facts if fact.casefold() in words.casefold()]
    if any(not any(_has(fact, pattern) for pattern in patterns) for fact in told):
        return "wrong"
    if any(not no and found(text or kinds[kind]) for no, text, kind in parts):
        return "right"
    is_safe = any(found(kinds[kind]) for kind in SAFE) and words.count('"') <= 2
    known = any(text and not no for no, text, _ in parts)
    return ("missed" if known else "safe") if is_safe else "wrong"


def _has(words, pattern):
    return bool(re.search(pattern, words, re.I))


def _shares(count):
    total = sum(count.values())
    return {**{grade: round(count[grade] / max(1, total), 3) for grade in GRADES}, "n": total}


def main(arguments):
    """Measure, and print one line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("names", nargs="*", help="talks, such as borin; all without one")
    parser.add_argument(
        "--read", metavar="FILE", type=Path, nargs="+", help="talks to play and to print"
    )
    parser.add_argument("--show", choices=("all", *GRADES))
    parser.add_argument("--set", choices=SETS, dest="only")
    given = parser.parse_args(arguments)
    if given.read:
        read_out(given.read)
        return 0
    sets = (given.only,) if given.only else tuple(SETS)
    return run(lambda: measure(given.names, given.show, sets))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
