import unittest

from evennia_ai.domain.model_text import tokens


class EstimateTests(unittest.TestCase):
    def test_the_estimate_of_known_texts(self):
        for text, expected in (
            ("", 0),
            ("a", 1),
            ("x" * 36, 10),
            ("x" * 37, 11),
            ("é", 1),
            # Two characters of three bytes each: 6 / 2.4 rounded up.
            ("你好", 3),
            ("x" * 36 + "你好", 13),
            # Half a surrogate pair counts as the mark that stands for it, and does not crash.
            ("\ud800", 1),
        ):
            with self.subTest(text=text):
                self.assertEqual(tokens.estimate(text), expected)

    def test_a_longer_text_is_never_fewer_tokens(self):
        estimates = [tokens.estimate("aé漢 "[: n % 5] * n) for n in range(0, 40, 5)]
        self.assertEqual(estimates, sorted(estimates))

    def test_a_message_costs_four_more_than_its_words(self):
        messages = [{"role": "user", "content": "x" * 36}, {"role": "user", "content": ""}]
        self.assertEqual(tokens.estimate_messages(messages), 18)

    def test_no_content_is_no_words(self):
        self.assertEqual(tokens.estimate_messages([{"role": "assistant", "content": None}]), 4)

    def test_tool_calls_and_tool_schemas_count(self):
        message = {"role": "assistant", "content": "", "tool_calls": [{"name": "say"}]}
        # [{"name": "say"}] has 17 characters.
        self.assertEqual(tokens.estimate_messages([message]), 9)
        # {"name": "say"} has 15.
        self.assertEqual(tokens.estimate_messages([], tools=[{"name": "say"}]), 5)
