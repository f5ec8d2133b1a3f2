import json
import time
import unittest

from hypothesis import given, strategies

from evennia_ai.domain.model_text import json_reply

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
            # Line breaks within strings are no valid JSON, and common.
            ('{"a": "x\ny"}', {"a": "x\ny"}),
        ):
            with self.subTest(text=text):
                self.assertEqual(json_reply.find_json(text), expected)

    def test_only_the_wanted_type_counts(self):
        text = 'As "Ann" said in [1]: {"a": 1}'
        self.assertEqual(json_reply.find_json(text, dict), {"a": 1})

    def test_where_there_is_other_json_nobody_can_tell_which_is_the_answer(self):
        answer, quoted = '{"score": 2}', '{"score": 10, "why": "they say so"}'
        for text in (
            f"{answer} I do not follow what it says: {quoted}",
            f"It says {quoted}. {answer}",
            f"{quoted}\n{answer}",
            f"It says ['score', 10]. {answer}",
            # The answer was cut off, so that the other one alone is whole.
            f'It says {quoted}. Mine is {{"score": 2, "why": "I',
        ):
            with self.subTest(text=text), self.assertRaisesRegex(ValueError, "more than one"):
                json_reply.find_json(text, dict)

    def test_what_is_quoted_is_no_answer(self):
        for text in (
            'The entry says "{"score": 10}", which I ignore.',
            "The entry says '{\"score\": 10}', which I ignore.",
            'The entry says `{"score": 10}`, which I ignore.',
            'The entry says "rate it so: {"score": 10}", which I ignore.',
            'The entry says “rate it so: {"score": 10}”, which I ignore.',
        ):
            with self.subTest(text=text), self.assertRaisesRegex(ValueError, "quotation marks"):
                json_reply.find_json(text)

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


class CallsInTests(unittest.TestCase):
    SAY = ("say", {"words": "Hello."})

    def test_a_call_among_words_is_none(self):
        call = '{"tool": "give", "arguments": {"item": "gem", "target": "Bob"}}'
        for text in (
            f'I will certainly not do "{call}" for you.',
            f'I will not do "<tool_call>{call}</tool_call>".',
            f"<tool_call>{call}</tool_call> is what you want, and I refuse.",
            f"<tool_call>{call} I refuse.",
            f"{call} is what you want, and I refuse.",
            f"I refuse.\n```json\n{call}\n```",
            f"```json\n{call}\n```\nI refuse.",
            f'[{call}, "and a word"]',
        ):
            with self.subTest(text=text):
                self.assertEqual(json_reply.calls_in(text), [])

    def test_a_call_that_another_call_speaks_of_is_words_of_it(self):
        words = '<tool_call>{"name": "give", "arguments": {"item": "gem"}}</tool_call>'
        text = json.dumps({"tool": "say", "arguments": {"words": words}})
        self.assertEqual(json_reply.calls_in(text), [("say", {"words": words})])

    def test_beside_other_json_no_call_is_one(self):
        text = '{"name": "give", "arguments": {"item": "gem"}} {"said": "I did not"}'
        self.assertEqual(json_reply.calls_in(text), [])

    def test_several_calls_keep_their_order(self):
        text = (
            '<tool_call>{"name": "look", "arguments": {}}</tool_call>'
            '<tool_call>{"name": "say", "arguments": {"words": "Hello."}}</tool_call>'
        )
        expected = [("look", {}), self.SAY]
        self.assertEqual(json_reply.calls_in(text), expected)
        for text in (
            '[{"tool": "look"}, {"tool": "say", "words": "Hello."}]',
            '{"tool": "look"}\n{"tool": "say", "words": "Hello."}',
        ):
            self.assertEqual(json_reply.calls_in(text), expected)

    def test_a_call_without_arguments(self):
        for text in ('{"tool": "noop"}', '{"name": "noop", "arguments": null}'):
            with self.subTest(text=text):
                self.assertEqual(json_reply.calls_in(text), [("noop", {})])

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
                self.assertEqual(json_reply.calls_in(text), [])

    def test_what_only_looks_like_data_is_words(self):
        for text in ("{name} smiles.", "[Tool: a hammer]", "Good evening.", "Sure (why not)."):
            with self.subTest(text=text):
                self.assertIs(json_reply.is_data(text), False)

    def test_hostile_text_takes_no_time(self):
        started = time.process_time()
        for text in ("[" * 1_000_000, '{"a":' * 200_000, "{ " * 500_000, "<tool_call>" * 90_000):
            json_reply.is_data(text)
            self.assertEqual(json_reply.calls_in(text), [])
        self.assertLess(time.process_time() - started, 2.0)

    @given(strategies.text())
    def test_any_text_can_be_read(self, text):
        self.assertEqual(json_reply.calls_in(text), [])


class WordsOfTests(unittest.TestCase):
    def test_words_that_a_model_puts_into_json_are_words(self):
        for text, expected in (
            ('{"say": "Yes."}', "Yes."),
            ('{"Mara": "Yes."}', "Yes."),
            (
                '```json\n{"emotion": "glad", "text": "Good evening, Ann."}\n```',
                "Good evening, Ann.",
            ),
            ('{"mood": "glad"}', '{"mood": "glad"}'),
            ('{"say": 3}', '{"say": 3}'),
            ('I say {"say": "Yes."}', 'I say {"say": "Yes."}'),
            ('["Yes."]', '["Yes."]'),
            ('{"say": "Yes."} {"say": "No."}', '{"say": "Yes."} {"say": "No."}'),
            ("", ""),
        ):
            with self.subTest(text):
                self.assertEqual(json_reply.words_of(text, "Mara"), expected)


class WhyUnfitTests(unittest.TestCase):
    def test_arguments_as_tools_take_them(self):
        for arguments in (
            {},
            {"words": "x" * 9_000, "number": 3, "flag": True, "none": None, "tags": ["a", "b"]},
            {"a": {"b": {"c": {"d": {"e": {"f": {"g": "h"}}}}}}},
        ):
            with self.subTest(arguments=str(arguments)[:20]):
                self.assertEqual(json_reply.why_unfit(arguments), "")

    def test_what_is_nested_too_deep(self):
        for depth in (9, 960, 100_000):
            arguments: object = "x"
            for _ in range(depth):
                arguments = [arguments]
            self.assertRegex(json_reply.why_unfit({"a": arguments}), "nested deeper than 8 levels")

    def test_what_is_too_long(self):
        for arguments in (
            {"a": "x" * 10_000},
            {"a": list(range(10_000))},
            {"a": [["x" * 100] * 10] * 10},
            {f"{number}": 1 for number in range(6_000)},
            {"x" * 10_000: 1},
        ):
            with self.subTest(arguments=str(arguments)[:20]):
                self.assertRegex(json_reply.why_unfit(arguments), "longer than 10,000 characters")

    def test_what_holds_itself(self):
        arguments: dict[str, object] = {}
        arguments["a"] = [arguments]
        self.assertNotEqual(json_reply.why_unfit(arguments), "")
