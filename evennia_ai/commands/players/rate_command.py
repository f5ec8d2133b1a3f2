"""The command `rate`: players say how an NPC dealt with them, and it learns from that."""

from __future__ import annotations

import re
from typing import Any

from django.utils.translation import gettext as _
from evennia.utils import logger

from evennia_ai.commands.base import switch
from evennia_ai.commands.players.player import ListenerCommand
from evennia_ai.core.states import RecentDecision
from evennia_ai.experience import base as experience
from evennia_ai.experience import turn_decisions
from evennia_ai.memory import identity, lookup
from evennia_ai.memory.people import accounts
from evennia_ai.semantic.memory_thread import MemoryUnavailable
from evennia_ai.typeclasses import scripts

BEST = 10

_RATING = re.compile(r"(\d{1,3})(?:/10)?(?:\s+(.*))?", re.S)


class CmdRate(ListenerCommand):
    """
    Say how well an NPC dealt with you, from 0 (badly) to 10.

    Usage:
      rate <npc> = <0-10> [note]

    This rates the last thing that it did in answer to you; once more replaces
    it. The NPC learns from it, and your note may be read by staff and count
    with others, too: put no secrets into it.

    Example:
      rate Mara = 8 She helped me at once.
    """

    key = "rate"
    default_key = "rate"
    locks = "cmd:all()"
    help_category = "General"

    @switch("")
    def rate(self) -> None:
        """rate <npc> = <0-10> [note]"""
        if not self.lhs or not self.rhs:
            self.say_usage()
            return
        if not experience.is_enabled():
            self.msg(_("NPCs take no ratings in this game."))
            return
        given = _RATING.fullmatch(self.rhs)
        if not given or int(given[1]) > BEST:
            self.msg(
                _("A rating is a whole number from 0 to 10, with a note behind it if you like.")
            )
            return
        npc = self.find_listener(self.lhs)
        script = npc and scripts.find(npc)
        record = script and self._last_answer(script, npc)
        if record:
            self._keep(script, npc, record, int(given[1]), given[2] or "")

    def _last_answer(self, script: Any, npc: Any) -> RecentDecision | None:
        """Return the last decision in answer to the caller, else None after having said that there is none."""
        who = identity.perceived(npc, self.caller)
        own = [one for one in turn_decisions.recent(script) if who and one.actor == who]
        if own:
            return own[-1]
        text = _("{name} has done nothing for you lately to rate.")
        self.msg(text.format(name=npc.get_display_name(self.caller)))
        return None

    def _keep(self, script: Any, npc: Any, record: RecentDecision, rating: int, note: str) -> None:
        name, npc_id = npc.get_display_name(self.caller), npc.id
        if note and accounts.is_passing(self.caller):
            note = ""
            self.msg(_("Your note is not kept: you are remembered for your visit only."))
        kept = turn_decisions.rate(script, npc, record, rating=rating, note=note)
        kept.addCallback(lambda _result: self._tell_kept(npc_id, name, rating))
        kept.addErrback(self._not_kept, name)

    def _tell_kept(self, npc_id: int, name: str, rating: int) -> None:
        self.log_change(f"gave {rating} out of {BEST} to", lookup.object_by_id(npc_id))
        text = _("You rate what {name} did as {rating} out of 10.")
        self.msg(text.format(name=name, rating=rating))

    def _not_kept(self, failure: Any, name: str) -> None:
        failure.trap(MemoryUnavailable)
        logger.log_warn(f"evennia_ai: a rating was not kept: {failure.value}")
        self.msg(_("{name} cannot take a rating just now.").format(name=name))
