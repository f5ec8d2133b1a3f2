"""The switch `reports` of `@aiadmin`: what players reported of NPCs."""

from __future__ import annotations

from typing import Any

from evennia_ai.agent.speech import escaped
from evennia_ai.commands.base import AssistantCommand, quoted, switch, whole_number
from evennia_ai.commands.screen import table
from evennia_ai.commands.shown.words import shortened
from evennia_ai.memory import lookup
from evennia_ai.memory.people import reports

DONE = "done"
# Rows of the list, and characters of what stands in one.
ROWS = 25
LENGTH = 40
FORGOTTEN = "(forgotten)"


class ReportsSwitch(AssistantCommand):
    """How `@aiadmin` shows what players reported."""

    @switch("reports", lock="perm(Admin)")
    def show_reports(self) -> None:
        """@aiadmin/reports [<number> [= done]/done]

        What players reported of NPCs: those that wait, one in full, or those that are dealt with.
        """
        if not self.lhs or (self.lhs.lower() == DONE and self.rhs is None):
            self._list_reports(dealt=bool(self.lhs))
            return
        report = reports.get(whole_number(self.lhs) or 0)
        if report is None:
            self.msg(f"There is no report {quoted(self.lhs)}.")
        elif self.rhs is None:
            self.show(_in_full(report))
        elif self.rhs.lower() != DONE:
            self.say_usage()
        elif report.dealt:
            self.msg(f"{report.dealt_by} has dealt with report {report.id} already.")
        else:
            reports.deal_with(report, by=self.caller.key)
            self.log_change(f"dealt with report {report.id} of", lookup.object_by_id(report.npc_id))
            self.msg(f"Report {report.id} is dealt with.")

    def _list_reports(self, *, dealt: bool) -> None:
        found = reports.listed(dealt=dealt)
        if not found:
            waiting = "" if dealt else " waits"
            self.msg(f"No report{waiting or ' was dealt with'}.")
            return
        rows = [
            (
                report.id,
                f"{report.created:%Y-%m-%d %H:%M}",
                f"{escaped(report.npc_name)}(#{report.npc_id})",
                escaped(report.reporter) or FORGOTTEN,
                shortened(report.said, LENGTH) or FORGOTTEN,
                shortened(report.note, LENGTH),
            )
            for report in found[:ROWS]
        ]
        shown = table(("No", "When (UTC)", "NPC", "From", "Said", "Note"), rows, self.screen)
        more = f"\n… and {len(found) - ROWS} more" if len(found) > ROWS else ""
        how = f"{self.key}/reports <number> shows one, with = done it is put away."
        self.show(f"{shown}{more}\n{how}")


def _in_full(report: Any) -> str:
    said = [escaped(line) for line in report.said.splitlines()] or [FORGOTTEN]
    lines = [
        f"|cReport {report.id}|n, {report.created:%Y-%m-%d %H:%M} (UTC)",
        f"  |wof|n    {escaped(report.npc_name)}(#{report.npc_id})",
        f"  |wfrom|n  {escaped(report.reporter) or FORGOTTEN}",
        *(f"  |wsaid|n  {line}" for line in said),
        f"  |wnote|n  {_quoted(report.note)}",
    ]
    if report.dealt:
        lines.append(f"  |wdone|n  {report.dealt:%Y-%m-%d %H:%M}, by {escaped(report.dealt_by)}")
    why = (
        report.trace or "Why it said so is not known any more: forgotten, or from before a restart."
    )
    return "\n".join([*lines, why])


def _quoted(note: str) -> str:
    return f'"{escaped(note)}"' if note else "none"
