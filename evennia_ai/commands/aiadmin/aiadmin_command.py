"""The command with which admins look at the whole of it, and stop it."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core import checks as levels

from evennia_ai import checks, conf
from evennia_ai.agent.speech import escaped
from evennia_ai.checks import Problem, live_checks, measured_models
from evennia_ai.commands import changes
from evennia_ai.commands.aiadmin.admin_jobs import JobsSwitch
from evennia_ai.commands.aiadmin.admin_reports import ReportsSwitch
from evennia_ai.commands.aiadmin.admin_spending import SpendingSwitches
from evennia_ai.commands.aiadmin.admin_tools import ToolsSwitch
from evennia_ai.commands.base import all_minds, switch


class CmdAIAdmin(SpendingSwitches, ToolsSwitch, ReportsSwitch, JobsSwitch):
    """
    See to all assistants at once.

    {switches}

    Examples:
      @aiadmin/cost players = yesterday
      @aiadmin/budget Mara = 50000/0.25
    """

    first = ("doctor", "cost", "budget", "reports", "halt")
    key = "@aiadmin"
    default_key = "@aiadmin"
    locks = "cmd:perm(Admin)"
    help_category = "Admin"

    @switch("doctor", lock="perm(Admin)")
    def show_problems(self) -> Any:
        """@aiadmin/doctor

        What is wrong, and the line to paste that mends it. It measures each model, and says what
        a turn takes.
        """
        if not isinstance(conf.given(), dict) or not measured_models.models():
            self._show_problems(([], []))
            return None
        self.msg("Measuring each model, which may take a minute …")
        return measured_models.measure_models().addCallback(self._show_problems)

    def _show_problems(self, measured: tuple[list[str], list[Problem]]) -> None:
        lines, unfit = measured
        found = [*checks.problems(), *unfit]
        if isinstance(conf.given(), dict):
            found.extend(live_checks.live_problems(all_minds()))
        shown = [
            _problem_line(problem, self.key)
            for problem in found
            if problem.id not in settings.SILENCED_SYSTEM_CHECKS
        ]
        self.show("\n".join([*lines, *(shown or ["All is well."])]))

    @switch("halt", lock="perm(Admin)")
    def halt(self) -> None:
        """@aiadmin/halt

        Stop every mind at once; a mind that thinks just now will say nothing.
        """
        said = changes.halt(self.caller, halted=True)
        self.msg(f"{said} {self.key}/resume lets them go on.")

    @switch("resume", lock="perm(Admin)")
    def resume(self) -> None:
        """@aiadmin/resume

        Let every mind go on.
        """
        self.msg(changes.halt(self.caller, halted=False))


def _problem_line(problem: Problem, key: str) -> str:
    grade = "|rwrong|n  " if problem.level >= levels.ERROR else "|yminor|n  "
    line = problem.line.replace("@aiadmin", key)
    paste = f"\n       |wpaste|n  {escaped(line)}" if line else ""
    return f"{grade}{escaped(problem.sentence)}{paste}"
