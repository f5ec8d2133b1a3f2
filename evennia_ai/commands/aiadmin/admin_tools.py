"""The switch `tools` of `@aiadmin`: which tools each NPC is offered, and why not the others."""

from __future__ import annotations

import uuid
from typing import Any

from evennia.utils.evmore import EvMore

from evennia_ai import scheduling
from evennia_ai.agent.turn import Turn
from evennia_ai.commands.aiadmin import formatting_spending
from evennia_ai.commands.base import AssistantCommand, all_minds, switch
from evennia_ai.core import records
from evennia_ai.domain.model_text import tokens
from evennia_ai.llm.scripted import ScriptedMind
from evennia_ai.memory import identity
from evennia_ai.tools import commands_tool, registry
from evennia_ai.typeclasses import scripts

# NPCs that one table shows; each is asked about each tool.
ROWS = 25


class ToolsSwitch(AssistantCommand):
    """What `@aiadmin` tells of tools."""

    @switch("tools", lock="perm(Admin)")
    def show_tools(self) -> None:
        """@aiadmin/tools [<npc>]"""
        if self.args:
            npc = self.find_assistant(self.args)
            if npc is not None:
                turn = self._turn_of(npc)
                rows = [
                    {
                        "name": tool.name,
                        "category": str(tool.category),
                        "refusal": registry.why_not_offered(tool, turn),
                    }
                    for tool in registry.all_tools().values()
                ]
                text = formatting_spending.tools(self.name_of(npc), rows, self.screen)
                EvMore(self.caller, text, session=self.session)
            return
        minds = all_minds()
        if not minds:
            self.msg("There is no assistant yet.")
            return
        rows = [self._offer(mind.obj) for mind in minds[:ROWS]]
        text = formatting_spending.offers(rows, self.screen)
        more = len(minds[ROWS:])
        text += f"\n… and {more} more: {self.key}/tools <npc>" if more else ""
        EvMore(self.caller, text, session=self.session)

    def _offer(self, npc: Any) -> dict[str, Any]:
        offered = registry.offered(self._turn_of(npc))
        return {
            "name": f"{npc.key}(#{npc.id})",
            "offered": len(offered),
            "all": len(registry.all_tools()),
            "tokens": tokens.estimate_messages((), [tool.schema() for tool in offered]),
            "commands": sorted(commands_tool.permitted(npc)),
        }

    def _turn_of(self, npc: Any) -> Turn:
        """Return the turn that it would have if the caller spoke to it now; nobody runs it."""
        event = records.new_event(
            "say",
            "",
            event_id=uuid.uuid4().hex,
            now=scheduling.now(),
            said_by=identity.perceived(npc, self.caller),
            actor_id=self.caller.id,
            actor_name=self.caller.key,
            location_id=npc.location.id if npc.location else 0,
        )
        return Turn(scripts.find(npc), [event], llm=ScriptedMind(()))
