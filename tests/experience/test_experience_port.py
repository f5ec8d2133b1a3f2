"""The contract of experience, on each embedder that needs no download."""

from unittest import mock

from evennia_ai import scheduling
from evennia_ai.core.decisions import Decision
from evennia_ai.experience.experience_port import ExperienceMemory
from evennia_ai.semantic.embedders.onnx import OnnxEmbedder
from evennia_ai.semantic.embedders.sentences import SentenceEmbedder
from evennia_ai.semantic.embedders.words import WordsEmbedder
from tests.experience.cases import ExperienceTestCase
from tests.semantic.test_embedders import TINY

STORM = {"career.workload": 90, "mental_wellbeing.stress_level": 85}
REASONING = "A quick call prevents relationship erosion during high-stress periods."


class MemoryContract:
    """What holds whichever embedder stands behind it."""

    def test_a_decision_is_stored_as_in_the_sources(self):
        """D12 D15 D22: positional as in the document, the code's additions by name; an id of its own."""
        id = self.memory.store_decision(
            "Friday 6PM",
            "communicate",
            "relationships",
            0.72,
            {"relationships.romantic": 55, "mental_wellbeing.stress_level": 80},
            REASONING,
            trajectory=["call"],
            route_outcome="reconciled",
            episode_id="ep_12345",
            personality_type="stoic",
        )
        [found] = self.memory.retrieve_similar("Friday 6PM", {"relationships.romantic": 60})
        self.assertTrue(0.0 < found.pop("similarity_score") <= 1.0)
        self.assertEqual(
            found,
            {
                "id": id,
                "conflict_title": "Friday 6PM",
                "words": "",
                "action_type": "communicate",
                "target_domain": "relationships",
                "reward": 0.72,
                "reasoning": REASONING,
                "route_taken": "reconciled",
                "metrics_snapshot": {
                    "relationships.romantic": 55,
                    "mental_wellbeing.stress_level": 80,
                },
                "metrics_diff": {"relationships.romantic": 5},
                "episode_id": "ep_12345",
                "personality_type": "stoic",
                "timestamp": found["timestamp"],
                "audience": "public",
            },
        )
        self.assertEqual(len(id), 36)

    def test_what_is_not_given_is_unknown(self):
        """D15: "unknown" for the personality."""
        self.decide()
        [found] = self.memory.retrieve_similar("A drunkard shouts", {})
        self.assertEqual(
            (found["personality_type"], found["episode_id"], found["route_taken"]),
            ("unknown", "", ""),
        )

    def test_the_situation_alone_is_embedded_and_the_text_is_kept(self):
        """D14, but for what was done and how it went: they are kept, and say nothing of before."""
        with mock.patch.object(
            self.memory.file.embedder, "embed", wraps=self.memory.file.embedder.embed
        ) as embed:
            self.decide(
                "Friday 6PM", "communicate", reward=0.7, metrics={"hp": 3}, reasoning="Why."
            )
        self.assertEqual([call.args[0] for call in embed.call_args_list], [["Friday 6PM"]])
        [[text]] = self.memory.file.connection.execute("SELECT text FROM decisions")
        self.assertEqual(
            text, "Friday 6PM Action: communicate Domain: relationship Reward: 0.70 Why."
        )

    def test_the_query_is_the_title_and_what_is_worst(self):
        """D16 D17."""
        self.decide()
        with mock.patch.object(
            self.memory.file.embedder, "embed_query", wraps=self.memory.file.embedder.embed_query
        ) as query:
            self.memory.retrieve_similar("The Perfect Storm", {**STORM, "hp": 5}, 3)
        query.assert_called_once_with(
            "The Perfect Storm hp:5 career.workload:90 mental_wellbeing.stress_level:85"
        )

    def test_what_is_alike_comes_first(self):
        """D21: by cosine, rounded to four places."""
        self.decide("A merchant haggles over the price of rope", "concede")
        self.decide("A drunkard shouts in the tavern", "soothe")
        found = self.memory.retrieve_similar("A drunkard shouts in the tavern", {}, 2)
        self.assertEqual([one["action_type"] for one in found], ["soothe", "concede"])
        scores = [one["similarity_score"] for one in found]
        self.assertEqual(scores, [round(score, 4) for score in scores])
        self.assertGreater(scores[0], scores[1])
        self.assertLessEqual(scores[0], 1.0)

    def test_nothing_is_found_where_nothing_is(self):
        """D24 D25."""
        self.assertEqual(self.memory.retrieve_similar("Storm", STORM), [])
        self.assertEqual(self.memory.build_few_shot_prompt("Storm", STORM), "")
        self.assertEqual(self.memory.retrieve_similar_trajectories("storm", {}), [])
        self.decide()
        self.assertEqual(self.similar(n=0), [])

    def test_only_what_went_well_is_an_example(self):
        """D19: a reward of at least 0.05."""
        for reward in (-1.0, 0.0, 0.0499, 0.05, 0.9):
            self.decide(action=f"{reward}", reward=reward)
        self.assertCountEqual(self.similar(n=10), ["0.05", "0.9"])

    def test_the_best_are_found_however_many_failures_are_nearer(self):
        """D20, as C-33 settles it: fetch enough, filter, then rank by likeness."""
        for number in range(40):
            self.decide("A drunkard shouts in the tavern", f"bad {number}", reward=-0.5)
        self.decide("Somebody is loud in the inn", "soothe", reward=0.6)
        self.assertEqual(self.similar(n=3), ["soothe"])

    def test_at_most_n_are_given(self):
        """D16: three unless another number is asked for."""
        for number in range(5):
            self.decide(action=f"way {number}")
        self.assertEqual(len(self.memory.retrieve_similar("A drunkard shouts", {})), 3)
        self.assertEqual(len(self.similar(n=4)), 4)

    def test_decisions_without_an_episode_are_all_found(self):
        """D23, as C-34 settles it: each has an id of its own."""
        for action in ("warn", "soothe", "distract"):
            self.decide(action=action)
        self.assertCountEqual(self.similar(), ["warn", "soothe", "distract"])

    def test_the_same_personality_comes_first(self):
        """D23: then all others fill up, each once."""
        self.decide("A drunkard shouts in the tavern", "warn", personality_type="stern")
        self.decide("A merchant haggles", "soothe", personality_type="gentle")
        self.decide("A drunkard shouts in the tavern", "distract")
        found = self.similar(personality_type="gentle")
        self.assertEqual(found[0], "soothe")
        self.assertCountEqual(found, ["soothe", "warn", "distract"])
        self.assertEqual(self.similar(n=1, personality_type="gentle"), ["soothe"])
        self.assertIn(self.similar(n=1, personality_type="sly")[0], ("warn", "distract"))

    def test_the_prompt_shows_what_people_said(self):
        """D26 D28: feedback is looked up by the episode of the decision."""
        self.decide(action="soothe", episode_id="ep_1")
        self.rate("ep_1", 8, "He sat down again.")
        self.rate("ep_2", 1, "Another night.")
        self.assertEqual(
            self.prompt(),
            "--- PAST EXPERIENCE ---\n"
            "- Action Taken: [SOOTHE] on RELATIONSHIP\n"
            '  When: "A drunkard shouts in the tavern"\n'
            '  Agent\'s Initial Reasoning: "He was loud."\n'
            "  It went well.\n"
            '  Rated 8/10. Note: "He sat down again."',
        )

    def test_a_decision_without_an_episode_has_no_feedback(self):
        self.decide()
        self.assertNotIn("Rated ", self.prompt())

    def test_trajectories_are_found_by_task_and_world(self):
        """D5 D30 D32 D33: what was taken, what came of it, and the summary as it was given."""
        self.memory.store_trajectory(
            task_id="flight_crisis_task_main",
            route_taken="rebook_premium",
            total_reward=2.5,
            trajectory_summary={"milestones_hit": ["m1"], "steps": 8},
        )
        self.memory.store_trajectory("harvest", "hire_hands", -0.5, {"milestones_hit": []})
        found = self.memory.retrieve_similar_trajectories(
            "flight_crisis_task_main", {"lounge_access": True}, n=1
        )
        self.assertEqual(
            [
                {key: one[key] for key in ("task_id", "route_taken", "reward", "summary")}
                for one in found
            ],
            [
                {
                    "task_id": "flight_crisis_task_main",
                    "route_taken": "rebook_premium",
                    "reward": 2.5,
                    "summary": {"milestones_hit": ["m1"], "steps": 8},
                }
            ],
        )
        # A task that failed is worth knowing, too.
        self.assertEqual(len(self.memory.retrieve_similar_trajectories("harvest", {})), 2)

    def test_stats_count_and_average(self):
        """D41."""
        zeros = {"total_memories": 0, "average_reward": 0.0, "by_action_type": {}}
        self.assertEqual(self.memory.get_stats(), zeros)
        self.decide(action="communicate", reward=0.5)
        self.decide(action="communicate", reward=0.25)
        self.decide(action="wait", reward=-0.1)
        self.assertEqual(
            self.memory.get_stats(),
            {
                "total_memories": 3,
                "average_reward": 0.217,
                "by_action_type": {"communicate": 2, "wait": 1},
            },
        )


class Adler32Tests(MemoryContract, ExperienceTestCase):
    """D9 D10: the source's fallback, which counts words."""

    def test_a_lexically_consistent_vocabulary_is_told_apart(self):
        """D11: situations that share their words are found among twenty others."""
        for number in range(20):
            self.decide(f"Quarrel {number} at the well about bucket {number}", f"way {number}")
        for number in (3, 11, 19):
            title = f"At the well, quarrel {number} about bucket {number}"
            self.assertEqual(self.similar(title, n=1), [f"way {number}"])

    def test_how_alike_two_situations_are_is_their_cosine(self):
        """D21: of two words they share one."""
        self.decide("Quarrel outside")
        [found] = self.memory.retrieve_similar("Quarrel within", {})
        self.assertEqual(found["similarity_score"], 0.5)


class WordsTests(MemoryContract, ExperienceTestCase):
    """What experience uses by default."""

    embedder_class = WordsEmbedder

    def test_the_one_word_that_is_different_decides_and_not_what_was_done(self):
        self.decide("A brawl, the smith is drunk, in the inn", "soothe the sober smith")
        self.decide("A brawl, the smith is sober, in the inn", "warn", reasoning="drunk before")
        self.assertEqual(
            self.similar("A brawl, the smith is drunk, in the yard", n=1),
            ["soothe the sober smith"],
        )
        self.assertEqual(self.similar("A brawl, the smith is sober, in the yard", n=1), ["warn"])

    def test_of_one_situation_what_went_better_comes_first_whatever_was_said(self):
        self.decide(action="warn", reward=0.2, reasoning="A drunkard shouts in the tavern")
        self.decide(action="laugh", reward=0.9, reasoning="It was late.")
        self.assertEqual(self.similar(n=2), ["laugh", "warn"])


class BuiltinTests(MemoryContract, ExperienceTestCase):
    """The embedder that comes with the package."""

    embedder_class = SentenceEmbedder

    def test_other_words_for_the_same_are_found(self):
        self.decide("A drunk man yells in the pub", "soothe")
        self.decide("A merchant sells an old ship", "concede")
        self.assertEqual(self.similar("A guest screams in the tavern", n=1), ["soothe"])


class OnnxTests(MemoryContract, ExperienceTestCase):
    """D8: a sentence model from a local folder; here one that knows a dozen words."""

    @staticmethod
    def embedder_class():
        return OnnxEmbedder(folder=TINY)

    def test_what_is_alike_comes_first(self):
        """D8 D21: as far as it knows the words."""
        self.decide("cat sleeps", "concede")
        self.decide("dog runs", "soothe")
        self.assertEqual(self.similar("hound runs", n=1), ["soothe"])


class RewardTests(ExperienceTestCase):
    def test_a_decision_is_no_example_before_its_reward_is_known(self):
        id = self.decide(reward=None)
        self.assertEqual(self.similar(), [])
        self.assertEqual(self.memory.get_stats()["total_memories"], 1)
        self.assertTrue(self.memory.set_reward(id, 0.4))
        [found] = self.memory.retrieve_similar("A drunkard shouts in the tavern", {})
        self.assertEqual((found["id"], found["reward"]), (id, 0.4))

    def test_a_reward_may_turn(self):
        id = self.decide(reward=0.4)
        self.assertTrue(self.memory.set_reward(id, -0.4))
        self.assertEqual(self.similar(), [])
        self.assertEqual(self.memory.get_stats()["average_reward"], -0.4)

    def test_it_is_found_by_the_new_words(self):
        """D13: the reward stands in the text that is embedded."""
        id = self.decide("T", reward=0.4, reasoning="Why.")
        self.memory.set_reward(id, 0.9)
        [[text]] = self.memory.file.connection.execute("SELECT text FROM decisions")
        self.assertEqual(text, "T Action: warn Domain: relationship Reward: 0.90 Why.")

    def test_what_is_not_there_is_said(self):
        self.assertFalse(self.memory.set_reward("no such id", 1.0))

    def test_a_reward_is_a_number(self):
        for reward in (float("nan"), float("inf")):
            with self.subTest(reward), self.assertRaises(ValueError):
                self.decide(reward=reward)
        id = self.decide(reward=0.4)
        with self.assertRaises(ValueError):
            self.memory.set_reward(id, float("nan"))
        self.assertEqual(self.similar(), ["warn"])


class SnapshotTests(ExperienceTestCase):
    def test_the_snapshot_is_kept(self):
        """D15, as C-31 settles it: it is stored, and the difference to now is given."""
        self.decide(metrics={"favorability": 40, "open": True, "broken": float("nan")})
        [found] = self.memory.retrieve_similar("A drunkard", {"favorability": 45.5, "open": False})
        self.assertEqual(found["metrics_snapshot"], {"favorability": 40, "open": True})
        self.assertEqual(found["metrics_diff"], {"favorability": 5.5})

    def test_what_is_bad_when_it_is_high_goes_with_it(self):
        """C-32: for one decision, or for all of a memory."""
        memory = self.open(stress_direction=["fear"], scope="b")
        self.decide(memory=memory)
        self.decide(memory=memory, stress_direction=["hunger"])
        rows = memory._nearest(Decision, "x", n=2, hearers=None)
        self.assertCountEqual(
            [decision.stress_direction for decision, _ in rows], [["fear"], ["hunger"]]
        )

    def test_a_query_may_have_its_own(self):
        self.decide()
        metrics = {"fear": 95, "hp": 30, "gold": 40, "trust": 50}
        with mock.patch.object(
            self.memory.file.embedder, "embed_query", wraps=self.memory.file.embedder.embed_query
        ) as query:
            self.memory.retrieve_similar("Storm", metrics)
            self.memory.retrieve_similar("Storm", metrics, stress_direction=["fear"])
            self.memory.retrieve_similar_trajectories("storm", metrics, stress_direction=["fear"])
        self.assertEqual(
            [call.args[0] for call in query.call_args_list][:2],
            [
                "Storm hp:30 gold:40 trust:50",
                "Storm fear:95 hp:30 gold:40",
            ],
        )


class OrderTests(ExperienceTestCase):
    def test_of_what_is_equally_alike_the_better_comes_first_then_the_newer(self):
        for action, reward in (("fine", 0.3), ("good", 0.8), ("again", 0.3)):
            self.decide("T", action, reward=reward, reasoning="")
        texts = self.memory.file.connection
        vector = texts.execute("SELECT vector FROM decisions").fetchone()[0]
        texts.execute("UPDATE decisions SET vector = ?", [vector])
        self.assertEqual(self.similar("T"), ["good", "again", "fine"])

    def test_beyond_the_limit_failures_go_first_then_the_oldest(self):
        memory = self.memory
        memory.file.limit = 4
        for action, reward in (("old", 0.5), ("bad", -0.5), ("mid", 0.5), ("new", None)):
            self.decide(action=action, reward=reward)
        self.decide(action="newer")
        self.assertEqual(
            memory.get_stats()["by_action_type"], {"old": 1, "mid": 1, "new": 1, "newer": 1}
        )
        self.decide(action="newest")
        self.assertEqual(
            memory.get_stats()["by_action_type"], {"mid": 1, "new": 1, "newer": 1, "newest": 1}
        )

    def test_what_was_tried_with_many_does_not_push_out_what_was_with_few(self):
        self.memory.file.limit = 4
        self.decide(action="with ann", audience=["ann", "mara"])
        for number in range(6):
            self.decide(action=f"with all {number}", audience="public")
        self.assertEqual(
            self.memory.get_stats()["by_action_type"],
            {"with ann": 1, "with all 3": 1, "with all 4": 1, "with all 5": 1},
        )

    def test_scopes_know_nothing_of_one_another(self):
        other = self.memory.scoped("guards")
        self.decide(memory=other, action="soothe", episode_id="e")
        self.assertEqual(self.similar(), [])
        self.rate("e", 1)
        self.assertIsNone(other.retrieve_feedback("e"))
        self.assertEqual(other.get_stats()["total_memories"], 1)
        self.assertEqual(self.memory.clear(), 0)
        self.assertEqual(other.clear(), 1)
        self.assertEqual(other.get_stats()["total_memories"], 0)

    def test_all_of_a_scope_is_forgotten(self):
        self.decide(episode_id="e")
        self.rate("e", 1)
        self.memory.store_trajectory("t", "r", 1.0, {})
        self.assertEqual(self.memory.clear(), 1)
        self.assertEqual(self.memory.retrieve_similar_trajectories("t", {}), [])
        self.assertIsNone(self.memory.retrieve_feedback("e"))
        self.assertNotIn(
            b"He was loud.", b"".join(path.read_bytes() for path in self.folder.iterdir())
        )


class SetbackTests(ExperienceTestCase):
    def setbacks(self, **options):
        found = self.memory.lessons("A drunkard shouts in the tavern", **options).setbacks
        return [one.decision.action_type for one in found]

    def test_what_went_wrong_is_found_apart_from_the_examples(self):
        for action, reward in (("warn", -0.5), ("soothe", 0.5), ("wait", 0.0), ("push", None)):
            self.decide(action=action, reward=reward)
        self.assertEqual(self.similar(n=10), ["soothe"])
        self.assertEqual(self.setbacks(), ["warn"])
        self.assertNotIn("[WARN]", self.prompt())

    def test_it_has_an_audience_and_its_feedback_as_well(self):
        self.decide(action="warn", reward=-0.5, episode_id="e", audience=["ann"])
        self.rate("e", 1, "He threw a mug.")
        self.assertEqual(self.setbacks(), [])
        self.assertEqual(self.setbacks(hearers=["bob"]), [])
        [found] = self.memory.lessons("A drunkard", hearers=["ann"]).setbacks
        self.assertEqual(found.feedback.unexpected_effects, "He threw a mug.")
        self.assertEqual(found.audience, ["ann"])


class NameTests(ExperienceTestCase):
    def test_it_is_the_class_of_the_sources(self):
        """D1 D2: a replay buffer with their methods; `path` and `silent` are their arguments."""
        for name in (
            "store_decision",
            "retrieve_similar",
            "build_few_shot_prompt",
            "store_trajectory",
            "retrieve_similar_trajectories",
            "store_feedback",
            "retrieve_feedback",
            "get_stats",
        ):
            self.assertTrue(callable(getattr(ExperienceMemory, name)))
        self.assertEqual(self.open(path=self.folder / "other.db3", silent=True).scope, "default")

    def test_there_are_three_collections(self):
        """D4 D5 D6."""
        names = [
            name
            for [name] in self.memory.file.connection.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
            )
        ]
        self.assertEqual(names, ["decisions", "trajectories", "feedback"])

    def test_the_time_is_that_of_our_clock(self):
        self.decide()
        [found] = self.memory.retrieve_similar("A drunkard", {})
        self.assertEqual(found["timestamp"][:10], scheduling.now().isoformat()[:10])

    def test_broken_text_of_a_client_is_kept_without_what_no_database_takes(self):
        self.decide("A \ud800 drunkard\x00 shouts", reasoning="\udfff loud")
        [found] = self.memory.retrieve_similar("drunkard", {})
        found["conflict_title"].encode()
        self.assertIn("loud", self.prompt("A drunkard shouts"))
