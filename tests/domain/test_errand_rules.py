"""What a builder writes of errands, in a file or line by line."""

import unittest

from evennia_ai.domain import days, errand_rules

GIVEN = {
    "things": ["letter", "parcel"],
    "to": ["Bertil", "Cid"],
    "if": "perm(Player)",
    "a_day": 2,
    "not_during": ["sleep", "kneads dough"],
}
LINES = [
    "things: letter, parcel",
    "to: Bertil, Cid",
    "if: perm(Player)",
    "a_day: 2",
    "not_during: sleep, kneads dough",
]


class TimeOfDayTests(unittest.TestCase):
    def test_a_time_without_quotation_marks_is_read_as_yaml_gives_it(self):
        self.assertEqual(days.time_of_day(13 * 60 + 5), "13:05")
        for given in (True, -1, 100 * 60, ""):
            with self.subTest(given), self.assertRaisesRegex(ValueError, "at is a time of day"):
                days.time_of_day(given)


class WrittenTests(unittest.TestCase):
    def test_what_stands_in_a_file_is_a_line_each_and_read_as_it_was_meant(self):
        self.assertEqual(errand_rules.written(GIVEN), LINES)
        self.assertEqual(
            errand_rules.read(LINES),
            errand_rules.Errands(
                things=("letter", "parcel"),
                to=("Bertil", "Cid"),
                only_if="perm(Player)",
                a_day=2,
                not_during=("sleep", "kneads dough"),
            ),
        )

    def test_without_any_line_nothing_is_carried(self):
        self.assertEqual(errand_rules.written(None), [])
        self.assertEqual(errand_rules.read([]), errand_rules.NONE)

    def test_a_file_that_is_wrong_is_refused_with_the_reason(self):
        for given, reason in (
            (["letter"], "it has keys such as things and to."),
            (
                {"thing": ["letter"]},
                "there is no 'thing'; there is things, to, if, a_day, not_during.",
            ),
            (
                {"things": ["letter"]},
                "there is no line to: what is carried, and to whom, is listed.",
            ),
            ({"things": [], "to": ["Cid"]}, "things: '[]' is not what belongs there."),
            ({"things": [7], "to": ["Cid"]}, "things lists names; put quotes around each."),
            ({"things": ["a, b"], "to": ["Cid"]}, "things lists names; put quotes around each."),
            ({**GIVEN, "a_day": 0}, "a_day is a number from 1 to 100."),
            ({**GIVEN, "a_day": True}, "a_day: 'True' is not what belongs there."),
            ({**GIVEN, "if": ["x"]}, "if: \"['x']\" is not what belongs there."),
        ):
            with self.subTest(given=given), self.assertRaises(ValueError) as caught:
                errand_rules.written(given)
            self.assertEqual(str(caught.exception), reason)

    def test_a_line_that_says_nothing_or_is_there_twice_is_refused(self):
        for lines in (["things:"], ["letter"], ["gold: 5"], [*LINES, "to: Ann"]):
            with self.subTest(lines=lines), self.assertRaises(ValueError):
                errand_rules.read(lines)

    def test_an_hour_that_its_builder_names_is_none_for_errands(self):
        found = errand_rules.read(LINES)
        for line, is_free in (
            ("06:00 inn: kneads dough", False),
            ("13:00 market: buys eels", True),
            ("22:00 inn [sleep]", False),
        ):
            self.assertEqual(found.is_during(days.read_line(line)), is_free, line)
        self.assertTrue(found.is_during(None))
        self.assertTrue(errand_rules.read(LINES[:2]).is_during(days.read_line("22:00 inn [sleep]")))
