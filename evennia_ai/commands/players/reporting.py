"""The command `report`: players show staff what an NPC should not have said."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext as _

from evennia_ai import conf
from evennia_ai.agent import trace
from evennia_ai.commands.assistants import formatting_why
from evennia_ai.commands.base import switch
from evennia_ai.commands.players.player import ListenerCommand
from evennia_ai.commands.shown import words
from evennia_ai.commands.shown.turns import account_of
from evennia_ai.core import records
from evennia_ai.core.talk import Line
from evennia_ai.domain import audience
from evennia_ai.domain.model_text import reply
from evennia_ai.memory import identity, lookup, working_memory
from evennia_ai.memory.people import accounts, reports
from evennia_ai.memory.people.reports import Reported
from evennia_ai.tools import self_tools
from evennia_ai.typeclasses import scripts

# Characters of a note, of what is repeated to the player, and of a trace.
NOTE_LENGTH = 500
SHOWN_LENGTH = 60
TRACE_LENGTH = 20_000


class CmdReport(ListenerCommand):
    """
    Let staff see what an NPC said to you, or in your hearing.

    Usage:
      report <npc> [= what is wrong with it]

    Staff get the last thing that you heard it say, with how it came to
    say that, and what you write. Nobody else sees it, and the NPC does
    not learn of it.

    Example:
      report Mara = She insulted me.
    """

    key = "report"
    default_key = "report"
    locks = "cmd:all()"
    help_category = "General"

    @switch("")
    def report(self) -> None:
        """report <npc> [= what is wrong with it]"""
        if self.caller.account is None:
            self.msg(_("Only somebody who plays a character can say so."))
            return
        npc = self._find_speaker(self.lhs) if self.is_name(self.lhs) else None
        if npc is None:
            return
        reported = reported_of(npc, self.caller, note=self.rhs or "")
        if reported is None:
            name = npc.get_display_name(self.caller)
            self.msg(_("You have heard {name} say nothing lately.").format(name=name))
            return
        self._keep(npc, reported)

    def _find_speaker(self, name: str) -> Any:
        """Return whom the player heard, or could hear here; it may be gone by now."""
        near = [obj for obj in self._in_reach() if scripts.find(obj) is not None]
        found = list(dict.fromkeys([*_heard_by(self.caller), *near]))
        if len(self.caller.search(name, candidates=found, quiet=True) if found else []) > 0:
            # Evennia says which there are, if there are several.
            return self.caller.search(name, candidates=found)
        self._say_nobody(name)
        return None

    def _keep(self, npc: Any, reported: Reported) -> None:
        known = reports.find(reported)
        if known is not None:
            if reported.note:
                reports.write_note(known, reported.note)
            self.msg(_("You have reported that already; staff will look at it."))
            return
        if reports.is_full_for(reported.account_id):
            self.msg(_("Staff have yet to look at what you reported before."))
            return
        report = reports.add(reported)
        key = conf.get("COMMAND_KEYS")["aiadmin"] or "@aiadmin"
        self.log_change(f"made report {report.id} of", npc)
        whose = f"{self_tools.for_staff(self.caller)} reports what {self_tools.for_staff(npc)} said"
        self_tools.tell_staff(f"{whose}: {key}/reports {report.id}")
        shown = words.shortened(reported.said.partition(": ")[2], SHOWN_LENGTH)
        self.msg(_('Staff will look at "{words}". Thank you.').format(words=shown))


def reported_of(npc: Any, caller: Any, *, note: str) -> Reported | None:
    """Return what a player reports of an NPC: the last that they heard of it, None if nothing."""
    heard = trace.uttered(npc.id, [caller, caller.account])
    last = heard[-1] if heard else None
    turn_id = last.turn_id if last else ""
    said = [line for line in heard if line is last or (turn_id and line.turn_id == turn_id)]
    lines = [(line.kind, line.words) for line in said]
    moment = last.moment if last else ""
    concerned = {source.by for line in said for source in line.sources}
    if last is None:
        # Before a restart, perhaps: what it said to them is remembered, and why is not.
        remembered = _last_said_to(npc, caller)
        if remembered is None:
            return None
        lines, moment = [(remembered.kind, remembered.text)], remembered.timestamp
        concerned |= {source.by for source in remembered.sources}
    shown, others = _trace_of(npc, turn_id)
    concerned |= others
    own = identity.identity_of(caller)
    return Reported(
        npc_id=npc.id,
        npc_name=npc.key,
        account_id=accounts.payer_of(caller),
        reporter=caller.key,
        reporter_identity=own,
        moment=moment,
        said="\n".join(f"{kind}: {words}" for kind, words in lines),
        trace=shown[:TRACE_LENGTH],
        note=reply.printable(note, max_length=NOTE_LENGTH),
        concerned=sorted(concerned - {""}),
    )


def _heard_by(caller: Any) -> Iterator[Any]:
    for npc_id in trace.speakers():
        npc = lookup.object_by_id(npc_id)
        if npc is not None and trace.uttered(npc_id, [caller, caller.account]):
            yield npc


def _last_said_to(npc: Any, caller: Any) -> Line | None:
    lines = working_memory.lines_with(npc, identity.perceived(npc, caller))
    spoken = (*records.SPOKEN, *records.PRIVATE, "pose")
    return next((line for line in reversed(lines) if line.mine and line.kind in spoken), None)


def _trace_of(npc: Any, turn_id: str) -> tuple[str, set[str]]:
    """Return why something was said, as staff read it, and whose words may be in it."""
    kept = trace.turns(npc.id)
    for number, turn in enumerate(kept, start=1):
        if turn_id and turn.id == turn_id:
            known = set() if turn.audience == audience.PUBLIC else set(turn.audience)
            concerned = {source.by for source in turn.origins()}
            return formatting_why.why(account_of(npc, kept, number)), concerned | known
    return "", set()
