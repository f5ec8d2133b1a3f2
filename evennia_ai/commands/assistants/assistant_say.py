"""The switch `say` of `@assistant`: words of staff in the voice of an NPC."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred
from twisted.python import log

from evennia_ai.agent import say_as
from evennia_ai.commands.base import AssistantCommand, log_change, switch
from evennia_ai.memory import lookup
from evennia_ai.memory.people import accounts


class SaySwitch(AssistantCommand):
    """How `@assistant` lets an NPC say something."""

    @switch("say", lock="perm(Builder)")
    def speak_for(self) -> None:
        """@assistant/say <npc> = <words>"""
        if not self.lhs or not self.rhs:
            self.say_usage()
            return
        npc = self.find_assistant(self.lhs)
        if npc is None:
            return
        spoken = speak_for(self.caller, npc, self.rhs)
        spoken.addCallback(self._tell_spoken, self.name_of(npc))
        spoken.addErrback(log.err, "evennia_ai: words of staff were not spoken")

    def _tell_spoken(self, reason: str, name: str) -> None:
        self.msg(f"{name} says nothing: {reason}." if reason else f"You let {name} say it.")


def speak_for(caller: Any, npc: Any, words: str) -> Deferred[str]:
    """Let an NPC say words of staff; fires with why it did not, else "".

    It leaves a line for staff: whoever reads the log later may not take them for the mind's own words.
    """
    npc_id = npc.id

    def logged(reason: str) -> str:
        if not reason:
            npc = lookup.object_by_id(npc_id)
            log_change(caller, f"gave words of their own ({words[:80]!r}) to", npc)
        return reason

    return say_as.speak_for(npc, words, payer=accounts.payer_of(caller)).addCallback(logged)
