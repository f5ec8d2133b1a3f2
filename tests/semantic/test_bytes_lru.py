"""The cache of things that grow, by how many bytes they take."""

from unittest import TestCase

from evennia_ai.semantic.stores.growable_arrays import BytesLRU


class Thing:
    """Takes so many bytes."""

    def __init__(self, nbytes):
        self.nbytes = nbytes


class BytesLRUTests(TestCase):
    def setUp(self):
        self.cache = BytesLRU(10)
        self.kept = lambda: [key for key in "abcd" if self.cache.get(key)]

    def keep(self, **weights):
        for key, nbytes in weights.items():
            self.cache.keep(key, Thing(nbytes))

    def test_what_was_asked_least_lately_goes_where_there_is_no_room(self):
        self.keep(a=4, b=4)
        self.cache.keep("a", self.cache.get("a"))
        self.keep(c=4)
        self.assertEqual(self.kept(), ["a", "c"])
        self.assertEqual(self.cache.nbytes, 8)

    def test_what_has_grown_is_weighed_anew(self):
        growing = Thing(1)
        self.cache.keep("a", growing)
        self.keep(b=4)
        growing.nbytes = 7
        self.cache.keep("a", growing)
        self.assertEqual(self.kept(), ["a"])
        self.assertEqual(self.cache.nbytes, 7)

    def test_the_last_is_kept_whatever_it_takes(self):
        self.keep(a=4, b=40)
        self.assertEqual(self.kept(), ["b"])

    def test_what_is_dropped_weighs_nothing(self):
        self.keep(a=4, b=4)
        self.cache.drop("a")
        self.cache.drop("a")
        self.assertEqual(self.cache.nbytes, 4)
        self.cache.clear()
        self.assertEqual([*self.kept(), self.cache.nbytes], [0])
