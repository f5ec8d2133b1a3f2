"""The adapter against scripted answers: what it sends, learns and makes of what comes back."""

import json
import os
import traceback
from unittest import mock

import httpx2
from django.core.exceptions import ImproperlyConfigured
from django.test import override_settings

from evennia_ai.exceptions import (
    LLMAuthError,
    LLMContextOverflow,
    LLMRefused,
    LLMUnavailable,
)
from evennia_ai.llm.openai import OpenAIBackend
from tests.llm.cases import SAY, TransportTestCase, request
from tests.model_steps import completion

URL = "http://model.test/v1"
SCHEMA = {"type": "object", "properties": {"score": {"type": "integer"}}}
USED = {
    "role": "assistant",
    "content": "",
    "tool_calls": [{"id": "1", "name": "look", "arguments": {}}],
}
SEEN = {"role": "tool", "tool_call_id": "1", "content": "A fire."}


def ok(content="hi", **message):
    return 200, completion({"content": content, **message})


def refused(message, status=400, **fields):
    return status, {"error": {"message": message, **fields}}


class EndpointTestCase(TransportTestCase):
    """A test with a backend whose server is a function from the body to (status, answer)."""

    def backend(self, answer, **options):
        self.bodies, self.headers = [], []

        def handle(sent):
            self.headers.append(sent.headers)
            self.bodies.append(json.loads(sent.content))
            status, answered = answer(self.bodies[-1])
            if isinstance(answered, (str, bytes)):
                return httpx2.Response(status, content=answered)
            return httpx2.Response(status, json=answered)

        client = httpx2.AsyncClient(transport=httpx2.MockTransport(handle))
        return OpenAIBackend(**{"model": "m", "base_url": URL, "http_client": client, **options})

    def complete(self, answer, asked=None, **options):
        backend = self.backend(answer, **options)
        return self.successResultOf(backend.complete(asked or request()))

    def fail_with(self, error, answer, asked=None, **options):
        backend = self.backend(answer, **options)
        return self.failureResultOf(backend.complete(asked or request()), error).value


class SentTests(EndpointTestCase):
    def test_a_plain_request_has_few_fields(self):
        reply = self.complete(lambda body: ok("Good evening."), request(max_tokens=50))
        self.assertEqual(reply.text, "Good evening.")
        self.assertEqual(
            self.bodies,
            [
                {
                    "model": "m",
                    "messages": [{"role": "user", "content": "Tom says hi."}],
                    "temperature": 0.4,
                    "max_tokens": 50,
                    "reasoning_effort": "none",
                }
            ],
        )

    def test_messages_are_tidied(self):
        asked = request(
            {"role": "system", "content": "A"},
            {"role": "user", "content": "Tom says hi."},
            {"role": "user", "content": "Ann says yo."},
            {"role": "system", "content": "B"},
        )
        self.complete(lambda body: ok(), asked)
        self.assertEqual(
            self.bodies[0]["messages"],
            [
                {"role": "system", "content": "A\n\nB"},
                {"role": "user", "content": "Tom says hi.\nAnn says yo."},
            ],
        )

    def test_thinking_is_never_sent_back(self):
        first = self.complete(lambda body: ok("<think>secret</think>Hi.", reasoning="secret"))
        asked = request({"role": "user", "content": "Hi."}, first.message())
        self.complete(lambda body: ok(), asked)
        self.assertNotIn("secret", json.dumps(self.bodies))

    def test_options_of_the_settings_are_sent(self):
        self.complete(lambda body: ok(), reasoning_effort=None, extra={"temperature": 0.8})
        self.assertEqual(self.bodies[0]["temperature"], 0.8)
        self.assertNotIn("reasoning_effort", self.bodies[0])

    def test_a_tool_call_and_its_result_go_round(self):
        call = {"id": "7", "function": {"name": "say", "arguments": '{"words": "Hi."}'}}
        asked = request(tools=(SAY,))
        reply = self.complete(lambda body: ok(None, tool_calls=[call]), asked)
        result = {"role": "tool", "tool_call_id": "7", "content": "Said."}
        self.complete(lambda body: ok(), request(*asked.messages, reply.message(), result))
        self.assertEqual(
            [one["role"] for one in self.bodies[0]["messages"]], ["user", "assistant", "tool"]
        )
        self.assertEqual(
            self.bodies[0]["messages"][1]["tool_calls"],
            [{**call, "type": "function"}],
        )


class LearningTests(EndpointTestCase):
    def test_parameters_that_are_refused_are_left_out_from_then_on(self):
        def strict(body):
            for name in ("max_tokens", "temperature"):
                if name in body:
                    hint = " Use 'max_completion_tokens' instead." if name == "max_tokens" else ""
                    told = f"Unsupported parameter: '{name}' is not supported.{hint}"
                    return refused(told, param=name, code="unsupported_parameter")
            return ok()

        backend = self.backend(strict, extra={"temperature": 0.5})
        self.assertEqual(self.successResultOf(backend.complete(request())).text, "hi")
        self.assertEqual(len(self.bodies), 3)
        self.successResultOf(backend.complete(request()))
        self.assertEqual(len(self.bodies), 4)
        self.assertEqual(
            sorted(self.bodies[-1]),
            ["max_completion_tokens", "messages", "model", "reasoning_effort"],
        )
        self.assertEqual(backend.learnt.dropped, {"temperature"})

    def test_a_schema_is_sent_until_it_is_refused(self):
        def without(body):
            if "response_format" in body:
                return refused("response_format is not supported")
            return ok('{"score": 7}')

        reply = self.complete(without, request(schema=SCHEMA))
        self.assertEqual(reply.text, '{"score": 7}')
        self.assertEqual(self.bodies[0]["response_format"]["type"], "json_schema")
        self.assertIn('"score"', self.bodies[1]["messages"][0]["content"])

    def test_an_error_may_be_a_bare_string(self):
        def lm_studio(body):
            if "response_format" in body:
                return 400, {"error": "'response_format.type' must be 'text'"}
            return ok()

        self.assertEqual(self.complete(lm_studio, request(schema=SCHEMA)).text, "hi")

    def test_tools_that_need_reasoning_off_get_it(self):
        def gpt(body):
            if body.get("reasoning_effort") != "none":
                return refused(
                    "Function tools with reasoning_effort are not supported for gpt-5.6-luna in "
                    "/v1/chat/completions. To use function tools, use /v1/responses or set "
                    "reasoning_effort to 'none'.",
                    param="reasoning_effort",
                    code=None,
                )
            return ok()

        self.complete(gpt, request(tools=(SAY,)), reasoning_effort=None)
        self.assertEqual(self.bodies[-1]["reasoning_effort"], "none")
        self.assertIn("tools", self.bodies[-1])

    def test_a_server_that_keeps_refusing_is_given_up(self):
        # It complains of whatever there is.
        def never(body):
            return refused(" ".join(body))

        extra = {f"option_{number}": number for number in range(10)}
        self.fail_with(LLMRefused, never, extra=extra)
        self.assertEqual(len(self.bodies), 6)

    def test_a_refusal_that_teaches_nothing_is_final(self):
        error = self.fail_with(LLMRefused, lambda body: refused("roles must alternate"))
        self.assertEqual(str(error), "m refuses the request: 400 (35 characters)")
        self.assertIn("roles must alternate", error.words)
        self.assertFalse(error.transient)
        self.assertEqual(len(self.bodies), 1)


class ToolModeTests(EndpointTestCase):
    def no_tools(self, body):
        if "tools" in body:
            return refused("registry.ollama.ai/library/gemma:2b does not support tools")
        return ok("Hi.")

    def test_after_the_first_refusal_of_tools_none_are_sent(self):
        backend = self.backend(self.no_tools)
        for _ in range(2):
            reply = self.successResultOf(backend.complete(request(tools=(SAY,))))
            self.assertEqual((reply.text, reply.tool_calls), ("Hi.", ()))
        self.assertEqual(["tools" in body for body in self.bodies], [True, False, False])


class FailureTests(EndpointTestCase):
    def test_the_window_is_learnt_from_the_refusal(self):
        told = "request (13392 tokens) exceeds the available context size (8192 tokens)"
        error = self.fail_with(
            LLMContextOverflow,
            lambda body: refused(told, type="exceed_context_size_error", n_ctx=8192),
        )
        self.assertEqual(error.window, 8192)

    def test_a_refusal_that_names_a_parameter_too_is_still_the_window(self):
        told = "maximum context length is 4096 tokens; reduce max_tokens or temperature"
        error = self.fail_with(
            LLMContextOverflow, lambda body: refused(told), extra={"temperature": 1}
        )
        self.assertEqual((error.window, len(self.bodies)), (4096, 1))

    def test_connection_errors_say_what_happened(self):
        def handle(asked):
            raise httpx2.ConnectError("refused by the host")

        client = httpx2.AsyncClient(transport=httpx2.MockTransport(handle))
        backend = OpenAIBackend(model="m", base_url=URL, name="oracle", http_client=client)
        failure = self.failureResultOf(backend.complete(request()), LLMUnavailable)
        self.assertEqual(
            str(failure.value), "oracle cannot be reached: ConnectError refused by the host"
        )

    def test_nothing_is_sent_where_that_is_forbidden(self):
        with override_settings(EVENNIA_AI={"ALLOW_MODEL_REQUESTS": False}):
            error = self.fail_with(LLMRefused, lambda body: ok())
        self.assertIn("ALLOW_MODEL_REQUESTS", str(error))
        self.assertEqual(self.bodies, [])


class KeyTests(EndpointTestCase):
    def test_keys_of_the_environment_stay_there(self):
        environment = {
            "OPENAI_API_KEY": "sk-global",
            "OPENAI_ADMIN_KEY": "sk-admin",
            "OPENAI_ORG_ID": "org-global",
            "OPENAI_PROJECT_ID": "proj-global",
            "OPENAI_BASE_URL": "http://elsewhere.test/v1",
        }
        with mock.patch.dict(os.environ, environment):
            self.complete(lambda body: ok())
        [headers] = self.headers
        self.assertEqual((headers["authorization"], headers["host"]), ("Bearer none", "model.test"))
        for secret in ("sk-global", "sk-admin", "org-global", "proj-global"):
            self.assertNotIn(secret, str(dict(headers)))

    def test_a_key_comes_from_the_settings_or_from_a_named_variable(self):
        self.complete(lambda body: ok(), api_key="sk-mine")
        self.assertEqual(self.headers[0]["authorization"], "Bearer sk-mine")
        with mock.patch.dict(os.environ, {"TAVERN_KEY": "sk-tavern"}):
            self.complete(lambda body: ok(), api_key_env="TAVERN_KEY")
        self.assertEqual(self.headers[0]["authorization"], "Bearer sk-tavern")

    def test_a_variable_that_is_not_set_is_named(self):
        error = self.fail_with(LLMAuthError, lambda body: ok(), api_key_env="TAVERN_KEY")
        self.assertEqual(str(error), "the environment variable TAVERN_KEY is not set")
        self.assertEqual(self.bodies, [])

    def test_the_key_is_shown_nowhere(self):
        backend = self.backend(
            lambda body: refused("Incorrect API key: sk-mine", status=401), api_key="sk-mine"
        )
        failure = self.failureResultOf(backend.complete(request()), LLMAuthError)
        error = failure.value
        shown = [str(error), error.words, "".join(traceback.format_exception(error)), repr(backend)]
        shown.append(failure.getTraceback())
        self.assertNotIn("sk-mine", " ".join(shown))
        self.assertIn("Incorrect API key: ***", error.words)

    def test_a_password_in_the_address_is_not_shown(self):
        backend = OpenAIBackend(model="m", base_url="http://ann:secret@model.test/v1")
        self.assertEqual(repr(backend), "<OpenAIBackend m at model.test>")

    def test_an_address_that_is_none_is_a_wrong_setting(self):
        for address in (
            "",
            "localhost:8080/v1",
            "ftp://localhost/v1",
            "http://",
            "http://[",
            "http://a b/v1",
            "http://localhost:99999/v1",
            "http://ann:secret@:80",
        ):
            with self.subTest(address=address):
                with self.assertRaisesRegex(ImproperlyConfigured, "base_url must") as caught:
                    OpenAIBackend(model="m", base_url=address)
                self.assertNotIn("secret", str(caught.exception))

    def test_a_backend_is_named_after_its_model(self):
        self.assertEqual(OpenAIBackend(model="m").name, "m")
        self.assertEqual(OpenAIBackend(model="m", name="oracle").name, "oracle")
        self.assertTrue(OpenAIBackend.is_model)
