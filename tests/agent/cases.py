"""What tests of minds at work share: two players and Mara in one room, time in hand, a quiet log."""

import traceback

import evennia
from evennia.objects.objects import DefaultCharacter
from evennia.scripts.tickerhandler import TICKER_HANDLER
from evennia.server.serversession import ServerSession
from evennia.utils import logger

from evennia_ai.llm.base import ToolCall
from evennia_ai.memory import identity, working_memory
from evennia_ai.memory.state import assistant
from evennia_ai.testing import AITestCase, minds
from evennia_ai.typeclasses import scripts

# A moment of the game's clock; before it lies enough time for anything to be long ago.
START = 1_900_000_000.0


def call(name, **arguments):
    """Return the use of a tool, as a model asks for it."""
    return ToolCall(f"call-{name}", name, arguments)


def seen_by(mind):
    """Return everything that a scripted mind was ever shown, as one text."""
    return "\n".join(f"{request.messages} {request.context}" for request in mind.requests)


def words(heard, kind="say"):
    """Return what was heard of one kind."""
    return [text for how, text in heard if how == kind]


def _forget_tickers():
    """Let nothing be ticked any more; what Evennia has stored of it goes with all that a test has stored."""
    TICKER_HANDLER.ticker_pool.stop()
    TICKER_HANDLER.ticker_storage = {}


class MindTestCase(AITestCase):
    """Char and Char2 are played, in room1; `mara` has a mind that does what the test scripts.

    `ann` and `bob` list what reaches the two, as (type, text). Nothing may be logged with a
    traceback; `log` lists the other lines for staff.
    """

    lore = ()
    clock_start = START
    cast_from = ("lore", "play", "puppet")

    def setUp(self):
        self.addCleanup(_forget_tickers)
        self.log, self.traces = [], []
        self.patch(logger, "log_warn", self.log.append)
        self.patch(logger, "log_err", self.traces.append)
        self.patch(logger, "log_trace", self._trace)
        super().setUp()
        self.addCleanup(lambda: self.assertEqual(self.traces, []))
        self.ann, self.bob = minds.listen(self.char1), minds.listen(self.char2)
        self.first = identity.identity_of(self.char1)
        self.second = identity.identity_of(self.char2)

    def create_cast(self):
        self.session2 = self.play(self.char2, self.account2, session_id=2)
        self.mara = minds.make_assistant("Mara", location=self.room1, lore=self.lore)
        self.script_of_mara = scripts.find(self.mara)
        for character in (self.char1, self.char2):
            identity.identity_of(character)

    def play(self, character, account, *, session_id):
        """Let a player of their own come into the game as `character`."""
        blank = ServerSession()
        blank.init_session("telnet", ("localhost", "testmode"), evennia.SESSION_HANDLER)
        blank.sessid = session_id
        evennia.SESSION_HANDLER.portal_connect(blank.get_sync_data())
        session = evennia.SESSION_HANDLER.session_from_sessid(session_id)
        evennia.SESSION_HANDLER.login(session, account, testmode=True)
        self.puppet(character, account, session)
        return session

    def puppet(self, character, account, session):
        """Let the player of a session play `character` from now on, whoever that is."""
        character.locks.add("puppet:all()")
        if session.puppet is not character:
            account.puppet_object(session, character)
        self.assertIs(session.puppet, character)

    def configure(self, **changes):
        """Let these settings of EVENNIA_AI hold for the rest of the test; before `script_llm`."""
        changed = self.settings_ai(**changes)
        changed.enable()
        self.addCleanup(changed.disable)

    def wait(self, seconds=1.0):
        """Let time pass, in steps."""
        minds.pass_time(self.clock, seconds)

    def do(self, character, command, *, wait=1.0):
        """Let a player type a command, and give the minds time to answer it.

        What is said is said at once, as `say` would: to find the command takes longer than to say it.
        """
        kind, _, text = command.partition(" ")
        if kind == "say" and type(character) is DefaultCharacter:
            character.at_say(character.at_pre_say(text), msg_self=True)
        else:
            character.execute_cmd(command)
        self.wait(wait)

    def pending(self):
        """Return the words that still wait for an answer of Mara's."""
        return [event.text for event in assistant.pending_events(self.script_of_mara)]

    def remembered(self, who=None):
        """Return what was said between Mara and somebody (Char), as (whether by her, text)."""
        lines = working_memory.lines_with(self.mara, who or self.first)
        return [(line.mine, line.text) for line in lines]

    def last_event(self):
        """Return the newest event that waits for an answer of Mara's."""
        return assistant.pending_events(self.script_of_mara)[-1]

    def _trace(self, message=None, **_):
        text = traceback.format_exc()
        # Evennia misses its channel for logins, which a test database has none of.
        if "ChannelDB.DoesNotExist" not in text:
            self.traces.append(f"{message}\n{text}")
