"""What strangers asked a smith and had the worst answers to, played without a model."""

from evennia.objects.objects import DefaultObject
from evennia.utils.create import create_object

from evennia_ai.memory import persona
from tests.agent.test_who_talks_when import OfflineTestCase

LORE = (
    "A plain sword costs forty silvers.",
    "Borin is sixty-one years old.",
    "Borin sells swords, daggers and nails.",
    "A room for the night at the Golden Goose costs five silvers.",
    "Borin's hammer was a gift from the dwarves.",
)
# By whom, what, and what of the answer matters.
TALK = (
    ("Bob", "Borin, my father made swords for the king.", "Your father"),
    ("Ann", "Borin, my mother lives in Oakhaven.", "Your mother"),
    ("Ann", "Borin, I am a weaver by trade.", "."),
    ("Bob", "Borin, my brother Jory went to sea two years ago.", "Your brother"),
    ("Bob", "Borin, how much is a sword?", "A plain sword costs forty silvers."),
    ("Ann", "Borin, how old are you?", "I am sixty-one years old."),
    ("Ann", "Borin, what do I do for a living?", '"I am a weaver by trade."'),
    (
        "Ann",
        "Borin, what do you think of me?",
        "I hardly know you yet, Ann. You seem decent company.",
    ),
    ("Ann", "Borin, is bob here?", "Bob is here."),
    ("Ann", "Borin, where does my mother live?", '"My mother lives in Oakhaven."'),
    ("Ann", "Borin, sorry, she lives in Elmstead, not Oakhaven.", "I have put that right, Ann."),
    ("Ann", "Borin, where does my mother live?", '"My mother lives in Elmstead."'),
    (
        "Ann",
        "Borin, what do you know about Jory?",
        'Bob told me: "My brother Jory went to sea two years ago."',
    ),
    ("Ann", "Borin, who has been here today?", "Besides you I have seen Bob here today, Ann."),
    ("Ann", "Borin, I heard your hammer was stolen", "My hammer? I'll keep that in mind, Ann."),
    ("Ann", "Borin, you the smith?", "The very same, Ann."),
    ("Ann", "Borin, what do you sell?", "I sell swords, daggers and nails."),
    ("Ann", "Borin, what year is it?", "I keep no count of the days and years, Ann."),
    ("Ann", "how much is a room for the night?", "at the Golden Goose costs five silvers."),
    ("Bob", "Borin, have you seen ann?", "Ann is right here, Bob."),
    ("Ann", "Borin, what did I give you?", "You gave me a red apple, Ann."),
)


class WorstInputsTests(OfflineTestCase):
    lore = LORE

    def test_each_has_a_right_answer_or_a_safe_one(self):
        self.mara.key, self.char1.key, self.char2.key = "Borin", "Ann", "Bob"
        persona.save_persona(self.mara, {"description": "You are Borin, the old smith of Ashford."})
        players = {"Ann": self.char1, "Bob": self.char2}
        apple = create_object(DefaultObject, key="red apple", location=self.char1)
        self.do(self.char1, f"give #{apple.id} to Borin", wait=2)
        for who, line, expected in TALK:
            with self.subTest(line):
                [said] = self.answers(line, players[who])
                self.assertIn(expected, said)
                self.assertTrue(said.startswith("Borin: "))
