"""Every switch of every command, typed in a real game: what is right, each misuse, and each question.

A table says who types what and what is read then. What is wrong with every command alike (nothing
after the switch, somebody who is not there, somebody who may not) is typed for each switch that the
commands have, whether the tables know it or not.
"""

import re
import unittest

from django.test import tag

from evennia_ai.commands.base import choose_switch, split_switches
from evennia_ai.commands.cmdsets import COMMANDS
from tests.scenarios import every_switch_of_memory as memory
from tests.scenarios import every_switch_of_staff as staff
from tests.scenarios.game import SUPERUSER, Game
from tests.scenarios.stage import Stage
from tests.scenarios.table import QUESTION, Table, logged, wrong

PASSWORD = "river-road-7"
# Evennia's own commands, in which a switch of ours is none.
NOT_OURS = ("examine", "scripts", "tag", "spawn", "link", "unlink", "sethome")
STAFF = ("assistant", "aimemory", "aiadmin")

# In this order: what is made in one of them is looked at in the next.
LINES = (
    *staff.TAKING_ALL,
    *staff.MAKING,
    *staff.SWITCHING,
    *staff.PERSONA,
    *staff.SPEAKING,
    *staff.LORE,
    *memory.PLAYERS,
    *staff.REPORTS,
    *staff.LEARNING,
    *memory.VIEWS,
    *memory.FILES,
    *memory.CHANGING,
    *memory.CORRECTING,
    *memory.FORGETTING,
    *memory.COMING_BACK,
    *memory.SLEEPING,
    *staff.SPENDING,
    *staff.RUNNING,
    *staff.GOALS,
    *staff.SETTINGS,
)

# What takes nothing that could be wrong.
CANNOT_BE_WRONG = {
    "@aiadmin/doctor": "it takes no words",
    "@aimemory": "it only lists the switches",
    "@aiadmin": "it only lists the switches",
}
SEED = """name: Ole
persona:
  manner: Short.
"""
DIALOGUE = """seed: ole
minds: offline
people:
  Ann: {}
dialogue:
  - Ann: "Ole, how are you?"
    must_not_mention: [crown]
"""


def switches():
    """Return (command, switch, method) for all that our commands have."""
    found = []
    for name, made in COMMANDS.items():
        if name not in NOT_OURS:
            command = made()
            found += [(command, key, method) for key, method in command.switch_methods().items()]
    return found


def written(command, switch):
    """Return how a switch is typed."""
    return f"{command.key}/{switch}" if switch else command.key


def switch_of(typed):
    """Return which switch a line uses, as it is written in full; "" if it is no line of ours."""
    for name, made in COMMANDS.items():
        match = re.match(rf"{re.escape(made.key)}(?![\w])(.*)", typed, re.S)
        if match and name not in NOT_OURS:
            known = [key for key in made().switch_methods() if key]
            names, _ = split_switches(match[1])
            chosen = choose_switch(names, known)[0] if names else ""
            return written(made, chosen) if chosen or not names else ""
    return ""


def usage_of(method):
    """Return how a switch is written; "" if the method is the list of the switches."""
    return (method.__doc__ or "").strip().partition("\n")[0] if "<" in method.__doc__ else ""


def takes(method):
    """Return what stands behind a switch in its usage, without what may be left out."""
    usage = usage_of(method).partition(" ")[2]
    while (shorter := re.sub(r"\[[^\[\]]*\]", "", usage)) != usage:
        usage = shorter
    return usage.strip()


def right_uses():
    """Return the first line of the tables for each switch that names Ole, by the switch."""
    found = {}
    for line in LINES:
        if re.search(r"\bOle\b", line.typed) and not line.is_wrong:
            found.setdefault(switch_of(line.typed), line)
    return found


def misuses():
    """Yield for each switch what is wrong with every command alike."""
    uses = right_uses()
    for name, made in COMMANDS.items():
        if name in NOT_OURS:
            continue
        who = {"aiadmin": "Keeper"}.get(name, "Bea" if name in STAFF else "Pia")
        for switch, method in made().switch_methods().items():
            typed = written(made, switch)
            use = uses.get(typed)
            if takes(method):
                boss = "Adam" if name in STAFF else who
                yield wrong(boss, typed, f"Usage: {usage_of(method)}")
            if name in STAFF:
                yield wrong("Pia", use.typed if use else typed, f"Command '{typed}…")
            if use and "create" not in typed:
                yield from _about_somebody(name, typed, use)
        yield wrong(who, f"{made.key}/nosuch Ole", f"There is no switch /nosuch: {made.key} has …")


def _about_somebody(name, typed, use):
    """Yield what is wrong with whom a line is about."""

    def about(whom):
        return re.sub(r"\bOle\b", whom, use.typed, count=1)

    if typed in ("@aiadmin/cost", "@aiadmin/budget"):
        answer = "There is neither an assistant nor a player called 'Nobody'."
    elif name in STAFF:
        answer = "Could not find 'Nobody'."
    else:
        answer = "There is no 'Nobody' here who would listen."
        yield wrong("Oto", use.typed, "There is no 'Ole' here who would listen.")
    boss = "Adam" if name in STAFF else "Pia"
    yield wrong(boss, about("Nobody"), answer)
    if name in ("assistant", "aimemory") and typed not in ("@aimemory/export", "@aimemory/import"):
        refusal = "You may not change the mind of Mara: you do not control it."
        yield wrong("Bea", about("Mara"), refusal)


class TableTests(unittest.TestCase):
    """The tables leave out no switch, and of none what can go wrong."""

    def test_each_switch_is_used_and_each_is_used_wrongly(self):
        used, misused = set(), set()
        for line in LINES:
            (misused if line.is_wrong else used).add(switch_of(line.typed))
        every = {written(command, switch) for command, switch, _ in switches()}
        self.assertEqual(every - used, set(), "no line of the tables uses them")
        self.assertEqual(
            every - misused - set(CANNOT_BE_WRONG), set(), "nothing is wrong with them"
        )
        self.assertEqual(set(CANNOT_BE_WRONG) & misused, set())

    def test_each_question_is_answered_by_yes_and_by_no(self):
        answers = {}
        for line, after in zip(LINES, LINES[1:], strict=False):
            if line.asks and (QUESTION in line.answer or "import" in line.typed):
                answers.setdefault(switch_of(line.typed), set()).add(after.typed)
        self.assertEqual(
            set(answers),
            {
                "@assistant/detach",
                "@assistant/persona",
                "@aimemory/export",
                "@aimemory/import",
                "@aimemory/seed",
                "@aimemory/edit",
                "@aimemory/narrow",
                "@aimemory/correct",
                "@aimemory/forget",
                "remember/forget",
            },
        )
        for switch, given in answers.items():
            self.assertEqual(given, {"y", "n"}, switch)

    def test_a_line_for_staff_is_asked_of_each_switch_that_changes_something(self):
        changed, before = set(), ""
        for line in LINES:
            before = switch_of(line.typed) or before
            if line.log:
                changed.add(before)
        every = {written(command, switch) for command, switch, _ in switches()}
        self.assertEqual(
            every - changed,
            {
                "@assistant",
                # What drops one is asked in tests/commands: here nobody is sent anywhere.
                "@assistant/errands",
                "@assistant/show",
                "@assistant/why",
                "@aimemory",
                "@aimemory/journal",
                "@aimemory/search",
                "@aiadmin",
                "@aiadmin/cost",
                "@aiadmin/doctor",
                # Here nothing waits for workers that could be tried again or dropped.
                "@aiadmin/jobs",
                "@aiadmin/tools",
                "remember",
                "tell",
            },
        )


@tag("scenario")
class EverySwitchTests(unittest.TestCase):
    def test_each_line_of_the_tables_is_answered_as_it_says(self):
        with Game(CREATION_THROTTLE_LIMIT=10) as game:
            minds = game.directory / "world" / "minds"
            (minds / "ole.yaml").write_text(SEED, encoding="utf-8")
            dialogues = game.directory / "world" / "dialogues"
            dialogues.mkdir(exist_ok=True)
            (dialogues / "ole.yaml").write_text(DIALOGUE, encoding="utf-8")
            players = self.enter(game)
            table = Table(players)
            for line in LINES:
                table.type(line)
            for line in misuses():
                table.type(line)
            wanted = [log for line in LINES for log in line.log.splitlines()]
            self.assertEqual(logged(game, players), wanted)
            self.assertEqual(game.tracebacks(), [])
            self.assertEqual(game.starts(), 2)

    def enter(self, game):
        """Return the players: three of staff and one who looks on in the kitchen, one elsewhere."""
        stage = Stage(game.port, write=lambda line: None)
        self.addCleanup(stage.leave)
        keeper = stage.enter(*SUPERUSER, staff=True)
        players = {keeper.name: keeper}
        for name in ("Bea", "Adam", "Pia", "Oto"):
            players[name] = stage.enter(name, PASSWORD)
        for name, permission in (("Bea", "Builder"), ("Adam", "Admin")):
            keeper.sends(f"perm *{name} = {permission}")
            keeper.sees("^Permission .* given")
        for name in ("Keeper", "Bea", "Adam", "Pia"):
            players[name].sends("kitchen")
            players[name].sees("^The Kitchen")
        return players
