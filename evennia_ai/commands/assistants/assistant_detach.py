"""The switch `detach` of `@assistant`: takes the mind of one NPC, or of all, away."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from evennia_ai.commands.base import AssistantCommand, all_minds
from evennia_ai.memory import lookup
from evennia_ai.typeclasses import scripts

ALL = "all"


class Detaching(AssistantCommand):
    """How `@assistant` takes minds away."""

    def detach_one(self) -> Generator[str, str, None]:
        """Ask, and take the mind of the NPC that was named away."""
        npc = self.find_assistant(self.args)
        if npc is None:
            return
        name, npc_id = self.name_of(npc), npc.id
        answer = yield f"Take the mind from {name} for good? [y/N]"
        # It may have gone while the question stood.
        npc = lookup.object_by_id(npc_id)
        if answer.strip().lower() not in ("y", "yes") or npc is None:
            self.msg("Nothing was done.")
        elif self._take(npc):
            self.msg(f"{name} has no mind any more. What it remembers stays with its body.")

    def detach_all(self) -> Generator[str, str, None]:
        """Ask, and take the minds of all that the caller controls away."""
        mine = [mind.obj.id for mind in all_minds() if self.may_change(mind.obj)]
        if not mine:
            self.msg("There is no NPC with a mind that you control.")
            return
        answer = yield f"Take the minds from all {len(mine)} NPCs that you control? [yes/N]"
        if answer.strip().lower() != "yes":
            self.msg("Nothing was done.")
            return
        found = [npc for npc_id in mine if (npc := lookup.object_by_id(npc_id))]
        # Locks may have changed while the question stood.
        taken = sum(self._take(npc) for npc in found if self.may_change(npc))
        self.msg(f"{taken} have no mind any more. What they remember stays with their bodies.")

    def _take(self, npc: Any) -> bool:
        if not scripts.detach(npc):
            return False
        self.log_change("detached the mind from", npc)
        return True
