"""Tests of what is never one memory, however alike its vectors are."""

import unittest

from evennia_ai.semantic.ranking import dedup
from tests.semantic.cases import SemanticTestCase

# What a model of meanings takes for nearly the same.
DIFFERENT = (
    ("Alice stole the ring.", "Bob stole the ring."),
    ("alice stole the ring", "bob stole the ring"),
    ("The ring was stolen by Alice.", "The ring was stolen by Bob."),
    ("I love ale.", "I do not love ale."),
    ("I love ale.", "I don't love ale."),
    ("i love ale", "i dont love ale"),
    ("You can trust him.", "You can hardly trust him."),
    ("The ale costs 2 crowns.", "The ale costs 20 crowns."),
    ("He owes Ann two crowns.", "He owes Ann twenty crowns."),
    ("Jag har två mynt.", "Jag har tre mynt."),
    ("alice owes bob money", "bob owes alice money"),
    ("I gave him the key.", "He gave me the key."),
    ("The bridge is safe.", "The bridge is unsafe."),
    ("The inn is open on Monday.", "The inn is open on Tuesday."),
)
SAME = (
    ("The tavern is in the north wing.", "A tavern lies in the north wing!"),
    ("Alice has stolen the ring.", "Alice stole the ring."),
    ("I don't love ale.", "I do not love ale."),
    ("He owes Ann two crowns.", "he owes Ann all of two crowns"),
    ("The bridge is not safe.", "The bridge isn't safe."),
)


class Alike:
    """An embedder that takes everything for the same."""

    name = "alike"
    dimensions = 2
    scale = {"relevant": 0.0, "duplicate": 0.95}

    def embed(self, texts):
        import numpy as np

        return np.tile(np.array([1.0, 0.0], dtype=np.float32), (len(texts), 1))

    def embed_query(self, text):
        return self.embed([text])[0]


class TableTests(unittest.TestCase):
    def test_names_numbers_negations_and_who_did_it_differ(self):
        for one, other in DIFFERENT:
            with self.subTest(one, other=other):
                self.assertFalse(dedup.says_the_same(one, other))
                self.assertFalse(dedup.says_the_same(other, one))

    def test_other_words_for_the_same_do_not(self):
        for one, other in SAME:
            with self.subTest(one, other=other):
                self.assertTrue(dedup.says_the_same(one, other))
                self.assertTrue(dedup.says_the_same(other, one))


class StoreTests(SemanticTestCase):
    def kept(self, one, other):
        store = self.make_store(Alike())
        for text in (one, other):
            store.add(text, assistant_key="mara", audience="public")
        kept = [item.text for item in store.get_all(assistant_key="mara")]
        store.delete_scope(assistant_key="mara")
        return sorted(kept)

    def test_what_differs_is_kept_twice_and_what_does_not_once(self):
        for one, other in DIFFERENT:
            with self.subTest(one, other=other):
                self.assertEqual(self.kept(one, other), sorted([one, other]))
        for one, other in SAME:
            with self.subTest(one, other=other):
                self.assertEqual(self.kept(one, other), [one])
