"""Two dicts called EVENNIA_AI in one settings file: what the first held is lost, and is named."""

import ast
from unittest import TestCase

from evennia_ai.checks import second_settings


class TwiceTests(TestCase):
    def found(self, text):
        return [
            (one.sentence, one.line)
            for one in second_settings.find_lost(ast.parse(text), "settings.py")
        ]

    def test_what_a_second_dict_loses_is_named(self):
        self.assertEqual(
            self.found(
                'EVENNIA_AI = {"LLM": {}, "RATE": {}}\nX = 1\nEVENNIA_AI = {"GOSSIP": "never"}'
            ),
            [
                (
                    "settings.py sets EVENNIA_AI in line 1 and again in line 3, so that the first is "
                    "lost: LLM, RATE.",
                    'EVENNIA_AI["GOSSIP"] = …  # in line 3, for each key',
                )
            ],
        )

    def test_one_dict_and_one_that_is_built_upon_are_well(self):
        for text in (
            'EVENNIA_AI = {"LLM": {}}',
            'EVENNIA_AI = {}\nEVENNIA_AI = {"LLM": {}}',
            'EVENNIA_AI = {"LLM": {}}\nEVENNIA_AI = {**EVENNIA_AI, "GOSSIP": "never"}',
            'EVENNIA_AI = {"LLM": {}}\nEVENNIA_AI["GOSSIP"] = "never"',
            'EVENNIA_AI = {"LLM": {}}\nEVENNIA_AI.update(GOSSIP="never")',
        ):
            with self.subTest(text):
                self.assertEqual(self.found(text), [])
