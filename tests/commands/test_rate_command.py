"""`rate`: what players say of how an NPC dealt with them."""

from evennia.utils.create import create_object

from evennia_ai.experience import turn_decisions
from evennia_ai.experience.base import experience_of
from evennia_ai.memory import identity
from evennia_ai.semantic import memory_thread
from evennia_ai.testing import minds
from evennia_ai.typeclasses import scripts
from tests.agent.test_experience import Broken
from tests.commands.cases import CommandTestCase
from tests.domain.decided import decision

DONE = "You rate what Mara did as 8 out of 10."


class RateTests(CommandTestCase):
    def setUp(self):
        super().setUp()
        self.mind = scripts.find(self.npc)
        for character, turn in ((self.char1, "turn a"), (self.char2, "turn b")):
            self.decide(character, turn)

    def create_cast(self):
        super().create_cast()
        self.npc = self.mara()

    def decide(self, character, turn):
        """Let Mara have done something for somebody."""
        memory = experience_of(self.mind, self.npc)
        stored = memory.store_decision("A gift", "say", "trade", None, {}, "", episode_id=turn)
        record = decision(
            id=self.successResultOf(stored),
            turn=turn,
            actor=identity.identity_of(character),
            title="A gift",
            settled=True,
        )
        turn_decisions.wait_for(self.mind, self.npc, record)

    def said_of(self, turn):
        """Return (rating, note) of a turn, None where nobody rated it."""
        kept = self.successResultOf(experience_of(self.mind, self.npc).retrieve_feedback(turn))
        return kept and (kept["overall_effectiveness"], kept["unexpected_effects"])

    def stored(self):
        dumped = self.successResultOf(experience_of(self.mind, self.npc).dump())
        kept = [one["data"] for one in reversed(dumped["decisions"])]
        return [(one["episode_id"], one["reward"]) for one in kept if (one["reward"] or 0) > 0]

    def test_a_player_rates_what_was_last_done_for_them(self):
        """D6 D36: feedback on an episode, which is a turn, with a note."""
        self.assertEqual(self.types("rate mara = 8 Kind and quick."), DONE)
        self.assertEqual(self.said_of("turn a"), (8, "Kind and quick."))
        self.assertIsNone(self.said_of("turn b"))
        self.assertEqual(self.stored(), [("turn a", 0.3)])

    def test_once_more_replaces_it(self):
        """D37: an upsert, with its history (C-36)."""
        self.types("rate mara = 2 Rude.")
        self.assertEqual(self.stored(), [])
        self.types("rate mara = 8")
        self.assertEqual(self.said_of("turn a"), (8, ""))
        kept = self.successResultOf(experience_of(self.mind, self.npc).retrieve_feedback("turn a"))
        self.assertEqual([one["overall_effectiveness"] for one in kept["history"]], [2])
        self.assertEqual(self.stored(), [("turn a", 0.3)])

    def test_the_last_thing_counts(self):
        self.decide(self.char1, "turn c")
        self.types("rate mara = 8")
        self.assertIsNone(self.said_of("turn a"))
        self.assertEqual(self.said_of("turn c"), (8, ""))

    def test_a_note_is_one_short_printable_line(self):
        self.types(f"rate mara = 8 |rRed|n \x07 {{name}} $You() {'x ' * 300}")
        _, note = self.said_of("turn a")
        self.assertLessEqual(len(note), 200)
        self.assertNotIn("\x07", note)

    def test_ways_to_write_it(self):
        for text in ("rate mara = 8/10", "rate MARA=8", "rate mar = 08  "):
            with self.subTest(text):
                self.assertEqual(self.types(text), DONE)

    def test_each_misuse_is_told_in_one_sentence(self):
        numbers = "A rating is a whole number from 0 to 10, with a note behind it if you like."
        for text, expected in (
            ("rate", "Usage: rate <npc> = <0-10> [note]"),
            ("rate mara", "Usage: rate <npc> = <0-10> [note]"),
            ("rate mara =", "Usage: rate <npc> = <0-10> [note]"),
            ("rate = 8", "Usage: rate <npc> = <0-10> [note]"),
            ("rate mara = 11", numbers),
            ("rate mara = -1", numbers),
            ("rate mara = 7.5", numbers),
            ("rate mara = good", numbers),
            ("rate nobody = 8", "There is no 'nobody' here who would listen."),
            (
                "rate/loud mara = 8",
                "There is no switch /loud: rate has no switches. Nothing was done.",
            ),
        ):
            with self.subTest(text):
                self.assertEqual(self.types(text), expected)
        self.assertEqual((self.said_of("turn a"), self.said_of("turn b")), (None, None))

    def test_who_was_not_answered_has_nothing_to_rate(self):
        tom = minds.make_assistant("Tom", location=self.room1)
        self.assertEqual(self.types("rate tom = 8"), "Tom has done nothing for you lately to rate.")
        self.assertEqual(turn_decisions.recent(scripts.find(tom)), [])

    def test_a_thing_without_a_mind_takes_no_rating(self):
        create_object("evennia.objects.objects.DefaultObject", key="mug", location=self.room1)
        self.assertEqual(self.types("rate mug = 8"), "mug has no mind that could hear you.")

    def test_where_nobody_learns_that_is_said(self):
        with self.settings_ai(EXPERIENCE={"ENABLED": False}):
            self.assertEqual(self.types("rate mara = 8"), "NPCs take no ratings in this game.")
        self.assertIsNone(self.said_of("turn a"))

    def test_where_it_cannot_be_kept_that_is_said(self):
        memory_thread.set_worker(Broken())
        self.assertEqual(self.types("rate mara = 8"), "Mara cannot take a rating just now.")

    def test_the_help_says_who_reads_it(self):
        self.assertIn("put no secrets into it", self.types("help rate"))
