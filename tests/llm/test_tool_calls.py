"""The use of a tool as any mind asks for it: bounded before anybody works with it."""

import json
import unittest

from evennia_ai.llm.base import ToolCall


class ToolCallTests(unittest.TestCase):
    def test_it_is_kept_as_it_was_asked_for(self):
        call = ToolCall("1", "say", {"words": "Hello."})
        self.assertEqual(
            (call.name, call.arguments, call.error), ("say", {"words": "Hello."}, None)
        )

    def test_arguments_that_nothing_can_be_done_with_are_an_error(self):
        deep: object = []
        for _ in range(960):
            deep = [deep]
        for arguments in ({"words": deep}, {"words": "x" * 20_000}):
            call = ToolCall("1", "say", arguments)
            self.assertEqual((call.arguments, json.dumps(call.arguments)), ({}, "{}"))
            self.assertRegex(call.error, "^The arguments are (nested deeper|longer) than")

    def test_a_name_is_cut(self):
        self.assertEqual(ToolCall("1", "x" * 5_000).name, "x" * 200)
