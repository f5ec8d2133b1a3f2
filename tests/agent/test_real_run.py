"""A run with a real model, played again: its answers to the lines of the benchmark, and the prompts that it would read."""

import json
import statistics

import yaml
from evennia.objects.objects import DefaultCharacter, DefaultExit, DefaultObject
from evennia.utils.create import create_object
from twisted.internet.defer import succeed

from evennia_ai.domain.model_text import tokens
from evennia_ai.llm import base
from evennia_ai.llm.base import Completion
from evennia_ai.testing import minds
from tests.agent.cases import MindTestCase
from tests.benchmarks.model import LINES, how_broken

ANSWERS = LINES.with_name("answers.json")


class Recorded:
    """Gives to each line the answers that the model gave then, one after the other."""

    is_model, name = True, "recorded"

    def __init__(self):
        self.answers = json.loads(ANSWERS.read_text("utf-8"))
        self.command, self.prompts = "", []

    def complete(self, request):
        self.prompts.append((request.messages[0]["content"].split("\n")[1], request.messages))
        given = self.answers.get(self.command) or ["Hm."]
        return succeed(Completion(given.pop(0) if len(given) > 1 else given[0], model=self.name))


def text_of(messages):
    """Return a prompt as a server reads it, from its beginning."""
    return "".join(f"<{one['role']}>{one['content']}\n" for one in messages)


class RealRunTests(MindTestCase):
    def setUp(self):
        super().setUp()
        self.configure(TOOL_MODULES=[])
        self.scene = yaml.safe_load(LINES.read_text("utf-8"))
        self.mara.delete()
        for npc in self.scene["npcs"]:
            about = {key: npc[key] for key in ("description", "background", "manner")}
            minds.make_assistant(npc["name"], location=self.room1, persona=about, lore=npc["lore"])
        for key, here, there in (
            ("north", self.room1, self.room2),
            ("south", self.room2, self.room1),
        ):
            create_object(DefaultExit, key=key, location=here, destination=there)
        self.char1.key, self.char2.key = "Ann", "Bob"
        cilla = create_object(DefaultCharacter, key="Cilla", location=self.room1, home=self.room1)
        self.play(cilla, self.account, session_id=3)
        self.players = {"Ann": self.char1, "Bob": self.char2, "Cilla": cilla}
        for name, things in self.scene["holds"].items():
            for thing in things:
                create_object(DefaultObject, key=thing, location=self.players[name])
        self.wait(2)
        self.model = Recorded()
        base.install("default", self.model)

    def test_nothing_broken_is_said_and_little_is_read_anew(self):
        heard = {name: minds.listen(player) for name, player in self.players.items()}
        npcs = [npc["name"] for npc in self.scene["npcs"]]
        names = [*self.players, *npcs]
        answered = 0
        for line in self.scene["lines"]:
            for each in heard.values():
                each.clear()
            self.model.command = line["command"]
            self.do(self.players[line["who"]], line["command"], wait=3)
            for kind, text in heard[line["who"]]:
                who, _, spoken = text.replace("|n", "").partition('"')
                if kind in ("say", "whisper") and who.split()[0] in npcs:
                    spoken = spoken.rstrip('"')
                    answered += 1
                    said = line["command"].partition("=")[2] or line["command"][4:]
                    self.assertEqual(how_broken(spoken, said, names), "", (line, spoken))
        self.assertGreater(answered, 30)
        new, longest = self.read_anew()
        self.assertLessEqual(statistics.mean(new), 80)
        self.assertLessEqual(sorted(new)[int(len(new) * 0.95)], 250)
        self.assertLessEqual(longest, 850)

    def read_anew(self):
        """Return the tokens that a server reads anew for each request, where it keeps a prompt of each NPC, and the longest."""
        kept, new, longest = {}, [], 0
        for who, messages in self.model.prompts:
            shown, before = text_of(messages), kept.get(who)
            longest = max(longest, tokens.estimate(shown))
            if before is not None:
                same = next(
                    (at for at, (a, b) in enumerate(zip(shown, before, strict=False)) if a != b),
                    len(before),
                )
                new.append(tokens.estimate(shown[same:]))
            kept[who] = shown
        return new, longest
