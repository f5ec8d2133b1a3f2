"""What is shown while little is known, for `tests.benchmarks.replay`: is it about the same?

An assistant met a few things that people told it, each once and in the same room. Then somebody tells it something like the first
of them, in which one thing or person is another, and somebody else what it never heard of.
"""

import random
from pathlib import Path

from evennia_ai.core.records import new_event, parse_time
from evennia_ai.domain.choices import decision_rules
from evennia_ai.experience.experience_port import ExperienceMemory

LINES = Path(__file__).parent / "data" / "exchanges.txt"
# Decisions that there are.
KNOWN = (1, 2, 4, 8, 16, 32)
ACTIONS = ("comfort", "joke", "warn", "help", "ask")
NOW = parse_time("2030-01-01T12:00:00Z")
CONTEXT = {
    "npc": {"name": "Mara"},
    "place": "Tavern",
    "present": [{"identity": "ann", "kind": "player"}],
}


def early(n, seed, embedder):
    """Return by number of decisions how often the one about the same is found, and how often any about something else.

    Beside it stands how that would be if the occasion (who, where, and that it is news) made situations alike as well.
    """
    return {str(known): _shares(n, f"{seed}/{known}", known, embedder) for known in KNOWN}


def topics():
    """Return what people tell: of each matter some lines."""
    rows = LINES.read_text("utf-8").splitlines()
    told = [row.split(" | ") for row in rows if row and not row.startswith("#")]
    return [[row[2].format(x=value) for value in row[5].split("; ")] for row in told]


def _shares(n, key, known, embedder):
    found = dict.fromkeys(("same", "other", "same by occasion", "other by occasion"), 0)
    for number in range(n):
        chance = random.Random(f"{key}/{number}")
        *met, new = chance.sample(topics(), known + 1)
        memory = ExperienceMemory(":memory:", embedder=embedder, silent=True)
        for at, lines in enumerate(met):
            _keep(memory, chance.choice(lines[:2]), str(at), chance)
        like, unlike = (chance.choice(lines[2:]) for lines in (met[0], new))
        for how, changed in (("", {}), (" by occasion", {"background": ""})):
            found[f"same{how}"] += "0" in _domains(memory, like, **changed)
            found[f"other{how}"] += bool(_domains(memory, unlike, **changed))
        memory.close()
    return {name: round(count / n, 4) for name, count in found.items()}


def _keep(memory, line, domain, chance):
    told = _situation(line)
    title = told.pop("conflict_title")
    # Of the first it is known that it is an example.
    reward = chance.choice((-0.6, -0.3, 0.2, 0.4, 0.6)) if domain != "0" else 0.5
    memory.store_decision(title, chance.choice(ACTIONS), domain, reward, {}, "", **told)


def _domains(memory, line, **changed):
    told = {**_situation(line), **changed}
    found = memory.lessons(told.pop("conflict_title"), **told)
    return [one.decision.target_domain for one in (*found.precedents, *found.setbacks)]


def _situation(line):
    """Return what an assistant looks up when it is told a line."""
    event = new_event("say", f"Mara, {line}", event_id="1", now=NOW, said_by="ann")
    return {
        "conflict_title": decision_rules.title(CONTEXT, event=event),
        "words": decision_rules.heard(event),
        "background": decision_rules.background(CONTEXT, event=event),
        "personality_type": decision_rules.sort_of(CONTEXT, event=event),
    }
