"""Tests of how a game's settings go over our own."""

import unittest

from evennia_ai.domain.settings_merge import merged


class MergedTests(unittest.TestCase):
    def test_a_plain_value_replaces_ours(self):
        self.assertEqual((merged(5, 7), merged("a", ""), merged(None, 3)), (7, "", 3))

    def test_three_dots_in_a_list_stand_for_ours(self):
        self.assertEqual(merged(["a", "b"], [..., "c"]), ["a", "b", "c"])
        self.assertEqual(merged(["a"], ["c"]), ["c"])
        self.assertEqual(merged(["a"], []), [])

    def test_a_dict_replaces_key_by_key(self):
        self.assertEqual(merged({"a": 1, "b": 2}, {"b": 3, "c": 4}), {"a": 1, "b": 3, "c": 4})
        self.assertEqual(merged({"a": ["x"]}, {"a": [..., "y"]}), {"a": ["x", "y"]})

    def test_or_as_a_whole(self):
        self.assertEqual(merged({"a": 1}, {"b": 2}, whole=True), {"b": 2})
