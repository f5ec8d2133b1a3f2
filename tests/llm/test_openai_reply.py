import unittest

from evennia_ai.exceptions import LLMBadReply, LLMContextOverflow, LLMUnavailable
from evennia_ai.llm import openai_reply
from evennia_ai.llm.openai_reply import normalise
from tests.model_steps import completion


def read(json_tools=False, **message):
    """Return the Completion of an answer with this message."""
    return normalise(completion(message), model="m", json_tools=json_tools)


class TextTests(unittest.TestCase):
    def test_words_usage_and_model(self):
        reply = read(content=" Hello. ")
        self.assertEqual((reply.text, reply.model, reply.is_model), ("Hello.", "scripted", True))
        self.assertEqual((reply.prompt_tokens, reply.completion_tokens), (120, 30))
        self.assertEqual(reply.finish_reason, "stop")

    def test_content_in_every_form(self):
        for content, expected in (
            (None, ""),
            ([{"type": "text", "text": "Hel"}, {"type": "image"}, "lo.", 3], "Hello."),
            ([{"type": "thinking", "thinking": [{"text": "hm"}]}, {"text": "Hi."}], "Hi."),
            ({"text": "no"}, ""),
            (42, ""),
        ):
            with self.subTest(content=content):
                self.assertEqual(read(content=content).text, expected)

    def test_thinking_is_kept_apart(self):
        for message, expected in (
            ({"content": "Hi.", "reasoning": "r"}, ("Hi.", "r")),
            ({"content": "Hi.", "reasoning_content": "r"}, ("Hi.", "r")),
            ({"content": "<think>t</think>Hi.", "reasoning": "r"}, ("Hi.", "r\nt")),
            ({"content": None, "reasoning": "r"}, ("", "r")),
            ({"content": "Hi.", "reasoning": {"a": 1}}, ("Hi.", "")),
        ):
            with self.subTest(message=message):
                reply = read(**message)
                self.assertEqual((reply.text, reply.thinking), expected)

    def test_usage_that_is_missing_or_odd_is_none(self):
        for usage in (None, {}, [], {"prompt_tokens": None}, {"prompt_tokens": "9"}):
            with self.subTest(usage=usage):
                answer = {**completion({"content": "Hi."}), "usage": usage}
                reply = normalise(answer, model="m")
                self.assertEqual((reply.prompt_tokens, reply.completion_tokens), (None, None))

    def test_a_model_that_is_not_named_is_the_one_that_was_asked(self):
        answer = {**completion({"content": "Hi."}), "model": None}
        self.assertEqual(normalise(answer, model="m").model, "m")

    def test_a_model_that_declines_gives_no_line(self):
        with self.assertRaisesRegex(LLMBadReply, r"declines \(8 characters\)"):
            read(content=None, refusal="I can't.")


class BadAnswerTests(unittest.TestCase):
    def test_what_is_no_answer(self):
        for answer in (
            None,
            [],
            "words",
            {},
            {"choices": None},
            {"choices": []},
            {"choices": {}},
            {"choices": [None]},
            {"choices": [{}]},
            {"choices": [{"message": None}]},
            {"choices": [{"message": "words"}]},
        ):
            with self.subTest(answer=answer), self.assertRaises(LLMBadReply):
                normalise(answer, model="m")

    def test_an_error_may_come_as_an_answer(self):
        for answer in (
            {"error": {"code": 502, "message": "upstream"}},
            {"error": "upstream"},
            {"choices": [{"error": {"message": "upstream"}}]},
        ):
            with self.subTest(answer=answer):
                with self.assertRaisesRegex(LLMUnavailable, "came as an answer") as caught:
                    normalise(answer, model="m")
                self.assertIs(type(caught.exception), LLMUnavailable)

    def test_that_error_may_be_the_window(self):
        answer = {"error": {"message": "maximum context length is 4096 tokens"}}
        with self.assertRaises(LLMContextOverflow) as caught:
            normalise(answer, model="m")
        self.assertEqual(caught.exception.window, 4096)


class NativeCallTests(unittest.TestCase):
    def called(self, arguments, **fields):
        asked = {"function": {"name": "look", "arguments": arguments}, **fields}
        [call] = read(content=None, tool_calls=[asked]).tool_calls
        return call

    def test_arguments_in_every_form(self):
        for arguments, expected in (
            ('{"at": "hearth"}', {"at": "hearth"}),
            ({"at": "hearth"}, {"at": "hearth"}),
            ("{at: 'hearth'}", {"at": "hearth"}),
            ('{"at": "hearth"', {"at": "hearth"}),
            ("", {}),
            (" ", {}),
            (None, {}),
            ("{}", {}),
        ):
            with self.subTest(arguments=arguments):
                call = self.called(arguments, id="1")
                self.assertEqual((call.id, call.name), ("1", "look"))
                self.assertEqual((call.arguments, call.error), (expected, None))

    def test_arguments_that_cannot_be_read_say_so(self):
        for arguments in ("hearth", "[1, 2]", [1, 2], 42, "42", "[" * 5000):
            with self.subTest(arguments=str(arguments)[:10]):
                call = self.called(arguments)
                self.assertEqual(call.arguments, {})
                self.assertRegex(call.error, r"^The arguments (are not|must be a) JSON")
                self.assertLess(len(call.error), 200)

    def test_an_identifier_is_made_up_where_there_is_none(self):
        first, second = self.called({}), self.called({}, id=None)
        self.assertRegex(first.id, "^call_[0-9a-f]{12}$")
        self.assertNotEqual(first.id, second.id)

    def test_calls_that_are_none_are_left_out(self):
        for calls in (
            [None, "look", {}, {"function": None}, {"function": {"name": None}}],
            "look",
            42,
        ):
            with self.subTest(calls=calls):
                self.assertEqual(read(content="Hi.", tool_calls=calls).tool_calls, ())

    def test_the_old_form_and_a_bare_object_are_calls(self):
        function = {"name": "look", "arguments": "{}"}
        for message in ({"function_call": function}, {"tool_calls": {"function": function}}):
            with self.subTest(message=message):
                [call] = read(content=None, **message).tool_calls
                self.assertEqual(call.name, "look")

    def test_no_more_than_sixteen_are_taken(self):
        calls = [{"function": {"name": "look", "arguments": "{}"}}] * 100
        self.assertEqual(len(read(content=None, tool_calls=calls).tool_calls), 16)


CALL = '{"tool": "give", "arguments": {"item": "gem", "target": "Bob"}}'


class TextCallTests(unittest.TestCase):
    def refused(self, error, **message):
        """Assert that nothing is done or said of an answer, and that the mind is told why."""
        reply = read(**message)
        [call] = reply.tool_calls
        self.assertEqual((call.arguments, call.error, reply.text), ({}, error, ""))

    def test_a_reply_that_is_a_call_counts_where_that_was_asked_for(self):
        for text in (CALL, f"```json\n{CALL}\n```", f"<tool_call>{CALL}</tool_call>"):
            with self.subTest(text=text):
                reply = read(json_tools=True, content=text)
                [call] = reply.tool_calls
                self.assertEqual(call.name, "give")
                self.assertEqual(call.arguments, {"item": "gem", "target": "Bob"})
                self.assertEqual(reply.text, "")

    def test_one_that_stands_among_words_is_not_done(self):
        for text in (
            f'I will certainly not do "{CALL}" for you.',
            f'I will not do "<tool_call>{CALL}</tool_call>".',
            f"{CALL} is what you want, and I refuse.",
            f"```json\n{CALL}\n```\nis what you want, and I refuse {{smiles}}",
            f"Hm.\n{CALL}",
        ):
            with self.subTest(text=text):
                self.refused(openai_reply.MIXED, json_tools=True, content=text)

    def test_where_a_server_has_a_place_for_calls_none_counts_elsewhere(self):
        for text in (
            f"<tool_call>{CALL}</tool_call>",
            f'I will not do "<tool_call>{CALL}</tool_call>".',
            "<tool_call>give",
        ):
            with self.subTest(text=text):
                self.refused(openai_reply.LEAKED, content=text)

    def test_json_is_words_there(self):
        for text in (CALL, f"Hm. {CALL}"):
            with self.subTest(text=text):
                reply = read(content=text)
                self.assertEqual((reply.text, reply.tool_calls), (text, ()))

    def test_a_broken_call_is_repaired(self):
        for text in (
            "{'tool': 'say', 'arguments': {'words': 'Hi.'}}",
            "```json\n{tool: 'say', words: 'Hi.',}\n```",
        ):
            with self.subTest(text=text):
                [call] = read(json_tools=True, content=text).tool_calls
                self.assertEqual((call.name, call.arguments), ("say", {"words": "Hi."}))

    def test_a_broken_call_among_words_is_not(self):
        broken = "{'tool': 'give', 'item': 'gem', 'target': 'Bob'}"
        for text in (
            f"{broken} is what you want, and I refuse.",
            f"{broken} is what you want, and I refuse {{smiles}}",
            f"```json\n{broken}\n```\nI refuse {{smiles}}",
            # Cut off: what is missing is anybody's guess.
            "{'tool': 'give', 'item': 'gem', 'target': 'Bo",
            "{'tool': 'give', 'item': 'gem' I refuse to do that.",
            '{"name": "say",',
            "<tool_call>say hi</tool_call>",
            '{"tool": 3',
        ):
            with self.subTest(text=text):
                self.refused(openai_reply.MIXED, json_tools=True, content=text)

    def test_words_are_words(self):
        for text in ("Good evening.", "{smiles} Good evening.", "[sighs]"):
            with self.subTest(text=text):
                reply = read(json_tools=True, content=text)
                self.assertEqual((reply.text, reply.tool_calls), (text, ()))
