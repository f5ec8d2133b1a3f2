"""Tests of the vectors that are kept in memory."""

import unittest

import numpy as np

from evennia_ai.semantic.vectors import VectorCache


class VectorCacheTests(unittest.TestCase):
    def setUp(self):
        self.rows = {"mara": [(1, 0.1), (2, 0.2)], "otto": [(3, 0.3)]}
        self.fetched = []

    def fetch(self, assistant_key, after):
        self.fetched.append((assistant_key, after))
        rows = [row for row in self.rows.get(assistant_key, []) if row[0] > after]
        numbers = np.array([number for number, _ in rows], dtype=np.int64)
        vectors = np.array([[value] for _, value in rows], dtype=np.float32).reshape(len(rows), 1)
        return numbers, vectors

    def numbers(self, cache, key):
        numbers, vectors = cache.get(key)
        self.assertEqual(len(numbers), len(vectors))
        return numbers.tolist()

    def test_only_what_is_new_is_fetched(self):
        cache = VectorCache(self.fetch)
        self.assertEqual(self.numbers(cache, "mara"), [1, 2])
        self.rows["mara"].append((7, 0.7))
        self.assertEqual(self.numbers(cache, "mara"), [1, 2, 7])
        self.assertEqual(self.numbers(cache, "mara"), [1, 2, 7])
        self.assertEqual(self.fetched, [("mara", 0), ("mara", 2), ("mara", 7)])

    def test_nobody_has_nothing(self):
        cache = VectorCache(self.fetch)
        self.assertEqual(self.numbers(cache, "nobody"), [])
        self.assertEqual(self.numbers(cache, "nobody"), [])

    def test_beyond_the_limit_those_asked_longest_ago_are_dropped(self):
        cache = VectorCache(self.fetch, limit=8)
        cache.get("mara")
        cache.get("otto")
        self.assertEqual(cache.size(), 4)
        cache.get("otto")
        self.assertEqual(self.fetched, [("mara", 0), ("otto", 0), ("otto", 3)])
        cache.get("mara")
        self.assertEqual(self.fetched[-1], ("mara", 0))

    def test_the_last_one_is_kept_however_large_it_is(self):
        cache = VectorCache(self.fetch, limit=0)
        cache.get("mara")
        self.assertEqual(cache.size(), 8)

    def test_dropping_forgets(self):
        cache = VectorCache(self.fetch)
        cache.get("mara")
        cache.get("otto")
        cache.drop("mara")
        self.assertEqual(cache.size(), 4)
        cache.drop()
        self.assertEqual(cache.size(), 0)
