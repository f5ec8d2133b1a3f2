"""Tests of how entries come to mind: the published numbers, and an order that makes sense."""

import inspect
import math
import unittest
from datetime import datetime, timedelta, timezone

from evennia_ai.core.records import format_time
from evennia_ai.domain.memories import memory_ranking
from evennia_ai.memory import episodic
from evennia_ai.memory.storage import pages
from tests.domain import entries

NOW = datetime(2030, 1, 8, 12, tzinfo=timezone.utc)


def entry(entry_id=1, *, hours=0.0, content="The king died.", importance=5):
    moment = NOW - timedelta(hours=hours)
    timestamp = moment.isoformat().replace("+00:00", "Z")
    return entries.entry(content, id=entry_id, timestamp=timestamp, importance=importance)


class ScoreTests(unittest.TestCase):
    def published(self, item, query, *alphas):
        """Return what the published function returns, line by line."""
        moment = datetime.fromisoformat(item.timestamp)
        age_hours = (NOW - moment).total_seconds() / 3600
        recency = math.exp(-0.99 * age_hours)
        importance = item.importance / 10.0
        query_words = set(query.lower().split())
        overlap = len(query_words & set(item.content.lower().split()))
        relevance = overlap / max(len(query_words), 1)
        alpha_recency, alpha_importance, alpha_relevance = alphas
        total = alpha_recency + alpha_importance + alpha_relevance
        return (
            alpha_recency * recency + alpha_importance * importance + alpha_relevance * relevance
        ) / total

    def test_it_is_the_published_function_to_the_digit(self):
        """J65 J66 J67 J68 J69: name, decay 0.99 an hour, importance / 10, overlap, mean.

        Python 3.12 adds floats up more exactly than 3.11, hence the fifteenth digit.
        """
        for hours in (0, 0.1, 1, 7.3, 24, 1000):
            for importance in (1, 5, 10):
                for query in ("", "the king", "The KING died.", "a crown"):
                    for alphas in ((1.0, 1.0, 1.0), (0.5, 2.0, 3.0), (0.0, 0.0, 1.0)):
                        item = entry(hours=hours, importance=importance)
                        self.assertAlmostEqual(
                            episodic.score_episodic_memory(item, query, NOW, *alphas),
                            self.published(item, query, *alphas),
                            places=15,
                        )

    def test_weights_that_add_up_to_nothing_are_refused(self):
        """J69: no division by 0."""
        with self.assertRaises(ValueError):
            episodic.score_episodic_memory(entry(), "", NOW, 0.0, 0.0, 0.0)


class PublishedTests(unittest.TestCase):
    """What a game may ask, of the journal's entries and of plain data of its own."""

    def test_the_signature_is_the_published_one(self):
        """J65: entry, query, now, and three weights of 1.0."""
        self.assertEqual(
            str(inspect.signature(episodic.score_episodic_memory)).split(" ->")[0],
            "(entry: 'Given', query: 'str', now: 'datetime | str', "
            "alpha_recency: 'float' = 1.0, alpha_importance: 'float' = 1.0, "
            "alpha_relevance: 'float' = 1.0)",
        )

    def test_times_are_text_or_datetimes_and_naive_ones_are_utc(self):
        aware = {**pages.plain(entry()), "timestamp": NOW - timedelta(hours=1)}
        naive = {**pages.plain(entry()), "timestamp": datetime(2030, 1, 8, 11)}
        text = {**pages.plain(entry()), "timestamp": "2030-01-08T11:00:00"}
        results = {
            episodic.score_episodic_memory(item, "", now)
            for item in (aware, naive, text)
            for now in (NOW, "2030-01-08T12:00:00Z", datetime(2030, 1, 8, 12))
        }
        self.assertEqual(len(results), 1)

    def test_plain_data_needs_no_more_than_the_source_did(self):
        """M4: and whoever searches gets back what they gave."""
        plain = {"timestamp": "2030-01-08T11:00:00Z", "content": "The crown.", "importance": 8}
        record = entry(2, hours=1, content="The crown.", importance=8)
        results = episodic.search_episodic_memory([plain, record], "crown.", now=NOW)
        self.assertIs(results[0]["entry"], plain)
        self.assertIs(results[1]["entry"], record)
        self.assertEqual(results[0]["score"], results[1]["score"])
        self.assertEqual(
            episodic.score_episodic_memory(plain, "crown.", NOW),
            episodic.score_episodic_memory(record, "crown.", NOW),
        )


class RecencyTests(unittest.TestCase):
    def test_it_falls_from_1_by_the_given_time(self):
        """E29: exp(-age / tau)."""
        self.assertEqual(memory_ranking.recency(0, tau_hours=10), 1.0)
        self.assertAlmostEqual(memory_ranking.recency(10, tau_hours=10), 1 / math.e)
        self.assertAlmostEqual(memory_ranking.recency(1, tau_hours=199.5), 0.995, places=5)

    def test_newer_is_never_worth_less(self):
        """J66: and what lies in the future is no more than now."""
        ages = [-100, -1, 0, 0.001, 1, 24, 700, 10_000, 1e6]
        for tau in (episodic.SOURCE_TAU_HOURS, memory_ranking.TAU_HOURS, 10_000):
            values = [memory_ranking.recency(age, tau_hours=tau) for age in ages]
            self.assertEqual(values, sorted(values, reverse=True))
            self.assertEqual(max(values), 1.0)
            self.assertGreaterEqual(min(values), 0.0)


class SearchTests(unittest.TestCase):
    def search(self, entries, query="", **arguments):
        return episodic.search_episodic_memory(entries, query, now=NOW, **arguments)

    def ids(self, *args, **arguments):
        return [result["entry"].id for result in self.search(*args, **arguments)]

    def test_the_defaults_are_those_of_the_source(self):
        """E27 E32 M4: 7 days, importance 5, weights 1.0; and those that it left open."""
        parameters = inspect.signature(episodic.search_episodic_memory).parameters.values()
        self.assertEqual(
            {one.name: one.default for one in parameters if one.default is not one.empty},
            {
                "days_back": 7,
                "min_importance": 5,
                "alpha_recency": 1.0,
                "alpha_importance": 1.0,
                "alpha_relevance": 1.0,
                "now": None,
                "tau_hours": 199.5,
                "min_trust": 0.0,
            },
        )

    def test_a_result_tells_how_its_score_came_about(self):
        """E28 E30 E31: the three parts, their sum, and the sum divided by the weights."""
        item = entry(importance=8)
        [result] = self.search([item], "the crown")
        self.assertEqual(
            result,
            {
                "entry": item,
                "score": (1.0 + 0.8 + 0.5) / 3,
                "raw_score": 1.0 + 0.8 + 0.5,
                "recency": 1.0,
                "importance": 0.8,
                "relevance": 0.5,
            },
        )

    def test_a_word_is_found_in_any_form(self):
        """E31: by itself, with another ending, in another language, in one without spaces."""
        for query, content in [
            ("burned", "The mill burned."),
            ("burning mills", "Who burned the mill?"),
            ("häxans hus", "Häxan har ett hus."),
            ("Feuers", "Das Feuer war groß, und die Mühle brannte."),
            ("铁匠", "铁匠住在桥边"),
        ]:
            with self.subTest(query):
                [result] = self.search([entry(content=content)], query)
                self.assertEqual(result["relevance"], 1.0)
        [result] = self.search([entry(content="The mill burned.")], "The bridge broke.")
        self.assertAlmostEqual(result["relevance"], 1 / 3)

    def test_what_is_less_sure_is_left_out_if_that_is_asked(self):
        """J79: `min_trust`, for records and for plain data of a game."""
        items = [
            entries.entry("The king died.", id=n, timestamp=format_time(NOW), source_trust=trust)
            for n, trust in ((1, 0.3), (2, 0.5), (3, 0.9))
        ]
        self.assertEqual(self.ids(items), [1, 2, 3])
        self.assertEqual(self.ids(items, min_trust=0.5), [2, 3])
        given = [pages.plain(one) for one in items]
        found = episodic.search_episodic_memory(given, "", now=NOW, min_trust=0.6)
        self.assertEqual([one["entry"]["id"] for one in found], [3])

    def test_weights_change_the_order(self):
        fresh = entry(1, content="It rained.", importance=5)
        grave = entry(2, hours=150, content="It snowed.", importance=10)
        fitting = entry(3, hours=150, content="a crown", importance=5)
        items = [fresh, grave, fitting]
        weights = dict.fromkeys(["alpha_recency", "alpha_importance", "alpha_relevance"], 0.01)
        for name, first in zip(weights, [1, 2, 3], strict=True):
            self.assertEqual(self.ids(items, "a crown", **{**weights, name: 5.0})[0], first)

    def test_what_is_too_old_or_matters_too_little_is_left_out(self):
        items = [
            entry(1, importance=4),
            entry(2, importance=5),
            entry(3, hours=7 * 24),
            entry(4, hours=7 * 24 + 0.1),
        ]
        self.assertEqual(self.ids(items), [2, 3])
        self.assertEqual(self.ids(items, days_back=8, min_importance=1), [2, 1, 3, 4])
        self.assertEqual(self.ids(items, days_back=None), [2, 3, 4])
        self.assertEqual(self.ids([]), [])

    def test_equals_are_ordered_by_time_and_then_by_id(self):
        """Newer first, though the weight of time is 0; the same moment by id."""
        items = [entry(3), entry(2, hours=1), entry(1)]
        self.assertEqual(self.ids(items, alpha_recency=0.0), [1, 3, 2])
        self.assertEqual(self.ids(items[::-1], alpha_recency=0.0), [1, 3, 2])

    def test_the_decay_can_be_chosen(self):
        """E29: with the published one an hour is long, with ours it is nothing."""
        items = [entry(1, hours=0, importance=5), entry(2, hours=5, importance=6)]
        self.assertEqual(self.ids(items, tau_hours=episodic.SOURCE_TAU_HOURS), [1, 2])
        self.assertEqual(self.ids(items), [2, 1])

    def test_weights_that_add_up_to_nothing_are_refused_even_of_nothing(self):
        with self.assertRaises(ValueError):
            self.search([], alpha_recency=1.0, alpha_importance=-1.0, alpha_relevance=0.0)

    def test_now_is_now_unless_said_otherwise(self):
        recent = entries.entry(timestamp=format_time(datetime.now(timezone.utc)))
        self.assertEqual(len(episodic.search_episodic_memory([recent, entry(2)], "")), 2)
