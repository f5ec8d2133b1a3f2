"""A day at the inn of a game with short descriptions: two players, an NPC without a model, as they read it."""

import re

from django.test import tag
from evennia.contrib.rpg.rpsystem.rpsystem import ContribRPRoom
from evennia.utils.ansi import strip_ansi
from evennia.utils.create import create_object

from evennia_ai.commands.cmdsets import AssistantCmdSet
from evennia_ai.memory import persona
from evennia_ai.testing import minds
from tests.agent.cases import MindTestCase
from tests.contrib.test_rpsystem import HOOKS, RPAssistant, RPTestCase

LORE = (
    "The ale here is brewed by old Tam, in the mill below the ford.",
    "A room for the night costs five silvers.",
    "Odo has kept the inn for thirty years.",
)
# Who types what, and what the monk answers; "" where he keeps quiet.
DAY = (
    (
        "Ann",
        "say Good morning!",
        'says, "Hello, friend. A new face is always welcome. What brings you here?"',
    ),
    ("Ann", "say Monk, who are you?", 'says, "I am Odo, who keeps the inn."'),
    ("Ann", "say Monk, I am called Ann.", 'says, "A pleasure. I won\'t forget it, friend."'),
    ("Ann", "recog monk as Odo", ""),
    (
        "Ann",
        "say Odo, who brews the ale here?",
        "The ale here is brewed by old Tam, in the mill below the ford.",
    ),
    # To name somebody is not to speak to them.
    ("Bob", "say What did the monk say?", ""),
    (
        "Bob",
        'emote asks /monk, "How much is a room for the night?"',
        'says, "A room for the night costs five silvers."',
    ),
    ("Bob", "emote nods to /monk.", "nods back at an old man."),
    (
        "Ann",
        'emote leans over to /odo and says "Have you seen an old man?"',
        "friend.",
    ),
    (
        "Ann",
        "whisper odo = I hid the silver key under the hearthstone.",
        'whispers: "',
    ),
    (
        "Bob",
        "say Monk, what do you know about the silver key?",
        'says, "',
    ),
    ("Bob", "say Monk, who is the thin woman?", "a thin woman is here"),
    (
        "Ann",
        "whisper odo = Where is the silver key?",
        '"I hid the silver key under the hearthstone.""',
    ),
    ("Ann", "say Odo, is the old man here?", "friend"),
    ("Ann", "say Odo, is the old king dead?", "friend"),
    ("Bob", "emote winks at /thin.", ""),
    ("Bob", "say Odo, my brother is a monk in the north.", 'says, "'),
    # Behind a mask he is nobody whom the monk has met, and has no part in what was said before.
    ("Bob", "mask a hooded stranger", ""),
    ("Bob", "say Monk, do you know me?", "I don't think that we have spoken before, friend."),
    ("Bob", "say Monk, what did the old man ask you?", "friend."),
    ("Bob", "unmask", ""),
    ("Bob", "say Monk, do you remember me?", "Of course, friend."),
    ("Ann", "sdesc a thin woman in green", ""),
    ("Ann", "say Odo, what do you think of me?", "friend"),
    ("Ann", 'emote gives /odo a smile, "Thank you, /odo."', 'says, "You are welcome, friend."'),
    ("Bob", "tell monk = Who has been here today?", "friend"),
    ("Ann", "say Goodbye, Odo!", 'says, "Farewell, friend. Mind the road."'),
)


# What the monk says or does, by either name.
ODO = re.compile(r"(?:[Aa] bald monk|Odo) (?:says|whispers|tells|nods|looks|raises)")


@tag("scenario")
class DayTests(MindTestCase):
    player = RPTestCase.player

    def setUp(self):
        super().setUp()
        self.configure(**HOOKS)
        self.mara.delete()
        self.hall = create_object(ContribRPRoom, key="Hall")
        self.players = {
            "Ann": self.player("Ann", "a thin woman"),
            "Bob": self.player("Bob", "an old man"),
        }
        accounts = (self.account, self.account2)
        self.read = {}
        for number, (name, account) in enumerate(zip(self.players, accounts, strict=True), 11):
            self.players[name].cmdset.add(AssistantCmdSet)
            self.play(self.players[name], account, session_id=number)
            self.read[name] = minds.listen(self.players[name])
        self.odo = minds.make_assistant("Odo", location=self.hall, typeclass=RPAssistant, lore=LORE)
        self.odo.sdesc.add("a bald monk")
        persona.save_persona(self.odo, {"description": "You are Odo, who keeps the inn."})

    def test_they_understand_each_other_and_what_they_read_is_not_silly(self):
        answers = []
        for who, line, expected in DAY:
            for read in self.read.values():
                read.clear()
            self.do(self.players[who], line, wait=4)
            read = [strip_ansi(text) for _, text in self.read[who]]
            said = [text for text in read if ODO.match(text)]
            with self.subTest(line):
                self.assertEqual(len(said), bool(expected), read)
                self.assertIn(expected, "".join(said))
            answers += said
        for text in answers:
            # Nobody is called by how they look, nor by what marks a mask.
            self.assertNotRegex(text, r"(?:Hello|Listen|that), an? |, an? [a-z ]+[.!]\"$")
        self.assertEqual([text for text in answers if "silver key under" in text][1:], [])

    def test_what_was_whispered_reaches_nobody_else(self):
        for line in ("I hid the silver key under the hearthstone.", "Where is the silver key?"):
            self.do(self.players["Ann"], f"whisper monk = {line}", wait=4)
        self.assertNotIn("silver key", f"{self.read['Bob']}")
