"""What holds of decisions, tones and goals whatever players say and minds plan."""

import unittest
from datetime import datetime, timezone

from hypothesis import given
from hypothesis import strategies as some
from msgspec import structs

from evennia_ai.core.records import new_event
from evennia_ai.domain import sentiment
from evennia_ai.domain.choices import decision_rules, goal_rules
from tests.domain.test_goal_rules import goal

NOON = datetime(2030, 1, 1, 12, tzinfo=timezone.utc)

WORDS = some.text(max_size=300)
KINDS = some.sampled_from(("say", "whisper", "tell", "channel", "give", "pose", "arrive", "quest"))
REWARDS = some.floats(-1, 1)
RATINGS = some.one_of(some.none(), some.integers(0, 10))


@some.composite
def trees(draw):
    """Return goals of which each may be a part of an earlier one."""
    number = draw(some.integers(0, 8))
    return [
        goal(
            one + 1,
            parent=draw(some.one_of(some.none(), some.integers(1, one))) if one else None,
            status=draw(some.sampled_from(("open", "done", "abandoned"))),
            progress=draw(some.floats(0, 100)),
        )
        for one in range(number)
    ]


class WordTests(unittest.TestCase):
    @given(WORDS)
    def test_a_tone_is_between_minus_one_and_one(self, text):
        self.assertTrue(-1.0 <= sentiment.of_words(text) <= 1.0)

    @given(some.lists(WORDS, max_size=3))
    def test_reasoning_is_one_line_of_a_hundred_characters(self, said):
        line = decision_rules.reasoning(said)
        self.assertLessEqual(len(line), 100)
        self.assertTrue(line.isprintable())
        # Quotation marks that players write end no quotation.
        self.assertLessEqual(line.count('"'), 2)

    @given(WORDS, KINDS)
    def test_a_title_says_what_with_whom_and_holds_one_line(self, text, kind):
        event = new_event(kind, text, event_id="1", now=NOON, said_by="ann")
        title = decision_rules.title({"place": text}, event=event)
        self.assertTrue(title.isprintable())
        self.assertIn(f"{kind} by somebody, stranger", title)
        self.assertIn(
            decision_rules.target_domain({}, event=event),
            ("goal", "relationship", "trade", "quest", "information"),
        )


class RewardTests(unittest.TestCase):
    @given(REWARDS, RATINGS)
    def test_a_rated_reward_is_between_minus_one_and_one(self, reward, rating):
        self.assertTrue(-1.0 <= decision_rules.rated(reward, rating) <= 1.0)

    @given(REWARDS, some.integers(0, 9))
    def test_a_better_rating_never_makes_it_worse(self, reward, rating):
        self.assertLessEqual(
            decision_rules.rated(reward, rating), decision_rules.rated(reward, rating + 1)
        )

    @given(REWARDS, some.integers(6, 10))
    def test_what_people_liked_is_always_an_example(self, reward, rating):
        self.assertGreaterEqual(decision_rules.rated(reward, rating), 0.05)

    @given(some.floats(-1, 0), some.integers(0, 4))
    def test_what_people_disliked_and_did_not_go_well_never_is(self, reward, rating):
        self.assertLessEqual(decision_rules.rated(reward, rating), decision_rules.SETBACK)


class GoalTests(unittest.TestCase):
    @given(trees())
    def test_progress_stays_between_nothing_and_all(self, tree):
        for one in goal_rules.rolled_up(tree):
            self.assertTrue(0.0 <= one.progress <= 100.0)
            self.assertTrue(-1.0 <= goal_rules.worth(one) <= 1.0)
        self.assertTrue(0.0 <= goal_rules.overall(tree) <= 100.0)

    @given(trees(), some.sets(some.integers(1, 8)))
    def test_what_is_shown_does_not_depend_on_what_is_hidden(self, tree, hidden):
        seen = [one for one in tree if one.id not in hidden]
        changed = [
            structs.replace(one, progress=77.0, status="open") if one.id in hidden else one
            for one in tree
        ]
        seen_then = [one for one in changed if one.id not in hidden]
        self.assertEqual(goal_rules.described(seen), goal_rules.described(seen_then))

    @given(trees())
    def test_each_goal_is_listed_once(self, tree):
        lines = goal_rules.described(tree)
        numbers = sorted(int(line.strip().partition(".")[0]) for line in lines)
        depth = max(
            (goal_rules.depth_of({one.id: one for one in tree}, one.id) for one in tree), default=0
        )
        if depth <= goal_rules.DEPTH:
            self.assertEqual(numbers, [one.id for one in tree])
        else:
            self.assertEqual(len(numbers), len(set(numbers)))
