"""Tests of the likeness from which two lines belong together, on pairs that people would join."""

import json
import unittest
from pathlib import Path

from evennia_ai.semantic.embedders.sentences import SentenceEmbedder
from evennia_ai.semantic.facts import Search, new_fact
from evennia_ai.semantic.ranking import ranked
from tests.semantic.cases import SemanticTestCase

PAIRS = Path(__file__).resolve().parents[1] / "data" / "linked_lines.json"


class AlikeTests(unittest.TestCase):
    """M41 C-23: thirty pairs, each line against the 59 others."""

    def test_most_of_what_is_joined_belongs_together(self):
        lines = [line for pair in json.loads(PAIRS.read_text("utf-8")) for line in pair]
        embedder = SentenceEmbedder()
        facts = [new_fact(line, assistant_key="mara", audience="public") for line in lines]
        vectors = embedder.embed([ranked.prepared(fact) for fact in facts])
        joined = [
            place // 2 == other // 2
            for place, line in enumerate(lines)
            for other, likeness in enumerate(
                vectors @ embedder.embed_query(ranked.prepared_query(line, ()))
            )
            if other != place and likeness >= embedder.scale["alike"]
        ]
        self.assertEqual((sum(joined), len(joined)), (50, 54))


class NearestContract:
    """What is like a text is found without a look at words, and only what one may know; in each store."""

    def test_the_most_alike_come_first_and_secrets_stay_secret(self):
        store = self.make_store(SentenceEmbedder())
        flood = self.keep(store, "The river floods the mill.")
        secret = self.keep(store, "The river flooded the mill again.", audience=["ann"])
        self.keep(store, "The river flooded the mill, too.", key="other")
        rain = self.keep(store, "Bo sings in the rain.")

        def found(*hearers, limit=10):
            text = "The river floods the mill."
            hits = store.alike(Search.of(text, assistant_key="mara", hearers=hearers, limit=limit))
            self.assertTrue(all(hit.score == hit.cosine for hit in hits))
            return [hit.id for hit in hits]

        self.assertEqual(found("bo"), [flood, rain])
        self.assertEqual(found("ann"), [flood, secret, rain])
        self.assertEqual(found("ann", limit=1), [flood])


class NearestTests(NearestContract, SemanticTestCase):
    pass
