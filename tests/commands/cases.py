"""Somebody who types commands, and what they read; the cast of the command tests."""

from unittest.mock import patch

from evennia.utils.ansi import strip_ansi
from evennia.utils.create import create_object
from twisted.logger import capturedLogs

from evennia_ai.testing import AITestCase, minds
from evennia_ai.typeclasses.characters import AssistantCharacter
from tests.llm import logs


class CommandTestCase(AITestCase):
    """char1 is played by a developer; char2 is a body of which each test says what it may do."""

    def setUp(self):
        super().setUp()
        self.read = {caller: minds.listen(caller) for caller in (self.char1, self.char2)}
        self._answered = []
        later = patch("evennia.commands.cmdhandler.deferLater", self._note_answered)
        later.start()
        self.addCleanup(later.stop)

    def _note_answered(self, reactor, delay, function, *args, **kwargs):
        """Stand for Twisted's deferLater: the answer to a question goes on once the line was read."""
        self._answered.append(lambda: function(*args, **kwargs))

    def types(self, text, *, by=None):
        """Return what whoever types a line reads at once, without markup."""
        caller = by or self.char1
        self.read[caller].clear()
        caller.execute_cmd(text)
        while self._answered:
            self._answered.pop(0)()
        return "\n".join(strip_ansi(message) for _, message in self.read[caller])

    def types_and_waits(self, text, *, by=None):
        """Return what whoever types a line has read when the work that it asks for is done."""
        self.types(text, by=by)
        minds.pass_time(self.clock, 5)
        return "\n".join(strip_ansi(message) for _, message in self.read[by or self.char1])

    def logged(self, text, *, by=None):
        """Return the lines for staff that a command leaves."""
        with capturedLogs() as captured:
            self.types(text, by=by)
        return logs.lines(captured)

    def as_staff(self, permission):
        """Return char2, as staff who control nothing yet."""
        self.account2.permissions.add(permission)
        return self.char2

    def mara(self):
        """Return an assistant in room1 that is on."""
        return minds.make_assistant("Mara", location=self.room1)

    def mindless(self, key="Bob"):
        """Return a body with the mixin, but without a mind."""
        return create_object(AssistantCharacter, key=key, location=self.room1)
