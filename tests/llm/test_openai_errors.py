import unittest

from evennia_ai.exceptions import (
    LLMAuthError,
    LLMContextOverflow,
    LLMRefused,
    LLMUnavailable,
)
from evennia_ai.llm import openai_errors


class ExplainTests(unittest.TestCase):
    def explain(self, status, text="why", **headers):
        return openai_errors.explain(status, text, name="gpt", headers=headers)

    def test_the_class_says_who_must_act(self):
        for status, text, expected in (
            (400, "bad", LLMRefused),
            (401, "bad key", LLMAuthError),
            (402, "no credit", LLMRefused),
            (403, "not here", LLMAuthError),
            (404, "no such model", LLMRefused),
            (408, "late", LLMUnavailable),
            (413, "large", LLMRefused),
            (422, "bad", LLMRefused),
            (429, "slow down", LLMUnavailable),
            (429, "insufficient_quota", LLMRefused),
            (500, "broken", LLMUnavailable),
            (503, "busy", LLMUnavailable),
            (400, "prompt is too long", LLMContextOverflow),
            (500, "context size has been exceeded", LLMContextOverflow),
        ):
            with self.subTest(status=status, text=text):
                error = self.explain(status, text)
                self.assertIs(type(error), expected)
                self.assertEqual(error.transient, expected is LLMUnavailable)
                self.assertEqual(error.words, text)

    def test_long_pages_are_cut(self):
        self.assertLess(len(str(self.explain(500, "x" * 100_000))), 400)
        self.assertLess(len(str(self.explain(400, "prompt is too long" + "x" * 100_000))), 400)
        self.assertEqual(len(LLMUnavailable.about("busy", "x" * 100_000).words), 2000)

    def test_the_window_is_read_from_the_message(self):
        for text, window in (
            ("exceeds the available context size (8192 tokens)", 8192),
            ("{'type': 'exceed_context_size_error', 'n_ctx': 4096}", 4096),
            ("This model's maximum context length is 128000 tokens. However, …", 128000),
            ("prompt is too long", None),
            ("x" * 600 + " maximum context length is 2048", 2048),
        ):
            with self.subTest(text=text):
                self.assertEqual(openai_errors.find_overflow(text).window, window)

    def test_other_complaints_are_no_overflow(self):
        self.assertIsNone(openai_errors.find_overflow("max_tokens must be at most 200"))


class RetryAfterTests(unittest.TestCase):
    def test_every_form_of_the_header(self):
        for headers, seconds in (
            ({}, None),
            ({"retry-after": "2"}, 2.0),
            ({"retry-after": "0.5"}, 0.5),
            ({"retry-after-ms": "30"}, 0.03),
            ({"retry-after-ms": "30", "retry-after": "2"}, 0.03),
            ({"retry-after-ms": "soon", "retry-after": "2"}, 2.0),
            ({"retry-after": "Fri, 20 Nov 2026 12:00:05 GMT"}, None),
            ({"retry-after": "later"}, None),
            ({"retry-after": "-1"}, None),
            ({"retry-after": "nan"}, None),
            ({"retry-after": "inf"}, None),
        ):
            with self.subTest(headers=headers):
                self.assertEqual(openai_errors.retry_after(headers), seconds)

    def test_only_what_may_pass_says_when_to_ask_again(self):
        headers = {"retry-after": "2"}
        for status, seconds in ((429, 2.0), (503, 2.0), (401, None)):
            error = openai_errors.explain(status, "why", name="gpt", headers=headers)
            self.assertEqual(error.retry_after, seconds)
