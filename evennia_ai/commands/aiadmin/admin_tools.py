"""The switch `tools` of `@aiadmin`: which tools each NPC is offered, and why not the others."""

from __future__ import annotations

import uuid
from typing import Any

from evennia_ai import scheduling
from evennia_ai.agent.speech import escaped
from evennia_ai.agent.turn import Turn
from evennia_ai.commands.base import AssistantCommand, all_minds, switch
from evennia_ai.commands.screen import table
from evennia_ai.core import records
from evennia_ai.domain.model_text import tokens
from evennia_ai.llm.scripted import ScriptedMind
from evennia_ai.memory import identity
from evennia_ai.tools import commands_tool, registry
from evennia_ai.typeclasses import scripts

# NPCs that one table shows; each is asked about each tool.
ROWS = 25
CATEGORIES = {
    "terminal": "ends turn",
    "safe_chain": "lookup",
    "dangerous": "deed",
}


class ToolsSwitch(AssistantCommand):
    """How `@aiadmin` tells of tools."""

    @switch("tools", lock="perm(Admin)")
    def show_tools(self) -> None:
        """@aiadmin/tools [<npc>]

        How many tools each assistant is offered; for one, which, and why not the others.
        """
        if self.args:
            npc = self.find_assistant(self.args)
            if npc is not None:
                self._show_tools_of(npc)
            return
        minds = all_minds()
        if not minds:
            self.msg("There is no assistant yet.")
            return
        heads = ("Name", "Tools offered", "Tokens they take", "Game commands")
        text = table(heads, [self._offer(mind.obj) for mind in minds[:ROWS]], self.screen)
        more = len(minds[ROWS:])
        self.show(f"{text}\n… and {more} more: {self.key}/tools <npc>" if more else text)

    def _show_tools_of(self, npc: Any) -> None:
        turn, cells = self._turn_of(npc), []
        for tool in registry.all_tools().values():
            refusal, category = registry.why_not_offered(tool, turn), str(tool.category)
            offered = f"no: {refusal}" if refusal else "yes"
            cells.append((tool.name, CATEGORIES.get(category, category), offered))
        shown = table(("Tool", "Kind", "Offered"), cells, self.screen)
        self.show(f"|c{self.name_of(npc)}|n, if somebody spoke to it now\n{shown}")

    def _offer(self, npc: Any) -> tuple[Any, ...]:
        offered = registry.offered(self._turn_of(npc))
        return (
            f"{npc.key}(#{npc.id})",
            f"{len(offered)} of {len(registry.all_tools())}",
            tokens.estimate_messages((), [tool.schema() for tool in offered]),
            ", ".join(map(escaped, sorted(commands_tool.permitted(npc)))) or "none",
        )

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
