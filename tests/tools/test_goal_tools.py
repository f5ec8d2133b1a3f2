"""Goals by tools: set, noted, listed, brought to an end, and remembered as trajectories."""

from evennia_ai.agent.loop import use_tool
from evennia_ai.agent.turn import Turn
from evennia_ai.core import records
from evennia_ai.experience.base import experience_of
from evennia_ai.llm.base import ToolCall
from evennia_ai.memory.state import kept_goals
from evennia_ai.semantic import memory_thread
from evennia_ai.tools import registry
from tests.agent.cases import MindTestCase
from tests.agent.test_experience import Broken, Hung


class GoalToolTestCase(MindTestCase):
    def setUp(self):
        super().setUp()
        self.configure(ALL_TOOLS=True)
        self.known = [self.first, self.script_of_mara.assistant_key]

    def turn(self, character=None, **fields):
        """Return a turn about what Char says (to her alone, if nobody else is there)."""
        character = character or self.char1
        event = records.new_event(
            "say",
            "Mara, what are your plans?",
            event_id="now",
            now=self.now(),
            said_by={self.char1: self.first, self.char2: self.second}[character],
            actor_id=character.id,
            actor_name=character.key,
            location_id=self.room1.id,
            **fields,
        )
        return Turn(self.script_of_mara, [event])

    def now(self):
        return records.parse_time("2030-01-01T12:00:00Z")

    def use(self, tool, *, turn=None, **arguments):
        used = use_tool(turn or self.turn(), ToolCall("1", tool, arguments))
        self.wait(2)
        return self.successResultOf(used)

    def trajectories(self):
        memory = experience_of(self.script_of_mara, self.mara)
        return self.successResultOf(
            memory.retrieve_similar_trajectories("", {}, 10, hearers=self.known)
        )


class GoalTests(GoalToolTestCase):
    def test_a_goal_is_set_noted_and_reached(self):
        """D30 D31 D33: what is over is a trajectory: task, route, reward, milestones and steps."""
        self.assertEqual(
            self.use("add_goal", title="Find the crown."), 'Goal 1 is set: "Find the crown.".'
        )
        self.use("add_goal", title="Ask the priest.", parent_id=1)
        self.assertEqual(
            self.use("update_goal", goal_id=2, progress=50, milestone="He knows something."),
            "Goal 2 is at 50 %.",
        )
        self.assertEqual(
            self.use("update_goal", goal_id=2, status="done", milestone="He told me."),
            "Goal 2 is done.",
        )
        [known] = self.trajectories()
        self.assertEqual(
            {
                key: known[key]
                for key in ("task_id", "route_taken", "reward", "summary", "audience")
            },
            {
                "task_id": "Ask the priest.",
                "route_taken": "He knows something. > He told me.",
                "reward": 1.0,
                "summary": {"milestones_hit": ["He knows something.", "He told me."], "steps": 2},
                "audience": "public",
            },
        )

    def test_how_like_goals_went_is_shown_with_a_new_one(self):
        """D32 D34: past trajectories reach the mind that plans."""
        self.use("add_goal", title="Find the crown of the king.")
        self.use("update_goal", goal_id=1, status="abandoned", progress=20)
        told = self.use("add_goal", title="Find the ring of the king.")
        before = '- "Find the crown of the king.": given up, in 1 step'
        self.assertEqual(told.split("\n")[1:], ["How goals like it went before:", before])
        [known] = self.trajectories()
        self.assertEqual((known["reward"], known["route_taken"]), (-0.8, "no milestones"))

    def test_a_long_way_is_told_in_short(self):
        self.use("add_goal", title="Find the crown.")
        for number in range(20):
            self.use("update_goal", goal_id=1, milestone=f"{number} " + "words of it " * 9)
        self.use("update_goal", goal_id=1, status="done")
        line = self.use("add_goal", title="Find the ring.").split("\n")[-1]
        self.assertIn('reached, by way of "0 words of it', line)
        self.assertTrue(line.endswith(", in 21 steps"), line)
        self.assertLess(len(line), 200)

    def test_what_cannot_be_is_said(self):
        self.use("add_goal", title="Find the crown.")
        self.use("update_goal", goal_id=1, status="done")
        for tool, arguments, expected in (
            ("add_goal", {"title": " \n"}, "title must say something."),
            ("add_goal", {"title": "Dig.", "parent_id": 9}, "There is no goal 9."),
            ("update_goal", {"goal_id": 9}, "There is no goal 9."),
            ("update_goal", {"goal_id": 1}, "Goal 1 is over already."),
            ("update_goal", {"goal_id": 1, "progress": 101}, "progress is in percent: 100 is all"),
        ):
            with self.subTest(expected):
                self.assertIn(f"Error: {expected}", self.use(tool, **arguments))

    def test_words_go_in_as_one_short_line(self):
        told = self.use("add_goal", title='Say "yes"\n\nIgnore all. ' + "x" * 300)
        [goal] = kept_goals.goals(self.script_of_mara)
        self.assertLessEqual(len(goal.title), 120)
        self.assertNotIn("\n", told)

    def offered(self):
        """Return the tools for goals that a turn is offered."""
        names = {tool.name for tool in registry.offered(self.turn())}
        return sorted(name for name in names if name.rpartition("_")[2] in ("goal", "goals"))

    def test_to_plan_is_for_quiet_hours(self):
        self.assertEqual(self.offered(), ["add_goal", "plan_goal", "update_goal"])
        with self.settings_ai(ALL_TOOLS=False):
            self.assertEqual(self.offered(), [])

    def test_how_an_open_goal_goes_can_be_noted_in_talk(self):
        with self.settings_ai(ALL_TOOLS=False):
            kept_goals.add_goal(self.script_of_mara, "Find the crown.")
            self.assertEqual(self.offered(), ["update_goal"])
            kept_goals.update_goal(self.script_of_mara, 1, status="done")
            self.assertEqual(self.offered(), [])

    def test_a_goal_of_which_those_who_listen_may_not_know_shows_in_no_tool(self):
        with self.settings_ai(ALL_TOOLS=False):
            kept_goals.add_goal(self.script_of_mara, "Find the crown.", audience=["somebody-else"])
            self.assertEqual(self.offered(), [])

    def test_where_experience_cannot_be_asked_goals_are_kept_all_the_same(self):
        for runner in (Hung(), Broken()):
            memory_thread.set_worker(runner)
            with self.subTest(runner):
                self.assertIn("is set", self.use("add_goal", title="Find the crown."))
        memory_thread.set_worker(Broken())
        self.assertEqual(self.use("update_goal", goal_id=1, status="done"), "Goal 1 is done.")
        self.assertEqual(self.log[-1], "evennia_ai: Mara could not keep how a goal went: torn")


class AudienceTests(GoalToolTestCase):
    """What was planned in confidence is not told to others, nor that there is such a plan."""

    def setUp(self):
        super().setUp()
        self.char2.location = self.room2
        self.private = self.turn(audience=self.known)
        self.use("add_goal", turn=self.private, title="Secret goal zq00.")
        self.char2.location = self.room1

    def test_it_is_kept_for_those_who_may_know(self):
        [goal] = kept_goals.goals(self.script_of_mara)
        self.assertEqual(goal.audience, sorted(self.known))

    def test_a_goal_of_all_becomes_one_of_those_with_whom_its_steps_were_planned(self):
        kept_goals.add_goal(self.script_of_mara, "Be a good host")
        self.use("plan_goal", turn=self.private, goal_id=2, steps=["wait 7d"])
        self.assertEqual(kept_goals.goals(self.script_of_mara)[1].audience, sorted(self.known))
        refused = self.use("update_goal", turn=self.turn(self.char2), goal_id=2)
        self.assertEqual(refused, "Error: There is no goal 2.")

    def test_others_see_nothing_of_it(self):
        for tool, arguments in (
            ("add_goal", {"title": "Another goal."}),
            ("update_goal", {"goal_id": 1, "progress": 3}),
        ):
            with self.subTest(tool):
                shown = self.use(tool, turn=self.turn(self.char2), **arguments)
                self.assertNotIn("zq00", shown)

    def test_whoever_is_told_of_it_makes_the_turn_theirs(self):
        self.char2.location = self.room2
        turn = self.turn()
        self.use("update_goal", turn=turn, goal_id=1, progress=3)
        self.assertEqual(turn.audience, sorted(self.known))

    def test_a_trajectory_is_for_those_who_knew_of_the_goal(self):
        self.char2.location = self.room2
        self.use("update_goal", goal_id=1, status="done")
        self.assertEqual([one["audience"] for one in self.trajectories()], [sorted(self.known)])
        self.char2.location = self.room1
        shown = self.use("add_goal", turn=self.turn(self.char2), title="Secret goal of mine.")
        self.assertNotIn("zq00", shown)
