"""The switch `say` of `@assistant`: words of staff in the voice of an NPC."""

from __future__ import annotations

from twisted.python import log

from evennia_ai.agent import say_as
from evennia_ai.commands.base import AssistantCommand, switch
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
        payer = accounts.payer_of(self.caller)
        spoken = say_as.speak_for(npc, self.rhs, payer=payer)
        spoken.addCallback(self._tell_spoken, npc.id, self.name_of(npc))
        spoken.addErrback(log.err, "evennia_ai: words of staff were not spoken")

    def _tell_spoken(self, reason: str, npc_id: int, name: str) -> None:
        if reason:
            self.msg(f"{name} says nothing: {reason}.")
            return
        # Whoever reads the log later may not take them for the mind's own words.
        words = (self.rhs or "")[:80]
        self.log_change(f"gave words of their own ({words!r}) to", lookup.object_by_id(npc_id))
        self.msg(f"You let {name} say it.")
