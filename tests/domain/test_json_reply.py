import json
import time
import unittest

from hypothesis import given, strategies

from evennia_ai.domain import json_reply

JSON_VALUES = strategies.recursive(
    strategies.none() | strategies.booleans() | strategies.integers() | strategies.text(),
    lambda inner: strategies.lists(inner) | strategies.dictionaries(strategies.text(), inner),
    max_leaves=10,
)


class SplitThinkingTests(unittest.TestCase):
    def test_what_is_said_and_what_is_thought(self):
        for text, expected in (
            ("Hello.", ("Hello.", "")),
            ("<think>A guest.</think>Hello.", ("Hello.", "A guest.")),
            ("<THINK> A guest. </Think>\nHello.", ("Hello.", "A guest.")),
            ("<thinking>One.</thinking>Hello.<think>Two.</think>", ("Hello.", "One.\nTwo.")),
            # The template opened the tag.
            ("A guest.</think>Hello.", ("Hello.", "A guest.")),
            # Cut off in the middle of a thought.
            ("Well. <think>What if", ("Well.", "What if")),
            ("<think></think>Hello.", ("Hello.", "")),
            # Tags of another kind are the model's words.
            ("<b>Hello.</b>", ("<b>Hello.</b>", "")),
            ("", ("", "")),
        ):
            with self.subTest(text=text):
                self.assertEqual(json_reply.split_thinking(text), expected)

    def test_many_tags_take_no_time(self):
        started = time.process_time()
        json_reply.split_thinking("<think>" * 100_000)
        json_reply.split_thinking("</think>" * 100_000)
        self.assertLess(time.process_time() - started, 1.0)

    @given(strategies.text())
    def test_text_without_tags_is_said(self, text):
        if "<" not in text:
            self.assertEqual(json_reply.split_thinking(text), (text.strip(), ""))


class FindJSONTests(unittest.TestCase):
    def test_json_is_found_wherever_it_stands(self):
        for text, expected in (
            ('{"a": 1}', {"a": 1}),
            ('Sure!\n```json\n{"a": 1}\n```', {"a": 1}),
            ('1. ok: ["a", "b"]', ["a", "b"]),
            ('{"a": {"b": [1]}} and more', {"a": {"b": [1]}}),
            # A bracket that opens nothing does not hide what follows.
            ('[sigh] {"a": 1}', {"a": 1}),
            # The longest is the answer; the other is an example.
            ('like {"a": 0}: {"a": 1, "b": 2}', {"a": 1, "b": 2}),
            # Line breaks within strings are no valid JSON, and common.
            ('{"a": "x\ny"}', {"a": "x\ny"}),
        ):
            with self.subTest(text=text):
                self.assertEqual(json_reply.find_json(text), expected)

    def test_only_the_wanted_type_counts(self):
        text = '{"a": 1} [1, 2, 3, 4, 5, 6]'
        self.assertEqual(json_reply.find_json(text, dict), {"a": 1})
        self.assertEqual(json_reply.find_json(text, list), [1, 2, 3, 4, 5, 6])

    def test_no_json_is_an_error(self):
        for text in ("", "42", '"words"', "null", "I can't.", "{broken", "[[[["):
            with self.subTest(text=text), self.assertRaises(ValueError):
                json_reply.find_json(text)

    def test_hostile_text_takes_no_time(self):
        started = time.process_time()
        for text in ("[" * 1_000_000, '{"a":' * 200_000, "{ " * 500_000, '["' * 500_000):
            with self.assertRaises(ValueError):
                json_reply.find_json(text)
        self.assertLess(time.process_time() - started, 2.0)

    @given(strategies.dictionaries(strategies.text(), JSON_VALUES))
    def test_what_was_dumped_is_found_in_prose(self, value):
        self.assertEqual(json_reply.find_json(f"Here: {json.dumps(value)} .", dict), value)


class ParseToolReplyTests(unittest.TestCase):
    SAY = ("say", {"words": "Hello."})

    def test_every_form_of_a_call_is_understood(self):
        for text in (
            '{"tool": "say", "arguments": {"words": "Hello."}}',
            '{"tool": "say", "words": "Hello."}',
            '{"name": "say", "parameters": {"words": "Hello."}}',
            '{"name": "say", "arguments": "{\\"words\\": \\"Hello.\\"}"}',
            '{"function": {"name": "say", "arguments": {"words": "Hello."}}}',
            '{"function": "say", "args": {"words": "Hello."}}',
            '[{"tool": "say", "input": {"words": "Hello."}}]',
            '{"tool_calls": [{"function": {"name": "say", "arguments": {"words": "Hello."}}}]}',
            '<tool_call>\n{"name": "say", "arguments": {"words": "Hello."}}\n</tool_call>',
            '<tool_call>{"name": "say", "arguments": {"words": "Hello."}}',
            '```json\n{"tool": "say", "arguments": {"words": "Hello."}}\n```',
        ):
            with self.subTest(text=text):
                self.assertEqual(json_reply.parse_tool_reply(text), ([self.SAY], ""))

    def test_the_words_beside_a_call_are_kept(self):
        text = 'Let me greet them.\n```json\n{"tool": "say", "words": "Hello."}\n```'
        self.assertEqual(json_reply.parse_tool_reply(text), ([self.SAY], "Let me greet them."))

    def test_several_calls_keep_their_order(self):
        text = (
            '<tool_call>{"name": "look", "arguments": {}}</tool_call>'
            '<tool_call>{"name": "say", "arguments": {"words": "Hello."}}</tool_call>'
        )
        expected = [("look", {}), self.SAY]
        self.assertEqual(json_reply.parse_tool_reply(text).calls, expected)
        text = '[{"tool": "look"}, {"tool": "say", "words": "Hello."}]'
        self.assertEqual(json_reply.parse_tool_reply(text).calls, expected)

    def test_a_call_without_arguments(self):
        for text in ('{"tool": "noop"}', '{"name": "noop", "arguments": null}'):
            with self.subTest(text=text):
                self.assertEqual(json_reply.parse_tool_reply(text).calls, [("noop", {})])

    def test_data_is_no_call(self):
        for text in (
            "Good evening.",
            "{smiles} Good evening.",
            '{"name": "Bob", "age": 40}',
            '{"name": "", "arguments": {}}',
            '{"tool": 3, "arguments": {}}',
            '{"tool": "say", "arguments": [1]}',
            '{"tool": "say", "arguments": "no JSON"}',
            '[{"tool": "say", "words": "Hello."}, "and a word"]',
            "[]",
        ):
            with self.subTest(text=text):
                self.assertEqual(json_reply.parse_tool_reply(text), ([], text))

    def test_a_broken_call_is_told_from_words(self):
        for text, expected in (
            ('{"tool": "say", "arguments": {"words": "Hel', True),
            ("[{'tool': 'say'", True),
            ('```json\n{\n  "name": "say",', True),
            ("<tool_call>say</tool_call>", True),
            ("{name} smiles.", False),
            ("[Tool: a hammer]", False),
            ("Good evening.", False),
        ):
            with self.subTest(text=text):
                self.assertEqual(json_reply.looks_like_call(text), expected)

    @given(strategies.text())
    def test_any_text_can_be_read(self, text):
        calls, rest = json_reply.parse_tool_reply(text)
        self.assertEqual((calls, rest), ([], text.strip()))
