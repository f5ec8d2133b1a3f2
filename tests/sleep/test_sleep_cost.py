"""What the benchmark of a night counts."""

import unittest

from evennia_ai.llm.base import Request
from evennia_ai.llm.offline import OfflineMind
from tests.benchmarks.sleep_cost import CountingModel, summary


def entry(entry_id):
    return {
        "id": entry_id,
        "content": "Ann promised to return.",
        "source_entity": "Ann",
        "importance": 5,
        "source_trust": 0.9,
        "source_type": "direct",
        "tags": ["say"],
        "audience": "public",
    }


class CountingTests(unittest.TestCase):
    def setUp(self):
        self.model = CountingModel(OfflineMind())
        request = Request(
            job="score",
            messages=[{"role": "user", "content": "Rate these, please."}],
            context={"entries": [entry(1), entry(2), entry(3)]},
        )
        self.answers = []
        self.model.complete(request).addCallback(self.answers.append)

    def test_it_answers_as_a_model_would(self):
        [answer] = self.answers
        self.assertTrue(answer.is_model)
        self.assertEqual(
            answer.text,
            '{"scores": [{"id": 1, "score": 6}, {"id": 2, "score": 5}, {"id": 3, "score": 5}]}',
        )

    def test_one_request_for_three_entries_is_one_call_and_would_have_been_three(self):
        figures = summary(3, self.model)
        self.assertEqual((figures["calls"], figures["calls_per_entry"]), (1, 0.333))
        self.assertEqual(figures["by_job"], {"score": {"calls": 1, "tokens": figures["tokens"]}})
        self.assertEqual(figures["tokens_per_100_entries"], round(figures["tokens"] * 100 / 3))
        alone = figures["one_call_per_entry"]
        self.assertEqual(alone["calls"], 3)
        self.assertGreater(alone["tokens"], 2 * figures["tokens"])
