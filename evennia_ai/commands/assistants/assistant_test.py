"""The switch `test` of `@assistant`: a dialogue is played against the double of an NPC."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred, inlineCallbacks
from twisted.python import log

from evennia_ai import scheduling
from evennia_ai.agent.speech import escaped
from evennia_ai.commands.base import AssistantCommand, all_minds, switch
from evennia_ai.memory.people import accounts
from evennia_ai.memory.state import active_assistants
from evennia_ai.semantic.memory_thread import MemoryUnavailable
from evennia_ai.testing import dialogues
from evennia_ai.testing.dialogue import dialogue_cast, dialogue_report, dialogue_stage
from evennia_ai.testing.dialogue.dialogue_plan import Dialogue
from evennia_ai.testing.dialogues import Result

NOTHING_PLAYED = "Nothing was played."
BUSY = "Another dialogue is being played; try again when it is over."
ENDED = "The dialogue was not played to its end."
FAILED = "The dialogue could not be played; the server log has the traceback."
HALTED = "Every mind is halted; nobody would answer."
UNTIMELY = (
    "{name}, line {line}: time cannot be put forward in a game that others play; a shell can: "
    "evennia ai_test {name}"
)

SETTINGS = (
    "{name} has settings of its own, which a game that others play has not; a shell can: "
    "evennia ai_test {name}"
)


# One file is played at a time, so that a test holds up nobody's turns.
PLAYING = "a dialogue"


class TestSwitch(AssistantCommand):
    """What `@assistant` can do to show that an NPC does what it should."""

    @switch("test", lock="perm(Builder)")
    def play_dialogue(self) -> None:
        """@assistant/test <file>

        Play a dialogue against a double of an NPC, and see whether it says what it should; the
        NPC itself does not notice. The files are in world/dialogues.
        """
        if not self.lhs or self.rhs is not None:
            self.say_usage()
            return
        if scheduling.is_under_way(PLAYING):
            self.msg(f"{BUSY} {NOTHING_PLAYED}")
            return
        if active_assistants.is_halted():
            self.msg(f"{HALTED} {NOTHING_PLAYED}")
            return
        scheduling.begin(PLAYING)
        playing: Deferred[Any] = self._play(self.lhs)
        playing.addErrback(self._say_why)
        playing.addErrback(self._say_where)
        playing.addBoth(lambda _: scheduling.end(PLAYING))

    @inlineCallbacks
    def _play(self, file: str):
        dialogue = dialogues.load(file)
        self._check_timely(dialogue)
        npcs = self._allowed(dialogue)
        yield dialogue_stage.sweep()
        original = yield dialogue_cast.find(dialogue, npcs)
        self.log_change(f"tests the double of {original.key} with {dialogue.name}")
        self.msg(f"{dialogue.name} is being played with a double of {original.key}.")
        shown = _Shown(self)
        payer = accounts.payer_of(self.caller)
        report = yield dialogues.play(dialogue, original, on_result=shown.show, payer=payer)
        self.msg(escaped(dialogue_report.summary(report)))

    def _check_timely(self, dialogue: Dialogue) -> None:
        step = dialogue.untimely
        if step is not None:
            raise ValueError(UNTIMELY.format(name=dialogue.name, line=step.line))
        if dialogue.settings:
            raise ValueError(SETTINGS.format(name=dialogue.name))

    def _allowed(self, dialogue: Dialogue) -> list[Any]:
        """Return the NPCs of the game that may be meant; ValueError if it is not for the caller."""
        if dialogue.source == "mind" and not self.may("perm(Admin)"):
            raise ValueError("only admins may let a whole mind speak.")
        return [mind.obj for mind in all_minds() if self.may_change(mind.obj)]

    def _say_why(self, failure: Any) -> None:
        failure.trap(ValueError, MemoryUnavailable)
        self.msg(escaped(f"{failure.value}"))
        self.msg(ENDED)

    def _say_where(self, failure: Any) -> None:
        log.err(failure, "evennia_ai: a dialogue could not be played")
        self.msg(FAILED)


class _Shown:
    """Shows the caller each step of the file as it is over, and of the injections what went wrong."""

    def __init__(self, command: AssistantCommand) -> None:
        self._command = command
        self._number = 0

    def show(self, result: Result) -> None:
        self._number += 1
        if result.line or not result.passed:
            self._command.msg(escaped(dialogue_report.line_of(result, self._number)))
