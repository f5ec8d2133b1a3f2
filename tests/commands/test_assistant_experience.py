"""`@assistant/experience`: what staff see of what an NPC learned, and say of it."""

from evennia_ai.experience import turn_decisions
from evennia_ai.experience.base import experience_of
from evennia_ai.memory import identity
from evennia_ai.semantic import memory_thread
from evennia_ai.typeclasses import scripts
from tests.agent.test_experience import Broken
from tests.commands.cases import CommandTestCase
from tests.domain.decided import decision

NEWS = "News that somebody tells, say by a player, stranger, in Room"


class ExperienceTests(CommandTestCase):
    def setUp(self):
        super().setUp()
        self.name = f"Mara(#{self.npc.id})"
        self.memory = experience_of(scripts.find(self.npc), self.npc)

    def create_cast(self):
        super().create_cast()
        self.npc = self.mara()

    def decide(self, action, reward, *, turn="turn", words="", reason=""):
        stored = self.memory.store_decision(
            NEWS, action, "information", reward, {}, reason, episode_id=turn, words=words
        )
        record = decision(
            id=self.successResultOf(stored),
            turn=turn,
            actor=identity.identity_of(self.char1),
            action=action,
            title=NEWS,
            settled=True,
        )
        turn_decisions.wait_for(scripts.find(self.npc), self.npc, record)

    def feedback(self, turn):
        return self.successResultOf(self.memory.retrieve_feedback(turn))

    def test_it_shows_what_is_tried_when_how_it_goes_and_what_was_done_last(self):
        """D41: statistics; D6: what people said of it."""
        self.decide("comfort them", 0.6, turn="a", words="My wife |rdied.", reason="they weep")
        self.decide("comfort them", 0.2, turn="b")
        self.decide("change the subject", -0.8, turn="c")
        self.types("@assistant/experience Mara/3 = 9 That helped me.")
        shown = self.types("@assistant/experience Mara")
        for line in (
            f"{self.name} has decided 3 times, +0.02 on average (-1 to 1).",
            "News that somebody tells: comfort them (2 times, +0.43)",
            "News that somebody tells: change the subject (1 times, -0.80)",
            "67% of 3",
            "1. change the subject, 0 s ago (-0.80): News that somebody tells, say by a player",
            "heard: My wife |rdied.",
            "why: they weep",
            "rated 9 out of 10 That helped me.",
        ):
            with self.subTest(line):
                self.assertIn(line, shown)

    def test_who_has_decided_nothing_has_nothing_to_show(self):
        said = self.types("@assistant/experience Mara")
        self.assertEqual(said, f"{self.name} has decided nothing yet that it could learn from.")

    def test_where_nobody_learns_it_says_why(self):
        self.decide("calm him", 0.1)
        for typed in ("@assistant/experience Mara", "@assistant/experience Mara = 7"):
            with self.subTest(typed), self.settings_ai(EXPERIENCE={"ENABLED": False}):
                self.assertEqual(
                    self.types(typed),
                    "NPCs do not learn from what they do, and nothing can be rated: "
                    "EXPERIENCE is switched off in the settings.",
                )
        self.assertIsNone(self.feedback("turn"))

    def test_a_rating_of_staff_says_what_became_better_and_worse_and_how_long_it_took(self):
        """D6 D36: what the sources keep of an outcome has somebody who says it."""
        self.decide("calm him", 0.1, turn="a")
        self.decide("warn him", 0.1, turn="b")
        said = self.types(
            "@assistant/experience Mara = 7 better:peace,order worse:trade hours:2 They left."
        )
        self.assertEqual(said, f"You rate warn him of {self.name} as 7 out of 10.")
        self.assertIn(
            "rated 7 out of 10 better: peace, order; worse: trade; took hours: 2; They left.",
            self.types("@assistant/experience Mara"),
        )
        self.types("@assistant/experience Mara/2 = 1")
        self.assertEqual(self.feedback("a")["overall_effectiveness"], 1)
        shown = self.successResultOf(self.memory.build_few_shot_prompt(NEWS, {}))
        self.assertIn(
            '  Rated 7/10. Better: "peace, order". Worse: "trade". Note: "They left."', shown
        )

    def test_what_is_no_rating_is_not_kept(self):
        self.decide("calm him", 0.1, turn="a")
        for text in ("", "11", "well", "7 hours:long", "7 hours:-1", "7 hours:nan"):
            with self.subTest(text):
                self.assertIn(
                    "Usage: @assistant/experience",
                    self.types(f"@assistant/experience Mara = {text}"),
                )
        said = self.types("@assistant/experience Mara/2 = 7")
        self.assertEqual(said, f"{self.name} has done 1 things lately that can be rated.")
        self.assertIsNone(self.feedback("a"))

    def test_a_store_that_is_broken_is_said_to_be(self):
        self.decide("calm him", 0.1, turn="a")
        memory_thread.set_worker(Broken())
        said = f"The experience of {self.name} cannot be reached just now."
        self.assertEqual(self.types("@assistant/experience Mara"), said)
        self.assertEqual(self.types("@assistant/experience Mara = 7"), said)
