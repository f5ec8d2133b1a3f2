"""The switch `jobs` of `@aiadmin`: what waits for workers, runs, or failed."""

from __future__ import annotations

from evennia_ai.agent.speech import escaped
from evennia_ai.commands.base import AssistantCommand, quoted, switch, whole_number
from evennia_ai.commands.screen import table
from evennia_ai.memory import lookup
from evennia_ai.workers import job_control

RETRY, DROP = "retry", "drop"
HERE = "No job leaves this server: it does them itself, in a thread (see docs/scaling.md)."


class JobsSwitch(AssistantCommand):
    """How `@aiadmin` shows the queue of the workers."""

    @switch("jobs", lock="perm(Admin)")
    def show_jobs(self) -> None:
        """@aiadmin/jobs [waiting/running/failed, or <number> = retry/drop]

        Which calls of models wait for workers, run or failed; one is tried again, or nobody does
        it. Only where there are workers.
        """
        which, what = self.lhs.lower(), (self.rhs or "").lower()
        if (
            what not in (RETRY, DROP)
            if self.rhs is not None
            else which not in ("", *job_control.STATES)
        ):
            self.say_usage()
        elif not job_control.has_queue():
            self.msg(HERE)
        elif what:
            self._change(whole_number(self.lhs) or 0, what)
        elif which:
            self._list_jobs(which)
        else:
            self._sum_up()

    def _sum_up(self) -> None:
        state = job_control.state()
        workers = "1 worker lives" if state.workers == 1 else f"{state.workers} workers live"
        self.msg(
            f"{workers}. {state.waiting} jobs wait, {state.running} run, {state.failed} failed; "
            f"{self.key}/jobs failed lists these."
        )

    def _list_jobs(self, which: str) -> None:
        found = job_control.listed(which)
        if not found:
            self.msg(f"No job is {which}." if which != "failed" else "No job failed.")
            return
        rows = [
            (
                job["number"],
                f"{job['created']:%Y-%m-%d %H:%M:%S}",
                _name(job["assistant_id"]),
                job["kind"],
                job["attempts"],
                job["worker"] or "",
            )
            for job in found
        ]
        shown = table(("No", "Since (UTC)", "NPC", "Job", "Tries", "Worker"), rows, self.screen)
        how = f"{self.key}/jobs <number> = retry or drop"
        self.show(f"{shown}\n{how}")

    def _change(self, number: int, what: str) -> None:
        if not (job_control.retry if what == RETRY else job_control.drop)(number):
            failed = "job that failed" if what == RETRY else "job"
            self.msg(f"There is no {failed} of the number {quoted(self.lhs)}.")
        elif what == RETRY:
            self.log_change(f"let job {number} be tried again")
            self.msg(f"Job {number} is tried again.")
        else:
            self.log_change(f"dropped job {number}")
            self.msg(f"Job {number} is dropped; the night asks for it again, if it is not over.")


def _name(npc_id: int) -> str:
    npc = lookup.object_by_id(npc_id)
    return f"{escaped(npc.key) if npc else ''}(#{npc_id})"
