"""What comes of a decision: when it is known, what it is worth, and that a reload loses none."""

import shutil
import tempfile
from unittest import mock

from evennia_ai import tick
from evennia_ai.agent.hearing import addressing
from evennia_ai.experience import base, rewards, turn_decisions
from evennia_ai.experience.base import experience_of
from evennia_ai.memory.people import entity_profiles
from evennia_ai.memory.state import kept_goals
from evennia_ai.memory.storage import own_attributes
from evennia_ai.testing import minds
from tests.agent.cases import MindTestCase
from tests.domain.decided import decision

TURN = {"favorability": 0.2, "goal_progress": 20.0}
SAME = {**TURN, "kind": "", "words": "", "before": "", "tone": 0.0, "seconds": 5.0}


class RewardTests(MindTestCase):
    """The functions that REWARDS names."""

    def test_what_somebody_thinks_of_it_counts_half(self):
        for after, expected in ((0.2, 0.0), (0.25, 0.25), (0.3, 0.5), (0.9, 0.5), (0.1, -0.5)):
            with self.subTest(after):
                given = rewards.favorability(TURN, {**SAME, "favorability": after})
                self.assertEqual(given, expected)

    def test_how_they_sound_counts_in_full(self):
        self.assertEqual(rewards.tone(TURN, {**SAME, "tone": -1.0}), -1.0)
        self.assertEqual(rewards.tone(TURN, SAME), 0.0)

    def test_to_be_asked_the_same_again_is_bad(self):
        for before, words, expected in (
            ("Where is the old miller?", "I asked where the old miller is!", -0.5),
            ("Where is the miller?", "Where is the miller?", -0.5),
            ("Where is the miller?", "And where is the baker?", 0.0),
            ("Where is the miller?", "", 0.0),
            ("", "Where is the miller?", 0.0),
        ):
            with self.subTest(words):
                given = rewards.asked_again(TURN, {**SAME, "before": before, "words": words})
                self.assertEqual(given, expected)

    def test_half_of_a_goal_is_a_full_success(self):
        for after, expected in ((20.0, 0.0), (45.0, 0.5), (100.0, 1.0), (0.0, -0.4)):
            with self.subTest(after):
                given = rewards.goal_progress(TURN, {**SAME, "goal_progress": after})
                self.assertEqual(given, expected)


class SettledTestCase(MindTestCase):
    """Mara, and what her decisions were worth."""

    def setUp(self):
        super().setUp()
        minds.script_llm("Sit down.", "I see.", "Well.", "Hm.", repeat=True)

    def say(self, words, character=None):
        self.do(character or self.char1, f"say {words}", wait=2)

    def rewards(self):
        """Return what Mara's decisions were worth, None for those that wait."""
        return [
            one.reward if one.settled else None
            for one in turn_decisions.recent(self.script_of_mara)
        ]

    def stored(self):
        """Return the rewards in the store, by what was done."""
        memory = base._memory(self.script_of_mara.assistant_key)
        rewards = {}
        for one in memory.dump()["decisions"]:
            rewards.setdefault(one["data"]["action_type"], []).append(one["data"]["reward"])
        return rewards

    def tick(self, seconds=0):
        self.clock.advance(seconds)
        tick.run_tick(self.script_of_mara)


class SettlingTests(SettledTestCase):
    def test_nothing_is_known_before_the_other_has_answered(self):
        self.say("Mara, I was robbed!")
        self.assertEqual(self.rewards(), [None])
        self.assertEqual(self.stored(), {"say": [None]})
        self.say("Thank you, Mara.")
        self.assertEqual(self.rewards(), [0.6, None])
        self.assertEqual(self.stored(), {"say": [0.6, None]})

    def test_what_somebody_else_says_settles_nothing(self):
        self.say("Mara, I was robbed!")
        self.say("Thank you, Mara.", self.char2)
        self.assertEqual(self.rewards(), [None, None])

    def test_what_they_think_of_it_since_counts(self):
        self.say("Mara, I was robbed!")
        entity_profiles.update_relationship(self.mara, self.char1, 0.05, "helped")
        self.say("Mara, it was in my pocket.")
        self.assertEqual(self.rewards()[0], 0.25)

    def test_progress_of_a_goal_since_counts(self):
        kept_goals.add_goal(self.script_of_mara, "Find the purse")
        self.say("Mara, I was robbed!")
        kept_goals.update_goal(self.script_of_mara, 1, progress=25)
        self.say("Mara, it was in my pocket.")
        self.assertEqual(self.rewards()[0], 0.5)

    def test_to_have_to_ask_again_counts(self):
        self.say("Mara, where is the old miller?")
        self.say("Mara, I asked where the old miller is.")
        self.assertEqual(self.rewards()[0], -0.5)

    def test_after_ten_minutes_nothing_more_is_waited_for(self):
        self.say("Mara, I was robbed!")
        self.tick(590)
        self.assertEqual(self.rewards(), [None])
        self.tick(15)
        self.assertEqual(self.rewards(), [0.0])

    def test_what_was_said_and_not_answered_counts_then(self):
        self.say("Mara, I was robbed!")
        self.clock.advance(120)
        with mock.patch.object(addressing, "ENGAGED_SECONDS", 1):
            self.say("What a useless innkeeper. Get lost, all of you.")
        self.assertEqual(self.rewards(), [None])
        self.tick(600)
        self.assertEqual(self.rewards(), [-1.0])

    def test_a_gift_in_return_is_a_good_sign(self):
        self.say("Mara, I was robbed!")
        self.script_of_mara.perceive("give", "gives you a mug", self.char1, addressed=True)
        self.wait(2)
        self.assertEqual(self.rewards()[0], 0.5)

    def test_what_waits_outlives_a_reload(self):
        folder = tempfile.mkdtemp(prefix="evennia-ai-experience-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        self.configure(EXPERIENCE={"PATH": f"{folder}/experience.db3"})
        minds.script_llm("Sit down.")
        self.say("Mara, I was robbed!")
        minds.forget_all()
        own_attributes.drop_cached(self.script_of_mara)
        self.script_of_mara.enable()
        minds.script_llm("I see.")
        self.say("Thank you, Mara.")
        self.assertEqual(self.stored(), {"say": [0.6, None]})

    def test_of_more_than_twenty_the_oldest_is_settled_as_it_stands(self):
        for number in range(21):
            record = decision(
                id=self.successResultOf(self.store(f"{number}")),
                turn=f"turn {number}",
                actor=self.first,
                given=0.4 if number == 0 else 0.0,
            )
            turn_decisions.wait_for(self.script_of_mara, self.mara, record)
        self.assertEqual(self.stored()["0"], [0.4])
        self.assertEqual(self.stored()["1"], [None])

    def store(self, action):
        memory = experience_of(self.script_of_mara, self.mara)
        return memory.store_decision("A greeting", action, "trade", None, {}, "")

    def test_a_reward_of_the_game_that_fails_costs_no_other(self):
        self.configure(REWARDS=["tests.experience.test_rewarding.broken", ...])
        minds.script_llm("Sit down.", "Gladly.", repeat=True)
        self.say("Mara, I was robbed!")
        self.say("Thank you, Mara.")
        self.assertEqual(self.rewards()[0], 0.6)
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)

    def test_the_game_adds_rewards_of_its_own(self):
        self.configure(REWARDS=[..., "tests.experience.test_rewarding.for_patience"])
        minds.script_llm("Sit down.")
        self.say("Mara, I was robbed!")
        self.tick(601)
        self.assertEqual(self.rewards(), [0.3])


class GameRewardTests(SettledTestCase):
    """`script.reward`: the game's own word."""

    def reward(self, amount, reason=""):
        return self.script_of_mara.reward(amount, reason)

    def test_it_is_added_to_what_waits(self):
        self.say("Mara, I was robbed!")
        self.assertTrue(self.reward(0.3, "found the thief"))
        self.assertEqual(self.rewards(), [None])
        self.say("Thank you, Mara.")
        self.assertEqual(self.rewards()[0], 0.9)

    def test_it_is_added_to_what_is_known_already(self):
        self.say("Mara, I was robbed!")
        self.tick(601)
        self.assertTrue(self.reward(0.3))
        self.assertTrue(self.reward(5))
        self.assertEqual(self.rewards(), [1.0])
        self.assertEqual(self.stored(), {"say": [1.0]})

    def test_who_has_decided_nothing_cannot_be_rewarded(self):
        self.assertFalse(self.reward(0.5))


def broken(turn, outcome):
    return 1 / 0


def for_patience(turn, outcome):
    """Stand for a reward of the game: it reads what it is promised."""
    assert outcome["words"] == "" and turn["action"] == "say"
    return 0.3 if outcome["seconds"] >= 600 else 0.0
