"""A model's client is loaded at the start of the server, and not by the first who speaks."""

from django.test import override_settings
from twisted.internet.defer import succeed

from evennia_ai import hooks, scheduling
from evennia_ai.core import volatile
from evennia_ai.exceptions import LLMAuthError
from evennia_ai.llm import base, loop_thread
from evennia_ai.llm.base import Completion
from evennia_ai.llm.openai import OpenAIBackend
from evennia_ai.semantic import base as semantic
from tests.agent.cases import MindTestCase
from tests.llm.cases import TransportTestCase, request
from tests.model_server import ModelServer


def model(**options):
    """Return settings with a model that nobody asks."""
    backend = "evennia_ai.llm.openai.OpenAIBackend"
    options = {"model": "m", "base_url": "http://127.0.0.1:1/v1", **options}
    return override_settings(
        EVENNIA_AI={"LLM": {"default": {"BACKEND": backend, "OPTIONS": options}}}
    )


class WarmUpTests(TransportTestCase):
    def test_nothing_is_sent_and_the_client_is_then_used(self):
        with ModelServer(["Good evening."]) as server:
            backend = OpenAIBackend(model="m", base_url=server.base_url)
            self.successResultOf(backend.warm_up())
            self.assertEqual(list(server.requests), [])
            client = backend._connection.client
            self.assertEqual(
                self.successResultOf(backend.complete(request())).text, "Good evening."
            )
            self.assertIs(backend._connection.client, client)

    def test_it_reaches_the_backend_through_all_wrappers(self):
        with model():
            wrapped = base.get_alias("default")
            self.successResultOf(base.warm_up())
            while hasattr(wrapped, "inner"):
                wrapped = wrapped.inner
            self.assertIsNotNone(wrapped._connection)

    def test_it_fails_as_the_first_call_would(self):
        with model(api_key_env="NO_SUCH_VARIABLE_HERE"):
            error = self.failureResultOf(base.warm_up(), LLMAuthError).value
            self.assertIn("NO_SUCH_VARIABLE_HERE is not set", str(error))

    def test_a_mind_that_has_nothing_to_load_is_ready(self):
        class Mind:
            name, is_model = "plain", False

            def complete(self, request):
                return Completion(text="Hm.")

        base.install("default", Mind())
        self.addCleanup(volatile.forget_all)
        self.assertIsNone(self.successResultOf(base.warm_up()))


class StartTests(MindTestCase):
    def setUp(self):
        super().setUp()
        self.done = []
        # How long steps take is the machine's; here they have no pauses.
        self.patch(scheduling, "STEPS_SECONDS", 60.0)
        # The settings of these tests name no memory, and the default one has a thread of its own.
        self.patch(semantic, "warm_up", lambda: _noted(self.done, "memory"))
        runner = loop_thread.InlineRunner()
        loop_thread.set_runner(runner)
        self.addCleanup(loop_thread.set_runner, None)
        self.addCleanup(runner.stop)

    def test_the_model_and_the_memory_are_loaded_a_little_after_the_start(self):
        self.patch(base, "warm_up", lambda: _noted(self.done))
        hooks.at_server_start()
        self.assertEqual(self.done, [])
        self.wait(1.5)
        self.assertEqual(self.done, ["load", "memory"])

    def test_a_client_that_cannot_be_set_up_is_told_and_harms_nothing(self):
        with model(api_key_env="NO_SUCH_VARIABLE_HERE"):
            hooks.at_server_start()
            self.wait(1.5)
        [warning] = self.log
        self.assertIn("NO_SUCH_VARIABLE_HERE is not set", warning)
        self.assertEqual(self.done, ["memory"])


def _noted(done, what="load"):
    done.append(what)
    return succeed(None)
