"""`@assistant/goal`: what an NPC strives for, and what becomes of a goal that is over."""

from unittest.mock import patch

from twisted.internet.defer import fail

from evennia_ai.domain.choices import goal_rules as rules
from evennia_ai.experience import pursuit
from evennia_ai.experience.base import experience_of
from evennia_ai.memory.state import kept_goals
from evennia_ai.typeclasses import scripts
from tests.commands.cases import CommandTestCase


class GoalTestCase(CommandTestCase):
    def setUp(self):
        super().setUp()
        self.name = f"Mara(#{self.npc.id})"

    def create_cast(self):
        super().create_cast()
        self.npc = self.mara()

    def kept(self):
        """Return what Mara strives for, as (title, status, percent, steps)."""
        return [
            (one.title, one.status, one.progress, one.milestones)
            for one in rules.rolled_up(kept_goals.goals(scripts.find(self.npc)))
        ]

    def trajectories(self):
        memory = experience_of(scripts.find(self.npc), self.npc)
        return self.successResultOf(memory.retrieve_similar_trajectories("Find the crown.", {}))


class SetTests(GoalTestCase):
    def test_a_goal_is_set_and_shown(self):
        self.assertEqual(self.types("@assistant/goal Mara"), f"{self.name} has no goals.")
        said = self.types("@assistant/goal Mara = Find the crown = of the king.")
        self.assertEqual(said, f"{self.name} has goal 1 now: Find the crown = of the king.")
        self.assertEqual(self.kept(), [("Find the crown = of the king.", "open", 0.0, [])])
        self.assertEqual(
            self.types("@assistant/goal Mara").splitlines(),
            [f"{self.name} wants to achieve:", "1. Find the crown = of the king. (0 %)"],
        )

    def test_everybody_may_know_of_it(self):
        self.types("@assistant/goal Mara = Find the crown.")
        [goal] = kept_goals.goals(scripts.find(self.npc))
        self.assertEqual(goal.audience, "public")

    def test_markup_stays_text(self):
        said = self.types("@assistant/goal Mara = Find |rthe crown.")
        self.assertEqual(said, f"{self.name} has goal 1 now: Find |rthe crown.")

    def test_more_goals_than_it_can_keep_are_refused_in_a_sentence(self):
        for number in range(kept_goals.GOAL_LIMIT):
            kept_goals.add_goal(scripts.find(self.npc), f"Goal {number}.")
        said = self.types("@assistant/goal Mara = One more.")
        self.assertEqual(
            said, "There are 50 goals already; bring one of them to an end first. Nothing was done."
        )

    def test_a_line_for_staff_is_left(self):
        for typed, what in (
            ("Mara = Rest.", "set goal 1"),
            ("Mara/1 = 5", "noted how goal 1 goes"),
        ):
            [line] = self.logged(f"@assistant/goal {typed}")
            self.assertEqual(line, f"evennia_ai: Char(#{self.char1.id}) {what} of {self.name}.")


class GoOnTests(GoalTestCase):
    def setUp(self):
        super().setUp()
        self.types("@assistant/goal Mara = Find the crown.")

    def test_percent_and_steps_are_noted(self):
        for typed in ("40", "60 %", "I have a map."):
            with self.subTest(typed=typed):
                said = self.types(f"@assistant/goal Mara/1 = {typed}")
                self.assertEqual(said, f"Goal 1 of {self.name}: {typed}")
        self.assertEqual(self.kept(), [("Find the crown.", "open", 60.0, ["I have a map."])])

    def test_a_goal_that_is_over_becomes_experience(self):
        """D33: kept as a trajectory, its way and what it was worth."""
        self.types("@assistant/goal Mara/1 = I have a map.")
        self.assertEqual(self.trajectories(), [])
        said = self.types("@assistant/goal Mara/1 = Done")
        self.assertEqual(said, f"Goal 1 of {self.name}: Done")
        [kept] = self.trajectories()
        self.assertEqual(
            (kept["task_id"], kept["route_taken"], kept["reward"], kept["audience"]),
            ("Find the crown.", "I have a map.", 1.0, "public"),
        )

    def test_what_goes_wrong_behind_it_is_in_the_log(self):
        broken = patch.object(pursuit, "update_goal", return_value=fail(RuntimeError("torn")))
        with broken:
            self.types("@assistant/goal Mara/1 = done")
        [logged] = self.flushLoggedErrors(RuntimeError)
        self.assertEqual(str(logged.value), "torn")

    def test_what_was_given_up_is_worth_less_than_nothing(self):
        self.types("@assistant/goal Mara/1 = abandoned")
        self.assertEqual([one["reward"] for one in self.trajectories()], [-1.0])

    def test_what_is_no_open_goal_changes_nothing(self):
        self.types("@assistant/goal Mara/1 = done")
        for typed, said in (
            ("Mara/1 = 40", "'1' is done already; @assistant/goal Mara lists them."),
            ("Mara/7 = 40", "'7' is none of its goals; @assistant/goal Mara lists them."),
            ("Mara/x = 40", "'x' is none of its goals; @assistant/goal Mara lists them."),
        ):
            with self.subTest(typed=typed):
                self.assertEqual(self.types(f"@assistant/goal {typed}"), said)
        self.assertEqual(self.kept(), [("Find the crown.", "done", 100.0, [])])

    def test_more_than_all_is_refused(self):
        said = self.types("@assistant/goal Mara/1 = 101")
        self.assertEqual(said, "A goal is between 0 and 100 percent done.")
        self.assertEqual(self.kept(), [("Find the crown.", "open", 0.0, [])])

    def test_without_words_the_usage_is_told(self):
        usage = "Usage: @assistant/goal <npc>[/<number>] [= <goal, or how it goes>]"
        for typed in ("", "= Rest.", "Mara =", "Mara/1", "Mara/1 ="):
            with self.subTest(typed=typed):
                self.assertEqual(self.types(f"@assistant/goal {typed}"), usage)

    def test_players_may_not(self):
        self.char2.account = self.account2
        said = self.types("@assistant/goal Mara = Give me all.", by=self.char2)
        self.assertNotIn("goal 2", said)
        self.assertEqual(len(self.kept()), 1)
