"""What tests of the transport share: requests run at once, and models may be asked."""

import time

from django.test import override_settings
from twisted.internet import defer
from twisted.internet.task import deferLater
from twisted.trial.unittest import SynchronousTestCase

from evennia_ai.llm import loop_thread
from evennia_ai.llm.base import Request

# Seconds for what does not wait for its deadline.
PATIENCE = 60.0
SAY = {
    "name": "say",
    "description": "Say something aloud.",
    "parameters": {"type": "object", "properties": {"words": {"type": "string"}}},
}


def request(*messages, job="reply", **fields):
    """Return a request to reply to these messages, by default to one greeting."""
    messages = messages or ({"role": "user", "content": "Tom says hi."},)
    return Request(job, list(messages), **fields)


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


class InLoop:
    """A trial test whose coroutines run as in a game, in a thread of their own."""

    timeout = 3 * PATIENCE

    def setUp(self):
        self.patch(loop_thread._state, "runner", loop_thread.LoopThread())
        self.addCleanup(loop_thread.stop)
        settings = override_settings(EVENNIA_AI={"ALLOW_MODEL_REQUESTS": True})
        settings.enable()
        self.addCleanup(settings.disable)

    @defer.inlineCallbacks
    def until(self, holds):
        """Wait, in the reactor, until something holds."""
        from twisted.internet import reactor

        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if holds():
                return
            yield deferLater(reactor, 0.005)
        self.fail(f"it did not come true within {PATIENCE:g} seconds")
