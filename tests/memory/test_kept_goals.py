"""Goals on a mind's script."""

from evennia_ai.core.records import Source
from evennia_ai.memory.state import kept_goals
from evennia_ai.memory.storage import pages
from evennia_ai.testing import minds
from evennia_ai.testing.cases import AITestCase
from evennia_ai.typeclasses import scripts


class GoalsTestCase(AITestCase):
    def create_cast(self):
        super().create_cast()
        self.mind = scripts.find(minds.make_assistant(location=self.room1))


class GoalTests(GoalsTestCase):
    def test_a_goal_is_kept_as_a_record(self):
        goal = kept_goals.add_goal(self.mind, "Find the crown", audience=["ann"])
        self.assertEqual(kept_goals.goals(self.mind), [goal])
        self.assertEqual(
            {**pages.plain(goal), "created": ""},
            {
                "id": 1,
                "title": "Find the crown",
                "parent_id": None,
                "status": "open",
                "progress": 0.0,
                "milestones": [],
                "steps": 0,
                "audience": ["ann"],
                "sources": [["game", "", ["ann"]]],
                "created": "",
            },
        )

    def test_a_part_moves_the_whole(self):
        kept_goals.add_goal(self.mind, "Find the crown")
        for title in ("Ask around", "Dig"):
            kept_goals.add_goal(self.mind, title, parent_id=1)
        kept_goals.update_goal(self.mind, 2, progress=50, milestone="Ann knows")
        self.assertEqual(kept_goals.progress(self.mind), 25.0)
        done = kept_goals.update_goal(self.mind, 3, status="done")
        self.assertEqual((done.progress, done.steps), (100.0, 1))
        self.assertEqual(kept_goals.progress(self.mind), 75.0)
        self.assertEqual(len(kept_goals.open_goals(self.mind)), 2)
        given_up = kept_goals.update_goal(self.mind, 1, status="abandoned")
        self.assertEqual(given_up.progress, 75.0)

    def test_the_number_of_a_whole_tells_nothing_of_parts_that_are_secret(self):
        kept_goals.add_goal(self.mind, "Find the crown")
        kept_goals.add_goal(self.mind, "Bribe the priest", parent_id=1, audience=["ann"])
        kept_goals.update_goal(self.mind, 2, progress=80)
        goal = kept_goals.update_goal(self.mind, 1, progress=10)
        self.assertEqual(goal.progress, 10.0)

    def test_progress_stays_within_its_bounds(self):
        kept_goals.add_goal(self.mind, "Find the crown")
        for given, kept in ((-5, 0.0), (250, 100.0)):
            self.assertEqual(kept_goals.update_goal(self.mind, 1, progress=given).progress, kept)

    def test_what_is_noted_of_it_narrows_who_may_know_it(self):
        kept_goals.add_goal(self.mind, "Find the crown", audience=["ann", "bob"])
        heard = [Source("event 1", "bob", ["bob", "eve"])]
        goal = kept_goals.update_goal(self.mind, 1, milestone="Bob has it", sources=heard)
        self.assertEqual(goal.audience, ["bob"])

    def test_what_is_over_stays_over(self):
        kept_goals.add_goal(self.mind, "Find the crown")
        kept_goals.update_goal(self.mind, 1, status="done")
        self.assertIsNone(kept_goals.update_goal(self.mind, 1, progress=3))
        self.assertIsNone(kept_goals.update_goal(self.mind, 7, progress=3))

    def test_what_cannot_be_is_refused(self):
        kept_goals.add_goal(self.mind, "1")
        for depth in range(1, 5):
            kept_goals.add_goal(self.mind, f"{depth + 1}", parent_id=depth)
        for fields, problem in (
            ({"parent_id": 9}, "There is no goal 9."),
            ({"parent_id": 5}, "Goals lie at most 5 deep in one another."),
        ):
            with self.subTest(problem):
                with self.assertRaises(ValueError) as caught:
                    kept_goals.add_goal(self.mind, "more", **fields)
                self.assertEqual(str(caught.exception), problem)
        self.assertEqual(len(kept_goals.goals(self.mind)), 5)

    def test_the_oldest_that_is_over_makes_room(self):
        for number in range(50):
            kept_goals.add_goal(self.mind, f"goal {number}")
        with self.assertRaises(ValueError):
            kept_goals.add_goal(self.mind, "one more")
        kept_goals.update_goal(self.mind, 2, status="done")
        self.assertEqual(kept_goals.add_goal(self.mind, "one more").id, 51)
        self.assertEqual([one.id for one in kept_goals.goals(self.mind)][:2], [1, 3])
