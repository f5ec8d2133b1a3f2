"""Semantic memory on Qdrant, by the one that its client has inside: the same calls, no server."""

import warnings
from datetime import UTC, datetime
from unittest import mock

from django.core.exceptions import ImproperlyConfigured
from django.test import override_settings
from qdrant_client import QdrantClient

from evennia_ai import pace
from evennia_ai.semantic import mem0_engine
from evennia_ai.semantic.facts import new_fact
from evennia_ai.semantic.qdrant import QdrantMemory
from evennia_ai.semantic.stores import qdrant_points, qdrant_store
from evennia_ai.semantic.stores.qdrant_store import QdrantStore
from evennia_ai.semantic.worker import MemoryUnavailable
from evennia_ai.testing.semantic_contract import SemanticMemoryContract
from tests.semantic.cases import PLAIN, PlainEmbedder, SemanticTestCase

INSIDE = ":memory:"


class QdrantTestCase(SemanticTestCase):
    """Each test has a Qdrant of its own."""

    def setUp(self):
        # It says that it compares with each memory, which is what is asked for.
        ignored = warnings.catch_warnings()
        ignored.__enter__()
        self.addCleanup(ignored.__exit__, None, None, None)
        warnings.filterwarnings("ignore", "Local mode", UserWarning)
        self.client = QdrantClient(INSIDE)
        self.addCleanup(self.client.close)
        super().setUp()
        # mem0 writes a file into the folder of the game.
        game = override_settings(GAME_DIR=str(self.folder))
        game.enable()
        self.addCleanup(game.disable)

    def make_memory(self):
        """Return a memory; the test case is not set up yet, but its folder is."""
        return QdrantMemory(url=INSIDE, embedder=PLAIN)

    def make_store(self, embedder=None, **options):
        """Return a store in the Qdrant of the test."""
        return QdrantStore(self.client, embedder or PlainEmbedder(), name="npcs", **options)

    def found(self, store, query, *, hearers=("ann",), **options):
        """Return the texts that a search finds."""
        hits = store.search(query, assistant_key="mara", hearers=hearers, **options)
        return [hit["text"] for hit in hits]


class ContractTests(SemanticMemoryContract, QdrantTestCase):
    def test_mem0_does_the_work_here_as_well(self):
        self.add("Rain is coming.")
        self.assertIsInstance(self.memory._engine, mem0_engine.Mem0Engine)

    def test_a_hearer_of_any_name_is_one_hearer(self):
        self.add("The king is ill.", audience=["mara", "ann"])
        for hearers in (["*"], ["public"], [""], ["ann", "*"]):
            with self.subTest(hearers):
                self.assertEqual(self.texts("king", hearers=hearers), [])
        self.assertEqual(self.texts("king", hearers=[]), ["The king is ill."])

    def test_nul_and_half_letters_in_metadata_come_back(self):
        odd = {
            "speaker": "a\x00b",
            "source_id": "\ud800",
            "timestamp": "\x00",
            "note": "\x00\ud800",
        }
        id = self.add("Odd.", importance=float("inf"), **odd)
        kept = self.did(self.memory.get(id, assistant_key="mara"))["metadata"]
        self.assertEqual(kept, {"importance": float("inf"), **odd})
        self.assertEqual(self.texts("odd"), ["Odd."])


class FilterTests(QdrantTestCase):
    def test_what_one_may_not_know_does_not_leave_qdrant(self):
        store = self.make_store(PlainEmbedder(duplicate=2))
        for number in range(5):
            self.keep(store, f"Mill {number}.", audience=["mara", "bob"])
            self.keep(store, f"Mill {number}, they say.", source_trust=0.2)
            self.keep(store, f"Mill {number} of Otto.", key="otto")
        self.keep(store, "The mill burnt down.", source_trust=0.9)
        given = []
        candidates = store._candidates

        def watched(*arguments):
            given.append(candidates(*arguments))
            return given[-1]

        with mock.patch.object(store, "_candidates", watched):
            found = self.found(store, "mill", min_trust=0.5)
        self.assertEqual(found, ["The mill burnt down."])
        self.assertEqual([len(points) for points in given], [1])

    def test_how_rare_a_word_is_does_not_depend_on_secrets(self):
        store = self.make_store(PlainEmbedder(duplicate=2))
        for number in range(4):
            self.keep(store, f"The mill of house {number}.")
        self.keep(store, "The crown lies under the mill.")
        now = datetime(2030, 1, 4, tzinfo=UTC)
        self.enterContext(mock.patch.object(pace, "now", return_value=now))

        def scores():
            hits = store.search("crown mill", assistant_key="mara", hearers=["ann"])
            return {(hit["text"], hit["score"], hit["cosine"]) for hit in hits}

        before = scores()
        for number in range(30):
            self.keep(store, f"The crown, secret {number}.", audience=["mara", "bob"])
            self.keep(store, f"The crown of npc {number}.", key="otto")
        self.assertEqual(scores(), before)


class CandidateTests(QdrantTestCase):
    def test_what_only_has_the_word_is_looked_at_as_well(self):
        store = self.make_store(PlainEmbedder(duplicate=2))
        for number in range(20):
            self.keep(store, f"Where is cow {number}?")
        answer = "Yes, twice, with my old aunt and her donkey."
        self.keep(store, answer, previous="Have you been to Samarkand?")
        with mock.patch.object(qdrant_store, "CANDIDATES", 5):
            hits = store.search("Where is Samarkand?", assistant_key="mara", hearers=["ann"])
        self.assertEqual(len(hits), 6)
        [hit] = [hit for hit in hits if hit["text"] == answer]
        self.assertEqual(hit["metadata"], {"previous": "Have you been to Samarkand?"})

    def test_a_rare_word_finds_its_line_among_many_of_a_common_one(self):
        store = self.make_store(PlainEmbedder(duplicate=2))
        for number in range(20):
            self.keep(store, f"Ale, ale, more ale for table {number}.")
        self.keep(store, "The smuggler drinks ale, too, behind the harbour.")
        with mock.patch.object(qdrant_store, "CANDIDATES", 3):
            found = self.found(store, "ale of smugglers")
        self.assertIn("The smuggler drinks ale, too, behind the harbour.", found)
        self.assertLessEqual(len(found), 6)


class SameTests(QdrantTestCase):
    def test_texts_of_one_sense_are_kept_once(self):
        store = self.make_store(PlainEmbedder(duplicate=0.9))
        kept = self.keep(store, "The old tavern is in the cold and windy north wing.")
        again = "The old tavern is in the cold windy north wing!"
        self.assertEqual(self.keep(store, again), kept)
        self.assertNotEqual(self.keep(store, again, speaker="Bob"), kept)
        self.assertNotEqual(self.keep(store, again, audience=["ann"]), kept)
        self.assertNotEqual(self.keep(store, f"{again} Not."), kept)


class SetUpTests(QdrantTestCase):
    def test_another_embedder_is_refused_with_what_to_do(self):
        self.keep(self.make_store(), "The well is deep.")
        self.assertEqual(self.make_store().count(), 1)
        with self.assertRaises(ImproperlyConfigured) as caught:
            self.make_store(PlainEmbedder("other"))
        sentence = str(caught.exception)
        self.assertIn("the collection npcs of Qdrant was filled by the embedder plain", sentence)
        self.assertIn("base.reembed()", sentence)

    def test_reembedding_makes_all_vectors_anew(self):
        store = self.make_store(PlainEmbedder(duplicate=2))
        kept = {self.keep(store, f"Well {number}.") for number in range(70)}
        other = PlainEmbedder("other", duplicate=2)
        other.dimensions = 64
        self.assertEqual(self.make_store(other, check_embedder=False).reembed(), 70)
        opened = self.make_store(other)
        self.assertEqual(self.found(opened, "Well 42", limit=1), ["Well 42."])
        self.assertEqual({item["id"] for item in opened.get_all(assistant_key="mara")}, kept)
        collections = {one.name for one in self.client.get_collections().collections}
        self.assertEqual(collections, {"npcs_about", opened._facts})

    def test_what_an_earlier_form_of_the_embedder_filled_is_embedded_anew(self):
        self.keep(self.make_store(PlainEmbedder("plain-1")), "The well is deep.")
        other = PlainEmbedder("plain-2")
        other.replaces = ("plain-1",)
        self.assertEqual(self.found(self.make_store(other), "well", limit=1), ["The well is deep."])
        with self.assertRaises(ImproperlyConfigured):
            self.make_store(PlainEmbedder("plain-1"))

    def test_reembedding_nothing_is_no_trouble(self):
        self.assertEqual(self.make_store().reembed(), 0)

    def test_a_server_that_is_not_there_makes_memory_unavailable(self):
        memory = QdrantMemory(url="http://127.0.0.1:9", embedder=PLAIN, collection="npcs")
        failed = memory.search("x", assistant_key="mara", hearers=[])
        sentence = self.failureResultOf(failed, MemoryUnavailable).getErrorMessage()
        self.assertTrue(
            sentence.startswith("semantic memory in the collection npcs of Qdrant: "), sentence
        )

    def test_a_name_that_is_no_name_of_a_collection_is_refused(self):
        with self.assertRaisesRegex(ImproperlyConfigured, "the collection 'a/b'"):
            QdrantMemory(url=INSIDE, collection="a/b")

    def test_the_key_comes_from_the_environment(self):
        memory = QdrantMemory(url=INSIDE, api_key_env="A_KEY", embedder=PLAIN)
        with (
            mock.patch.dict("os.environ", {"A_KEY": "s3cret"}),
            mock.patch("qdrant_client.QdrantClient", wraps=QdrantClient) as made,
        ):
            memory.open_store().close()
        self.assertEqual(made.call_args.kwargs["api_key"], "s3cret")
        self.assertNotIn("s3cret", memory.describe())


class PointTests(SemanticTestCase):
    def test_a_fact_comes_back_as_it_went_in(self):
        fact = new_fact(
            "The well is deep.",
            assistant_key="mara",
            audience=["ann", "mara"],
            metadata={"tags": ["well"], "timestamp": "2030-01-01T00:00:00Z"},
        )._replace(id="any text")
        point = qdrant_points.point(fact, [0.0] * 4)
        self.assertEqual(qdrant_points.fact_of(point.payload), fact)
        self.assertEqual(point.id, qdrant_points.point_id("any text"))
        self.assertEqual(point.payload["hearers"], ["ann", "mara"])
        self.assertIs(point.payload["public"], False)
        self.assertEqual(point.payload["moment"], 1893456000.0)
