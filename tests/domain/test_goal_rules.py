"""Goals within goals, and what comes of them."""

import unittest

from evennia_ai.core.records import Goal
from evennia_ai.domain.choices import goal_rules
from tests.domain.lines import OF_THE_GAME


def goal(number, *, parent=None, status="open", progress=0.0, title="", milestones=()):
    return Goal(
        sources=OF_THE_GAME,
        id=number,
        title=title or f"goal {number}",
        parent_id=parent,
        status=status,
        progress=progress,
        milestones=list(milestones),
        steps=0,
        created="",
        audience="public",
    )


class RollUpTests(unittest.TestCase):
    def progress(self, *given):
        return {one.id: one.progress for one in goal_rules.rolled_up(given)}

    def test_a_goal_is_as_far_as_its_parts_on_average(self):
        given = [goal(1), goal(2, parent=1, progress=50), goal(3, parent=1, status="done")]
        self.assertEqual(self.progress(*given), {1: 75.0, 2: 50.0, 3: 100.0})

    def test_parts_of_parts_count_and_what_was_given_up_does_not(self):
        given = [
            goal(1),
            goal(2, parent=1),
            goal(3, parent=2, progress=40),
            goal(4, parent=1, status="abandoned", progress=10),
        ]
        self.assertEqual(self.progress(*given)[1], 40.0)

    def test_without_parts_it_says_itself_how_far_it_is(self):
        self.assertEqual(self.progress(goal(1, progress=30)), {1: 30.0})
        given_up = goal(2, parent=1, status="abandoned")
        self.assertEqual(self.progress(goal(1, progress=30), given_up)[1], 30.0)

    def test_a_circle_that_somebody_wrote_by_hand_ends(self):
        self.assertEqual(set(self.progress(goal(1, parent=2), goal(2, parent=1))), {1, 2})

    def test_all_of_it_is_the_average_of_the_open_ones_at_the_top(self):
        given = [goal(1), goal(2, parent=1, progress=50), goal(3, progress=100), goal(4)]
        self.assertEqual(goal_rules.overall(given), 50.0)
        self.assertEqual(goal_rules.overall([goal(1, status="done")]), 0.0)
        self.assertEqual(goal_rules.overall([]), 0.0)

    def test_a_part_whose_whole_cannot_be_seen_stands_for_itself(self):
        self.assertEqual(goal_rules.overall([goal(2, parent=1, progress=60)]), 60.0)

    def test_depth(self):
        known = {one.id: one for one in (goal(1), goal(2, parent=1), goal(3, parent=2))}
        self.assertEqual([goal_rules.depth_of(known, one) for one in (None, 1, 2, 3)], [0, 1, 2, 3])


class EndTests(unittest.TestCase):
    def test_what_a_goal_was_worth(self):
        """D30: the reward of a trajectory."""
        for status, progress, expected in (
            ("done", 0, 1.0),
            ("abandoned", 0, -1.0),
            ("abandoned", 75, -0.25),
        ):
            with self.subTest(status=status, progress=progress):
                given = goal(1, status=status, progress=progress)
                self.assertEqual(goal_rules.worth(given), expected)

    def test_the_route_is_what_was_reached_on_it(self):
        """D30."""
        self.assertEqual(
            goal_rules.route(goal(1, milestones=["a key", "the gate"])), "a key > the gate"
        )
        self.assertEqual(goal_rules.route(goal(1)), "no milestones")


class NewestOpenTests(unittest.TestCase):
    def first(self, *given, limit=3):
        return [goal.id for goal in goal_rules.newest_open(given, limit=limit)]

    def test_the_newest_come_first(self):
        self.assertEqual(self.first(goal(1), goal(2), goal(3), goal(4)), [4, 3, 2])

    def test_what_is_over_is_none_of_them(self):
        given = [goal(1, status="done"), goal(2, status="abandoned"), goal(3)]
        self.assertEqual(self.first(*given), [3])
        self.assertEqual(self.first(), [])


class DescribedTests(unittest.TestCase):
    def test_parts_stand_under_what_they_belong_to(self):
        given = [goal(1), goal(2, status="done"), goal(3, parent=1, progress=25)]
        self.assertEqual(
            goal_rules.described(given),
            ["1. goal 1 (25 %)", "  3. goal 3 (25 %)", "2. goal 2 (done)"],
        )
