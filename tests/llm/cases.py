"""What tests of the transport share: requests run at once, and models may be asked."""

from django.test import override_settings
from twisted.trial.unittest import SynchronousTestCase

from evennia_ai.llm import loop_thread
from evennia_ai.llm.base import Request

SAY = {
    "name": "say",
    "description": "Say something aloud.",
    "parameters": {"type": "object", "properties": {"words": {"type": "string"}}},
}


def request(*messages, **fields):
    """Return a request to reply to these messages, by default to one greeting."""
    messages = messages or ({"role": "user", "content": "Tom says hi."},)
    return Request("reply", list(messages), **fields)


class TransportTestCase(SynchronousTestCase):
    """A test whose coroutines run inline, with settings that let requests out."""

    def setUp(self):
        super().setUp()
        settings = override_settings(EVENNIA_AI={"ALLOW_MODEL_REQUESTS": True})
        settings.enable()
        self.addCleanup(settings.disable)
        self.runner = loop_thread.InlineRunner()
        loop_thread.set_runner(self.runner)
        self.addCleanup(loop_thread.set_runner, None)
        self.addCleanup(self.runner.stop)
