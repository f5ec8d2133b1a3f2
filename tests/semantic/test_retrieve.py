"""Tests of the two stages, and of the prompt of extraction."""

import tempfile

from twisted.internet.defer import succeed

from evennia_ai import prompts
from evennia_ai.memory import identity
from evennia_ai.semantic import base, mem0, memory_thread
from evennia_ai.semantic.ranking import retrieve
from evennia_ai.testing import AITestCase
from tests.found_memories import hit
from tests.memory_double import MemoryDouble
from tests.semantic.cases import PLAIN, SemanticTestCase


class FixedMemory(MemoryDouble):
    """Finds the same each time; `hits` are (text, score, cosine, metadata)."""

    def __init__(self, *hits, scale=None):
        super().__init__()
        self.hits, self.scale, self.asked = hits, scale or {}, []

    def search(self, query, **options):
        self.asked.append((query, options))
        return succeed(
            [
                hit(text, text, score=score, cosine=cosine, **metadata)
                for text, score, cosine, metadata in self.hits
            ]
        )


class RetrieveTests(AITestCase):
    def retrieve(self, memory, events=(), goals=("find the mill",), **options):
        base.install("default", memory)
        self.addCleanup(base.reset)
        script = type("Script", (), {"obj": self.char1})
        found = retrieve.retrieve_relevant_memories(script, events, goals, **options)
        return [item["text"] for item in self.successResultOf(found)]

    def test_it_gives_a_deferred_of_what_fits_best(self):
        """M8: events and goals are both asked for; the best score of a memory counts."""
        memory = FixedMemory(("a", 0.5, 0.9, {}), ("b", 0.8, 0.8, {}))
        event = {"text": "Where is the mill?", "actor": "uuid-of-ann", "actor_name": "Ann"}
        self.assertEqual(self.retrieve(memory, [event], ["sell flour"]), ["b", "a"])
        self.assertEqual([query for query, _ in memory.asked], ["Where is the mill?", "sell flour"])
        options = memory.asked[0][1]
        self.assertEqual(options["assistant_key"], identity.identity_of(self.char1))
        self.assertEqual((options["hearers"], options["names"]), ({"uuid-of-ann"}, ["Ann"]))

    def test_relevance_is_above_0_7_where_the_embedder_has_no_scale_of_its_own(self):
        """M9: score > 0.7. C-23: after the ranking, and on the scale of the embedder."""
        self.assertEqual(retrieve.MIN_RELEVANCE, 0.7)
        hits = [("at", 0.9, 0.7, {}), ("above", 0.5, 0.71, {}), ("low", 0.8, 0.3, {})]
        self.assertEqual(self.retrieve(FixedMemory(*hits)), ["above"])
        measured = FixedMemory(*hits, scale={"relevant": 0.25})
        self.assertEqual(self.retrieve(measured), ["at", "low", "above"])

    def test_source_trust_must_be_at_least_0_5(self):
        """M10 J21 J79: metadata.source_trust >= min_source_trust, by default 0.5."""
        self.assertEqual(retrieve.MIN_SOURCE_TRUST, 0.5)
        memory = FixedMemory(
            ("believed", 0.9, 0.9, {"source_trust": 0.9}),
            ("half", 0.8, 0.9, {"source_trust": 0.5}),
            ("rumour", 0.7, 0.9, {"source_trust": 0.49}),
            ("unknown", 0.6, 0.9, {}),
        )
        self.assertEqual(self.retrieve(memory), ["believed", "half", "unknown"])
        self.assertEqual(self.retrieve(memory, min_source_trust=0.9), ["believed"])
        self.assertEqual(
            self.retrieve(memory, min_source_trust=0), ["believed", "half", "rumour", "unknown"]
        )

    def test_a_dubious_memory_does_not_push_out_a_good_one(self):
        """C-23: recall ranks first and cuts second."""
        dubious = [(f"rumour {n}", 0.9, 0.9, {"source_trust": 0.1}) for n in range(20)]
        memory = FixedMemory(*dubious, ("good", 0.2, 0.9, {}))
        self.assertEqual(self.retrieve(memory), ["good"])

    def test_nothing_to_ask_for_is_nothing_found(self):
        memory = FixedMemory(("a", 1.0, 1.0, {}))
        self.assertEqual(self.retrieve(memory, [{"text": " "}], [""]), [])
        self.assertEqual(memory.asked, [])

    def test_hearers_may_be_named(self):
        memory = FixedMemory()
        self.retrieve(memory, hearers=["bob", identity.identity_of(self.char1)])
        self.assertEqual(memory.asked[0][1]["hearers"], {"bob"})

    def test_on_the_store_a_secret_stays_with_whom_it_is_for(self):
        memory_thread.set_worker(memory_thread.InlineWorker())
        self.addCleanup(memory_thread.set_worker, None)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        memory = mem0.Mem0Memory(path=f"{folder.name}/memory.db3", embedder=PLAIN)
        key = identity.identity_of(self.char1)
        self.successResultOf(
            memory.add("The mill is haunted.", assistant_key=key, audience=["ann"])
        )
        goal = ["Is the mill haunted?"]
        self.assertEqual(
            self.retrieve(memory, goals=goal, hearers=["ann"]), ["The mill is haunted."]
        )
        self.assertEqual(self.retrieve(memory, goals=goal, hearers=["ann", "bob"]), [])


class PromptTests(SemanticTestCase):
    def test_the_prompt_takes_facts_and_leaves_the_persona_alone(self):
        """M11: ASSISTANT_FACT_EXTRACTION_PROMPT, word for word where the source has words."""
        prompt = prompts.ASSISTANT_FACT_EXTRACTION_PROMPT
        for line in (
            "Extract only objective facts about the world, users, and events.",
            "Use third-person, factual language focused on WORLD STATE, not assistant behavior.",
            "NEVER extract:",
            '- Assistant actions ("The assistant helped", "I did X")',
            "- Assistant personality or identity information",
            "- Opinions about the assistant's role or behavior",
            "ALWAYS extract:",
            '- World state facts ("The tavern is in the north wing")',
            '- User/player information ("Player Alice prefers formal address")',
        ):
            self.assertIn(line, prompt.splitlines())
