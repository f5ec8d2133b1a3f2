"""Whatever reads text takes no longer than its length asks for: nobody holds up the game by a line."""

import re
import unittest

from django.test import tag

from evennia_ai.core import languages
from tests import hostile_text, text_readers


@tag("scenario")
class ShapeTests(unittest.TestCase):
    def test_what_takes_too_long_is_found(self):
        for pattern in (r"\|+c", r"\w*\d!"):
            with self.subTest(pattern):
                self.assertIn("characters of", hostile_text.slowest(re.compile(pattern).findall))

    def test_what_takes_as_long_as_a_line_is_not(self):
        for pattern in (r"\w+", r"(?<!\|)\|+c", r"“[^“”]*”"):
            with self.subTest(pattern):
                self.assertEqual(hostile_text.slowest(re.compile(pattern).findall), "")


@tag("scenario")
class ReaderTests(unittest.TestCase):
    def setUp(self):
        # One of those who read is asked to take other files of languages.
        self.addCleanup(languages.use, {})

    def test_no_expression_takes_long_for_any_shape_of_line(self):
        slow = []
        for where, pattern, readings in text_readers.expressions():
            for read in readings:
                found = hostile_text.slowest(read, text_readers.literals(pattern))
                if found:
                    slow.append(f"{where}: {found}: {pattern.pattern[:100]}")
        self.assertFalse(slow, "\n" + "\n".join(slow))

    def test_no_function_of_text_takes_long_for_any_shape_of_line(self):
        found = {where: hostile_text.slowest(read) for where, read in text_readers.functions()}
        slow = [f"{where}: {how}" for where, how in found.items() if how]
        self.assertFalse(slow, "\n" + "\n".join(slow))

    def test_readers_are_found_where_they_are(self):
        self.assertGreater(len(text_readers.expressions()), 150)
        found = {where.removeprefix("evennia_ai.") for where, _ in text_readers.functions()}
        for where in (
            "agent.speech.parse_speech",
            "domain.offline.reading.classify",
            "domain.sleeping.mentions.notice",
            "domain.sleeping.summary.facts",
            "markup.plain",
            "domain.model_text.quotation.quote",
        ):
            with self.subTest(where):
                self.assertTrue(where in found)
