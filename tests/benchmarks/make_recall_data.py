"""Makes the conversations that recall is measured on: `python -m tests.benchmarks.make_recall_data FOLDER`.

Written by hand: five long talks with their questions, three in a city of today and two in the world of
a MUD, and a stock of shorter exchanges with gaps to fill. Two of the first kind, one of the
second and one half of the stock are to develop on; the others are for what is reported. Chatter goes
in between, so that a talk has some hundred lines in which few tell anything.
"""

import json
import random
import re
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

DATA = Path(__file__).parent / "data"
SPLITS = {
    "develop": (
        ("city", "develop_city"),
        ("tavern", "develop_tavern"),
        ("city", "develop_friends"),
    ),
    "report": (("city", "report_city"), ("tavern", "report_forge")),
}
# Talks of a few minutes that stand between two of the long ones.
TALKS_BETWEEN = 8
EXCHANGES_A_TALK = (0, 2)
CHATTER_A_TALK = (1, 3)
SECONDS_A_LINE = 25
CATEGORIES = {
    "single": "single fact",
    "multi": "several entries",
    "temporal": "time",
    "open": "judgement",
    "change": "change of mind",
    "adversarial": "never said",
}


class Talk:
    """Lines and questions of one pair of people, as the benchmark reads them."""

    def __init__(self, prefix):
        self.prefix, self.memories, self.questions = prefix, [], []
        self._clock = None

    def at(self, moment):
        self._clock = moment

    def line(self, speaker, text):
        """Add a line; return its id."""
        memory = {
            "id": f"{self.prefix}:{len(self.memories) + 1}",
            "text": f"{speaker}: {text}",
            "speaker": speaker,
            "timestamp": self._clock.strftime("%Y-%m-%dT%H:%M:%SZ"),
        }
        self._clock += timedelta(seconds=SECONDS_A_LINE)
        self.memories.append(memory)
        return memory["id"]

    def question(self, category, text, evidence):
        self.questions.append(
            {"text": text, "evidence": evidence, "category": CATEGORIES[category]}
        )

    def as_dict(self):
        return {"memories": self.memories, "questions": self.questions}


class Stock:
    """The short exchanges and the chatter of one world and split."""

    def __init__(self, world, split, chance):
        self._chance = chance
        self._chatter = [parts[1:] for parts in _rows("chatter.txt") if parts[0] == world]
        self._due = []
        for number, parts in enumerate(row for row in _rows("exchanges.txt")):
            if parts[0] == f"{world} {split}":
                values = chance.sample(parts[5].split("; "), 4)
                # Told by both, twice by both, or by one of the two alone.
                tellers = ((0, 1), (0, 1, 0, 1), (number // 3 % 2,))[number % 3]
                self._due += [
                    (parts, value, teller) for value, teller in zip(values, tellers, strict=False)
                ]
        chance.shuffle(self._due)
        self._told = {}

    def exchange(self, talk, pair):
        """Add one of the exchanges that are left."""
        if not self._due:
            return
        (_, asks, tells, answers, question, _), value, teller = self._due.pop()
        owner, other = pair[teller], pair[1 - teller]
        talk.line(other, asks)
        evidence = talk.line(owner, tells.replace("{x}", value))
        talk.line(other, answers)
        self._told.setdefault(question, {}).setdefault(owner, []).append(evidence)

    def ask(self, talk, pair):
        """Ask about what was told, and of the wrong one of the two what only the other told."""
        for question, tellers in self._told.items():
            for owner, evidence in tellers.items():
                category = "single" if len(evidence) == 1 else "multi"
                [other] = set(pair) - {owner}
                for wording in question.split(" ; "):
                    talk.question(category, wording.replace("{A}", owner), evidence)
                    if len(tellers) == 1:
                        talk.question("adversarial", wording.replace("{A}", other), evidence)

    def chatter(self, talk, pair):
        first, second = self._chance.sample(pair, 2)
        for speaker, text in zip((first, second), self._chance.choice(self._chatter), strict=True):
            talk.line(speaker, text)


def make(split, *, seed=7):
    """Return the conversations of one split."""
    return [
        _make_talk(world, split, name, random.Random(f"{seed} {name}"))
        for world, name in SPLITS[split]
    ]


def _make_talk(world, split, name, chance):
    talk, stock = Talk(name), Stock(world, split, chance)
    source = (DATA / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    pair = source[0].split(", ")
    evidence, waiting = {}, []
    for row in source[1:]:
        if row.startswith("== "):
            moment = datetime.strptime(f"{row[3:]} +0000", "%Y-%m-%d %H:%M %z").astimezone(UTC)
            _small_talks(talk, stock, pair, moment, chance)
            talk.at(moment)
        elif row.startswith("? "):
            waiting.append([part.strip() for part in row[2:].split("|")])
        else:
            text, _, key = row[3:].partition(" #")
            speaker = next(person for person in pair if person[0] == row[0])
            evidence[key] = talk.line(speaker, text)
    for category, keys, text in waiting:
        talk.question(category, text, [evidence[key] for key in keys.split(",")])
    stock.ask(talk, pair)
    return talk.as_dict()


def _small_talks(talk, stock, pair, moment, chance):
    """Add talks of the days before."""
    for days in range(TALKS_BETWEEN, 0, -1):
        talk.at(moment - timedelta(days=days, minutes=chance.randrange(300)))
        for _ in range(chance.randint(*CHATTER_A_TALK)):
            stock.chatter(talk, pair)
        for _ in range(chance.randint(*EXCHANGES_A_TALK)):
            stock.exchange(talk, pair)
        stock.chatter(talk, pair)


def _rows(name):
    for row in (DATA / name).read_text(encoding="utf-8").splitlines():
        if row and not row.startswith("#"):
            yield re.split(r"\s*\|\s*", row)


def main(folder):
    for split in SPLITS:
        conversations = make(split)
        path = Path(folder) / f"recall_{split}.json"
        path.write_text(json.dumps(conversations, ensure_ascii=False), encoding="utf-8")
        lines = sum(len(one["memories"]) for one in conversations)
        questions = sum(len(one["questions"]) for one in conversations)
        print(f"{path}: {lines} lines, {questions} questions")


if __name__ == "__main__":
    main(*sys.argv[1:])
