"""Tests of what a search of experience asks the file, and that nothing it kept is out of date."""

from contextlib import contextmanager

from evennia_ai.experience.experience_port import ExperienceMemory
from evennia_ai.experience.row_cache import Rows
from evennia_ai.semantic.embedders.words import WordsEmbedder
from evennia_ai.semantic.stores.growable_arrays import BytesLRU
from tests.experience.cases import ExperienceTestCase

TITLE = "A drunkard shouts in the tavern"
DIMENSIONS = 512
# Bytes of one decision of a situation that is known: a number, a reward, its worth, a hope, and five places.
OF_A_DECISION = 8 + 8 + 8 + 4 + 5 * 4


class RowCacheTestCase(ExperienceTestCase):
    embedder_class = WordsEmbedder

    @contextmanager
    def statements(self):
        """Give the list of what the file is asked meanwhile."""
        asked = []
        connection = self.memory.file.connection
        connection.set_trace_callback(asked.append)
        try:
            yield asked
        finally:
            connection.set_trace_callback(None)


class StatementTests(RowCacheTestCase):
    def test_a_search_reads_the_records_that_it_found_and_no_vector(self):
        for number in range(40):
            self.decide(action=f"way {number}")
        self.similar()
        with self.statements() as asked:
            self.assertEqual(self.similar(n=2), ["way 39", "way 38"])
        self.assertEqual(
            asked,
            [
                "PRAGMA data_version",
                "SELECT n, id, audience, data FROM decisions"
                " WHERE n IN (SELECT value FROM json_each('[40, 39]'))",
            ],
        )

    def test_after_a_decision_that_one_alone_is_read(self):
        for number in range(40):
            self.decide(action=f"way {number}")
        self.similar()
        self.decide(action="new")
        with self.statements() as asked:
            self.assertEqual(self.similar(n=1), ["new"])
        self.assertEqual(len(asked), 3)
        self.assertIn("FROM decisions WHERE scope = 'default'", asked[1])
        self.assertIn("n > 40 ", asked[1])

    def test_where_nothing_is_nothing_is_asked_twice(self):
        self.assertEqual(self.similar(), [])
        with self.statements() as asked:
            self.assertEqual(self.similar(), [])
        self.assertEqual(asked, ["PRAGMA data_version"])


class FreshnessTests(RowCacheTestCase):
    def setUp(self):
        super().setUp()
        self.ids = {action: self.decide(action=action) for action in ("warn", "soothe")}
        self.assertEqual(self.similar(), ["soothe", "warn"])

    def test_a_reward_counts_at_once(self):
        self.memory.set_reward(self.ids["warn"], 0.9)
        self.assertEqual(self.similar(), ["warn", "soothe"])
        self.memory.set_reward(self.ids["warn"], -0.9)
        self.assertEqual(self.similar(), ["soothe"])
        self.assertEqual(
            [one.decision.id for one in self.memory.lessons(TITLE).setbacks], [self.ids["warn"]]
        )

    def test_what_is_removed_is_gone_and_makes_room_for_others(self):
        self.memory.remove(lambda one: one.action_type == "soothe")
        self.assertEqual(self.similar(n=1), ["warn"])
        self.memory.clear()
        self.assertEqual(self.similar(), [])

    def test_what_is_over_the_limit_takes_no_place(self):
        self.memory.file.limit = 2
        self.decide(action="wait", reward=0.4)
        self.assertEqual(self.similar(n=2), ["soothe", "wait"])

    def test_what_another_process_wrote_is_seen(self):
        other = self.open()
        other.set_reward(self.ids["warn"], 0.9)
        self.assertEqual(self.similar(), ["warn", "soothe"])
        self.decide(action="wait", reward=0.1, memory=other)
        self.assertEqual(self.similar(), ["warn", "soothe", "wait"])
        other.remove(lambda one: one.action_type == "warn")
        self.assertEqual(self.similar(n=1), ["soothe"])

    def test_what_was_not_written_to_the_end_did_not_happen(self):
        with self.assertRaises(ValueError):
            self.memory.set_reward(self.ids["warn"], float("nan"))
        self.decide(action="wait", reward=0.1)
        self.assertEqual(self.similar(), ["soothe", "warn", "wait"])


class SizeTests(RowCacheTestCase):
    def kept(self, titles):
        """Return the bytes of 1,000 decisions of so many situations."""
        memory = ExperienceMemory(":memory:", embedder=WordsEmbedder())
        self.addCleanup(memory.close)
        for number in range(1000):
            title = f"Somebody asks for number{number % titles}"
            self.decide(title, memory=memory)
        memory.retrieve_similar("Somebody asks", {})
        return memory.file.cache.nbytes

    def test_what_many_decisions_are_about_is_kept_once(self):
        few, more = self.kept(8), self.kept(56)
        self.assertLess(few, 2 * 1000 * OF_A_DECISION)
        # For 48 situations more.
        self.assertLess(more - few, 1.25 * 48 * 4 * DIMENSIONS + 48 * 150)

    def test_there_is_an_end_to_what_is_kept_and_the_last_asked_stays(self):
        cache = BytesLRU(Rows(DIMENSIONS).nbytes)
        for scope in ("ann", "bo", "cid"):
            cache.keep(("decisions", scope), Rows(DIMENSIONS))
        self.assertIsNone(cache.get(("decisions", "bo")))
        self.assertIsNotNone(cache.get(("decisions", "cid")))
