"""What tests of whole turns with a model share: an NPC, its real stack of wrappers, a real socket."""

import os
import time
from contextlib import contextmanager
from unittest import mock

import evennia
from evennia.server.serversession import ServerSession

from evennia_ai.agent import answer, turns
from evennia_ai.llm import loop_thread
from evennia_ai.llm.openai import OpenAIBackend
from evennia_ai.memory import identity, working_memory
from evennia_ai.memory.state import active_assistants, assistant
from evennia_ai.testing import AITestCase, minds
from tests.model_server import ModelServer

KEY_NAME = "EVENNIA_AI_TEST_KEY"
KEY = "sk-test-0123456789-never-shown"

# What Mara says when no answer came, and what she knows.
EXCUSE = "Ask me again when the kettle has boiled."
LORE = ["The ale is brewed by old Tam behind the mill."]

# Seconds of a turn: long enough for loopback on a busy machine, short enough to wait for.
DEADLINE = 3.0
DELAY = 0.3
# Seconds that pass between two looks at the room.
STEP = 0.02


class TimedRunner(loop_thread.InlineRunner):
    """Runs coroutines at once, and lets as much time pass on a clock as they really took."""

    def __init__(self, clock):
        super().__init__()
        self._clock = clock

    def run(self, make_coroutine, *, timeout, what="The model"):
        """See `Runner.run`; what is due by then is called by the next step of the clock."""
        started = time.monotonic()
        result = super().run(make_coroutine, timeout=timeout, what=what)
        self._clock.rightNow += time.monotonic() - started
        return result


class ModelTestCase(AITestCase):
    """A room with Mara in it, who thinks by a model behind a scripted server."""

    def setUp(self):
        super().setUp()
        minds.forget_all()
        self.addCleanup(minds.forget_all)
        os.environ[KEY_NAME] = KEY
        self.addCleanup(os.environ.pop, KEY_NAME)
        runner = TimedRunner(self.clock)
        loop_thread.set_runner(runner)
        self.addCleanup(loop_thread.set_runner, None)
        self.addCleanup(runner.stop)
        self.char1.key = "Ann"
        self.heard = minds.listen(self.char1)

    @contextmanager
    def model(self, script, *, changes=(), profile="tools", **options):
        """Let a scripted server be the model while the block runs; gives the server.

        `options` are those of the backend, `changes` other settings.
        """
        with ModelServer(script) as server:
            described = {
                "BACKEND": f"{OpenAIBackend.__module__}.{OpenAIBackend.__qualname__}",
                "PROFILE": profile,
                "OPTIONS": {
                    "model": "scripted",
                    "base_url": server.base_url,
                    "api_key_env": KEY_NAME,
                    **options,
                },
            }
            settings = {
                "ALLOW_MODEL_REQUESTS": True,
                "LLM": {"default": described},
                "TURN_DEADLINE": DEADLINE,
                **dict(changes),
            }
            # Nothing of this may be told to a player: the tests look at all that was said.
            excuses = mock.patch.dict(answer.EXCUSES, thinking_lines=[])
            with self.settings_ai(**settings), excuses, mock.patch.object(turns, "DELAY", DELAY):
                yield server

    @contextmanager
    def mara(self):
        """Give a Mara who has talked with nobody yet; she is gone after the block."""
        mara = minds.make_assistant(
            location=self.room1, persona={"fallback_lines": [EXCUSE]}, lore=LORE
        )
        try:
            yield mara
        finally:
            mara.delete()

    def enter_bob(self):
        """Let a second player sit behind `char2`; return what he hears from now on."""
        self.char2.key = "Bob"
        session = ServerSession()
        session.init_session("telnet", ("localhost", "testmode"), evennia.SESSION_HANDLER)
        session.sessid, session.puppet = self.session.sessid + 1, self.char2
        evennia.SESSION_HANDLER[session.sessid] = session
        self.addCleanup(evennia.SESSION_HANDLER.pop, session.sessid, None)
        self.char2.sessions.add(session)
        return minds.listen(self.char2)

    def say(self, words):
        """Let Ann say something."""
        del self.heard[:]
        self.asked_at = self.clock.seconds()
        self.char1.execute_cmd(f"say {words}")

    def answers(self):
        """Return what others than Ann said aloud, by the lines that she heard."""
        return [text for kind, text in self.heard if kind == "say" and not text.startswith("You ")]

    def wait_for_answer(self, *, seconds=DELAY + 3 * DEADLINE):
        """Let time pass until somebody answers Ann; return the lines and how long it took."""
        end = self.clock.seconds() + seconds
        while self.clock.seconds() < end and not self.answers():
            self.clock.advance(STEP)
        took = self.clock.seconds() - self.asked_at
        # Whatever would be said twice is said by now.
        minds.pass_time(self.clock, 1)
        return self.answers(), took

    def kept_lines(self, mara):
        """Return what Mara remembers that Ann said."""
        lines = working_memory.lines_with(mara, identity.perceived(mara, self.char1))
        return [line.text for line in lines if not line.mine]

    def pending(self, mara):
        """Return the events that still wait for Mara's answer."""
        return assistant.pending_events(active_assistants.script_of(mara))


def import_client():
    """Import the client now: it takes longer than the deadlines of these tests.

    So does numpy, which cannot be imported again after a test has put back what was imported.
    """
    import numpy
    import openai

    assert numpy.__version__

    assert openai.AsyncOpenAI(api_key="none").chat
