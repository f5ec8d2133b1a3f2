"""Tests of experience beside the reactor."""

import sqlite3
from unittest import mock

from django.test import override_settings
from twisted.internet.defer import Deferred

from evennia_ai import conf
from evennia_ai.experience import base
from evennia_ai.experience.decision_records import OutcomeFeedback
from evennia_ai.experience.experience_port import ExperienceMemory
from evennia_ai.semantic import memory_thread
from evennia_ai.semantic.memory_thread import MemoryUnavailable
from tests.experience.cases import ExperienceTestCase


def experience(**changes):
    """Return a context manager under which experience has these settings."""
    return override_settings(
        EVENNIA_AI={**conf.given(), "EXPERIENCE": {"PATH": ":memory:", **changes}}
    )


class FacadeCase(ExperienceTestCase):
    def setUp(self):
        super().setUp()
        self.experience = base.get_experience("mara")

    def result(self, name, *args, of=None, **kwargs):
        """Return what a method fires with."""
        return self.successResultOf(getattr(of or self.experience, name)(*args, **kwargs))

    def store(self, action="soothe", of=None, **options):
        return self.result(
            "store_decision", "A brawl", action, "order", 0.5, {}, "Loud.", of=of, **options
        )


class FacadeTests(FacadeCase):
    def test_each_method_fires_with_what_the_memory_gives(self):
        id = self.store(episode_id="e")
        self.result("store_feedback", OutcomeFeedback("e", overall_effectiveness=9))
        self.assertEqual(self.result("retrieve_similar", "A brawl", {})[0]["id"], id)
        self.assertEqual(
            self.result("lessons", "A brawl").precedents[0].feedback.overall_effectiveness,
            9,
        )
        self.assertIn("Rated 9/10", self.result("build_few_shot_prompt", "A brawl", {}))
        self.assertEqual(self.result("retrieve_feedback", "e")["episode_id"], "e")
        self.assertTrue(self.result("set_reward", id, 0.75))
        self.assertEqual(self.result("get_stats")["average_reward"], 0.75)
        self.result("store_trajectory", "t", "r", 1.0, {"steps": 2})
        [found] = self.result("retrieve_similar_trajectories", "t", {})
        self.assertEqual(found["summary"], {"steps": 2})
        self.assertEqual(self.result("clear"), 1)
        self.assertEqual(self.result("get_stats")["total_memories"], 0)

    def test_all_that_the_memory_does_can_be_asked_for(self):
        public = {name for name in dir(ExperienceMemory) if not name.startswith("_")}
        shown = {name for name in vars(base.Experience) if not name.startswith("_")}
        self.assertEqual(public - shown, {"scoped", "close"})
        self.assertEqual(base.Experience.clear.__doc__, ExperienceMemory.clear.__doc__)

    def test_scopes_share_a_file_and_know_nothing_of_one_another(self):
        self.store()
        guards = base.get_experience("guards")
        self.assertEqual(self.result("retrieve_similar", "A brawl", {}, of=guards), [])
        self.store(of=guards)
        self.assertEqual(base._memory("mara").file, base._memory("guards").file)
        self.assertEqual(base.get_experience().scope, "default")

    def test_it_works_on_the_thread_of_long_term_memory(self):
        ran = []

        class Runner:
            def run(self, function, *args, **kwargs):
                ran.append(args[1])
                return Deferred()

        memory_thread.set_worker(Runner())
        self.assertNoResult(self.experience.get_stats())
        self.assertEqual(ran, ["get_stats"])

    def test_a_file_that_broke_is_said(self):
        self.store()
        broken = sqlite3.OperationalError("disk I/O error")
        with mock.patch.object(ExperienceMemory, "get_stats", side_effect=broken):
            failure = self.failureResultOf(self.experience.get_stats(), MemoryUnavailable)
        self.assertEqual(failure.getErrorMessage(), "experience: disk I/O error.")

    def test_changed_settings_count(self):
        self.store()
        with experience(DECISIONS=1):
            self.store()
            self.store()
            self.assertEqual(self.result("get_stats")["total_memories"], 1)

    def test_the_file_is_in_the_servers_folder(self):
        with experience(PATH=""), override_settings(GAME_DIR=str(self.folder)):
            self.store()
            base.close()
            self.assertTrue((self.folder / "server" / "evennia_ai_experience.db3").exists())
            self.assertEqual(self.result("get_stats")["total_memories"], 1)


class OffTests(FacadeCase):
    """Switched off, it keeps and finds nothing."""

    def assert_keeps_nothing(self):
        self.assertEqual(self.store(), "")
        self.assertEqual(self.result("retrieve_similar", "A brawl", {}), [])
        self.assertEqual(self.result("lessons", "A brawl").precedents, [])
        self.assertEqual(self.result("build_few_shot_prompt", "A brawl", {}), "")
        self.assertEqual(self.result("store_trajectory", "t", "r", 1.0, {}), "")
        self.assertEqual(self.result("retrieve_similar_trajectories", "t", {}), [])
        self.assertEqual(self.result("store_feedback", OutcomeFeedback("e")), "")
        self.assertIsNone(self.result("retrieve_feedback", "e"))
        self.assertFalse(self.result("set_reward", "id", 1.0))
        self.assertEqual(self.result("clear"), 0)
        self.assertEqual(self.result("remove", lambda one: True), 0)
        self.assertEqual(self.result("unsay", lambda one: True), 0)
        self.assertEqual(self.result("hydrate", "guard"), 0)
        self.assertEqual(self.result("restore", {"decisions": []}), 0)
        self.assertEqual(self.result("scopes"), [])
        self.assertEqual(self.result("get_stats")["total_memories"], 0)

    def test_off_is_off(self):
        with experience(ENABLED=False):
            self.assertFalse(base.is_enabled())
            self.assert_keeps_nothing()

    def test_what_is_answered_is_nobody_elses(self):
        with experience(ENABLED=False):
            self.result("get_stats")["by_action_type"]["x"] = 1
            self.assertEqual(self.result("get_stats")["by_action_type"], {})
