import unittest
from datetime import datetime, timezone

from evennia_ai.domain.memories.journal_filter import Filter, parse_filter
from tests.domain import entries

NOW = datetime(2026, 1, 10, tzinfo=timezone.utc)


def entry(content="The mill burned down.", **fields):
    told = {"tags": ["say", "Fire"], "source_entity": "Ann", "importance": 6}
    return entries.entry(content, timestamp="2026-01-08T00:00:00.000Z", **{**told, **fields})


class ParseTests(unittest.TestCase):
    def test_nothing_is_everything(self):
        self.assertEqual(parse_filter(""), Filter())
        self.assertEqual(parse_filter(" , "), Filter())

    def test_all_parts_are_read(self):
        self.assertEqual(
            parse_filter("the Mill, tag=Fire, who = Ann, importance>=7, days=3, tag=say"),
            Filter(("the mill",), ("fire", "say"), ("ann",), 7, 3.0),
        )

    def test_each_misuse_is_one_sentence(self):
        for text, said in (
            (
                "colour=red",
                "There is no filter 'colour'; there are words, tag=…, who=…, importance>=…, days=….",
            ),
            ("tag=", "The filter 'tag' needs something after it."),
            ("importance>=high", "importance is a number, not 'high'."),
            ("days=-1", "days is a number, not '-1'."),
            ("days=inf", "days is a number, not 'inf'."),
            ("days=nan", "days is a number, not 'nan'."),
        ):
            with self.subTest(text):
                with self.assertRaises(ValueError) as caught:
                    parse_filter(text)
                self.assertEqual(str(caught.exception), said)


class FitsTests(unittest.TestCase):
    def fits(self, text, **fields):
        return parse_filter(text).fits(entry(**fields), now=NOW)

    def test_each_filter_lets_some_through(self):
        for text, expected in (
            ("", True),
            ("MILL", True),
            ("inn", False),
            ("mill, inn", False),
            ("tag=fire", True),
            ("tag=fire, tag=secret", False),
            ("who=ann", True),
            ("who=bob", False),
            ("importance>=6", True),
            ("importance>=7", False),
            ("days=3", True),
            ("days=1", False),
        ):
            with self.subTest(text):
                self.assertEqual(self.fits(text), expected)

    def test_who_is_also_whoever_is_named(self):
        self.assertTrue(self.fits("who=bob", content="Bob burned it."))
        self.assertFalse(self.fits("who=bob", content="Bobbing boats."))
