"""Tests of the YAML of seeds: plain, each key once, and wrong in one sentence."""

import unittest

from evennia_ai.memory.seeds import seed_yaml


class LoadTests(unittest.TestCase):
    def refused(self, text):
        with self.assertRaises(ValueError) as caught:
            seed_yaml.load(text if isinstance(text, bytes) else text.encode())
        return str(caught.exception)

    def test_it_is_read_with_or_without_a_mark_at_its_beginning(self):
        self.assertEqual(seed_yaml.load(b"\xef\xbb\xbfname: M\xc3\xa5ns"), {"name": "Måns"})
        self.assertIsNone(seed_yaml.load(b""))

    def test_a_key_that_stands_twice_is_refused_with_its_line(self):
        said = self.refused("name: Mara\nlore:\n  - A\nlore:\n  - B\n")
        self.assertEqual(said, "line 4: 'lore' stands here twice.")

    def test_objects_of_python_are_refused(self):
        said = self.refused("name: !!python/object/apply:os.system ['true']")
        self.assertRegex(said, r"^line 1: could not determine a constructor for the tag")

    def test_aliases_which_could_grow_without_end_are_refused(self):
        said = self.refused("a: &a [x]\nb: [*a, *a]\n")
        self.assertEqual(said, "line 2: aliases (*) have no place here.")

    def test_what_is_no_yaml_is_refused_with_its_line(self):
        self.assertRegex(self.refused("name: Mara\n  lore: x"), r"^line 2: .+\.$")
        self.assertRegex(self.refused(b"\xff\xfe\xfa"), r"^it is no YAML \(.+\)\.$")
        self.assertRegex(self.refused("day: 2026-13-45"), r"^it is no YAML \(.+\)\.$")
        self.assertEqual(self.refused("[" * 5000), "it is nested too deeply.")
