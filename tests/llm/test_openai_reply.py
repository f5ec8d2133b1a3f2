import unittest

from evennia_ai.exceptions import LLMBadReply, LLMContextOverflow, LLMUnavailable
from evennia_ai.llm.openai_reply import normalise
from tests.model_steps import completion


def read(**message):
    """Return the Completion of an answer with this message."""
    return normalise(completion(message), model="m")


class TextTests(unittest.TestCase):
    def test_its_words_and_usage_are_read_and_the_model_is_the_one_that_was_asked(self):
        reply = read(content=" Hello. ")
        self.assertEqual((reply.text, reply.model, reply.is_model), ("Hello.", "m", True))
        self.assertEqual((reply.prompt_tokens, reply.completion_tokens), (120, 30))

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

    def test_what_the_server_had_read_before_is_told_by_openai_vllm_and_llama_cpp(self):
        for told, read, cached in (
            ({"usage": {"prompt_tokens": 120}}, 120, 0),
            (self.cached(120, 100), 120, 100),
            (self.cached(120, 500), 120, 120),
            (self.cached(None, 100), None, 0),
            (self.cached(120, "9"), 120, 0),
            (self.cached(120, -1), 120, 0),
            ({"usage": {"prompt_tokens": 120, "prompt_tokens_details": None}}, 120, 0),
            ({"usage": None, "timings": {"cache_n": 236, "prompt_n": 1}}, 237, 236),
            (
                {"usage": {"prompt_tokens": 237}, "timings": {"cache_n": 236, "prompt_n": 1}},
                237,
                236,
            ),
            ({"usage": None, "timings": {"prompt_n": 30}}, 30, 0),
            ({"usage": None, "timings": "fast"}, None, 0),
        ):
            with self.subTest(told=told):
                reply = normalise({**completion({"content": "Hi."}), **told}, model="m")
                self.assertEqual((reply.prompt_tokens, reply.cached_tokens), (read, cached))

    def cached(self, read, cached):
        details = {"cached_tokens": cached}
        return {"usage": {"prompt_tokens": read, "prompt_tokens_details": details}}

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
                self.assertRegex(call.error, r"^The arguments (are not|must be) a JSON object")
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
