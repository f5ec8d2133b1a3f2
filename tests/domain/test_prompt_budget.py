"""Tests of how limits grow with the room of a prompt."""

import unittest

from evennia_ai.domain.model_text import prompt_budget


class GrownTests(unittest.TestCase):
    def test_a_larger_prompt_has_more_room_and_a_smaller_one_no_less(self):
        for context_tokens, expected in ((1000, 400), (3000, 400), (6000, 800), (30_000, 4000)):
            with self.subTest(context_tokens):
                self.assertEqual(prompt_budget.grown(400, context_tokens=context_tokens), expected)
