"""Decisions, and what was said of them, can be forgotten one by one."""

import sqlite3
from unittest import mock

from evennia.utils import logger

from evennia_ai.experience.decision_records import OutcomeFeedback
from tests.experience.cases import ExperienceTestCase


class ForgettingTests(ExperienceTestCase):
    def test_what_is_asked_for_goes_with_what_was_said_of_it(self):
        self.decide(action="warn", episode_id="1", source_id="ann")
        self.decide(action="hug", episode_id="2", source_id="bob")
        self.rate("1", 3, "Too harsh.")
        self.rate("2", 9, "Kind.")
        self.assertEqual(self.memory.remove(lambda one: getattr(one, "said_by", "") == "ann"), 1)
        self.assertEqual(self.similar(), ["hug"])
        self.assertIsNone(self.memory.retrieve_feedback("1"))
        self.assertEqual(self.memory.retrieve_feedback("2")["unexpected_effects"], "Kind.")

    def test_words_can_go_while_what_was_done_stays(self):
        self.decide(action="warn", reasoning='They said "I am Ann."', reward=0.5)
        self.decide(action="hug", reasoning="He was sad.", reward=0.4)
        gone = self.memory.unsay(lambda one: "Ann" in one.reasoning)
        self.assertEqual((gone, self.similar()), (1, ["warn", "hug"]))
        self.assertNotIn("Ann", self.prompt())
        self.assertIn("He was sad.", self.prompt())

    def test_feedback_alone_can_go(self):
        self.decide(episode_id="1")
        self.rate("1", 3, "Ann was there.")
        gone = self.memory.remove(lambda one: "Ann" in getattr(one, "unexpected_effects", ""))
        self.assertEqual(gone, 0)
        self.assertIsNone(self.memory.retrieve_feedback("1"))
        self.assertEqual(self.similar(), ["warn"])

    def test_what_nobody_can_read_is_no_example_and_goes_when_somebody_is_forgotten(self):
        self.decide(action="warn", episode_id="1")
        self.decide(action="hug", episode_id="2")
        self.rate("2", 9, "Ann was there.")
        with self.memory.file.transaction() as connection:
            connection.execute("UPDATE decisions SET data = '{\"words\": 3}' WHERE n = 1")
            connection.execute("UPDATE feedback SET data = '[]'")
        with mock.patch.object(logger, "log_warn") as warned:
            self.assertEqual(self.similar(), ["hug"])
            self.assertNotIn("Rated ", self.prompt())
            self.assertEqual(self.memory.remove(lambda one: False), 1)
        self.assertIn("that cannot be read", warned.call_args.args[0])
        kept = self.memory.dump()
        self.assertEqual((len(kept["decisions"]), kept["feedback"]), (1, []))

    def test_trajectories_go_too_and_each_says_who_may_know_it(self):
        for words, audience in (("salt", ["ann", "mara"]), ("rain", "public")):
            self.memory.store_trajectory(
                words, words, 1.0, {"milestones_hit": []}, audience=audience
            )
        self.assertEqual(self.memory.remove(lambda one: "ann" in one.audience), 1)
        found = self.memory.retrieve_similar_trajectories("rain", {}, hearers=["ann", "mara"])
        self.assertEqual([one["task_id"] for one in found], ["rain"])

    def test_other_scopes_keep_theirs(self):
        other = self.memory.scoped("tom")
        self.decide()
        self.decide(memory=other)
        self.memory.remove(lambda one: True)
        self.assertEqual(other.get_stats()["total_memories"], 1)
        self.assertEqual(self.memory.get_stats()["total_memories"], 0)

    def test_nothing_is_left_in_the_file(self):
        self.decide(reasoning="Ann keeps zq7wine.")
        self.memory.remove(lambda one: True)
        for path in self.folder.iterdir():
            self.assertNotIn(b"zq7wine", path.read_bytes())
        [[number]] = sqlite3.connect(self.path).execute("SELECT count(*) FROM decisions")
        self.assertEqual(number, 0)

    def test_what_was_said_of_a_decision_goes_when_it_has_no_room_any_more(self):
        """Else it would be kept for good, and nobody could find it to forget it."""
        self.memory.file.limit = 2
        self.decide(action="warn", episode_id="1")
        self.decide(action="shout", episode_id="1")
        for episode in ("1", "2"):
            self.rate(episode, 3, "Too harsh.")
        other = self.memory.scoped("tom")
        self.decide(memory=other, episode_id="1")
        other.store_feedback(OutcomeFeedback("1"))
        self.decide(action="hug", episode_id="3")
        # The episode has another decision yet.
        self.assertIsNotNone(self.memory.retrieve_feedback("1"))
        self.decide(action="nod", episode_id="4")
        self.assertIsNone(self.memory.retrieve_feedback("1"))
        self.assertIsNotNone(self.memory.retrieve_feedback("2"))
        self.assertIsNotNone(other.retrieve_feedback("1"))
