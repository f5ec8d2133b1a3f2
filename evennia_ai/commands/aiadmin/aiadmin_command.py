"""The command with which admins look at the whole of it, and stop it."""

from __future__ import annotations

import os
from typing import Any, Iterator

import evennia
from django.conf import settings
from django.core import checks as levels
from evennia.utils.evmore import EvMore

from evennia_ai import checks, conf, permission, tick
from evennia_ai.checks import Problem, installed, model_checks, worker_checks
from evennia_ai.commands import formatting
from evennia_ai.commands.aiadmin import asked
from evennia_ai.commands.aiadmin.admin_jobs import JobsSwitch
from evennia_ai.commands.aiadmin.admin_reports import ReportsSwitch
from evennia_ai.commands.aiadmin.admin_spending import SpendingSwitches
from evennia_ai.commands.aiadmin.admin_tools import ToolsSwitch
from evennia_ai.commands.assistants import switching
from evennia_ai.commands.base import all_minds, switch
from evennia_ai.experience import base as experience
from evennia_ai.llm import ledger
from evennia_ai.llm.wrappers import breaker
from evennia_ai.memory import routine
from evennia_ai.memory.state import active_assistants, assistant


class CmdAIAdmin(SpendingSwitches, ToolsSwitch, ReportsSwitch, JobsSwitch):
    """
    See to all assistants at once.

    Usage:
      @aiadmin/cost [<npc>/<player>/players/models/jobs] [= <day>]
      @aiadmin/budget [<whose> = <tokens>[/<money>]]
      @aiadmin/tools [<npc>]
      @aiadmin/reports [<number> [= done]/done]
      @aiadmin/jobs [waiting/running/failed, or <number> = retry/drop]
      @aiadmin/config
      @aiadmin/doctor
      @aiadmin/halt
      @aiadmin/resume

    Switches:
      cost   - what models have cost today, by assistant, by player, by
               model or by job; for one assistant or player, day by day
      budget - what may be spent in a day (UTC), and who is how far today. It
               is set for an assistant, for a player, for the `server`, for
               all `guests` together, or for each `assistant` or `player` who
               has none of their own.
               Tokens and money are numbers or `none`; `default` is what the
               settings say
      tools  - how many tools each assistant is offered; for one, which, and
               why not the others
      reports - what players reported of NPCs: those that wait, one in full, or
               those that are dealt with
      jobs   - which calls of models wait for workers, run or failed; one is
               tried again, or nobody does it. Only where there are workers
      config - the settings that differ from their defaults, and which model
               does what (developers)
      doctor - what is wrong, and the line to paste that mends it. It asks each
               model once, and says what came back
      halt   - stop every mind at once; whoever thinks just now will say nothing
      resume - let them go on

    Examples:
      @aiadmin/cost players = yesterday
      @aiadmin/budget Mara = 50000/0.25
    """

    key = "@aiadmin"
    default_key = "@aiadmin"
    locks = "cmd:perm(Admin)"
    help_category = "Admin"

    @switch("config", lock="perm(Developer)")
    def show_config(self) -> None:
        """@aiadmin/config"""
        changed = {
            name: conf.get(name)
            for name, default in conf.DEFAULTS.items()
            if name != "LLM" and conf.get(name) != default
        }
        text = formatting.config(changed, conf.get("LLM"), set_in=os.environ)
        EvMore(self.caller, text, session=self.session)

    @switch("doctor", lock="perm(Admin)")
    def show_problems(self) -> Any:
        """@aiadmin/doctor"""
        asking = asked.ask_models() if isinstance(conf.given(), dict) else {}
        if not asking:
            self._show_problems([])
            return None
        self.msg("Asking each model once …")
        return asked.together(asking).addCallback(self._show_problems)

    def _show_problems(self, answers: list[str]) -> None:
        found = [*checks.problems()]
        if isinstance(conf.given(), dict):
            found.extend(live_problems())
        shown = [
            {
                "severe": problem.level >= levels.ERROR,
                "sentence": problem.sentence,
                "line": problem.line.replace("@aiadmin", self.key),
            }
            for problem in found
            if problem.id not in settings.SILENCED_SYSTEM_CHECKS
        ]
        text = "\n".join([*answers, formatting.doctor(shown)])
        EvMore(self.caller, text, session=self.session)

    @switch("halt", lock="perm(Admin)")
    def halt(self) -> None:
        """@aiadmin/halt"""
        if active_assistants.is_halted():
            self.msg(f"Every mind is halted already; {self.key}/resume lets them go on.")
            return
        switching.halt(self.caller, halted=True)
        self.msg(
            f"Every mind is halted ({active_assistants.count()}). {self.key}/resume lets them go on."
        )

    @switch("resume", lock="perm(Admin)")
    def resume(self) -> None:
        """@aiadmin/resume"""
        if not active_assistants.is_halted():
            self.msg("The minds are not halted.")
            return
        switching.halt(self.caller, halted=False)
        self.msg(f"The minds go on ({active_assistants.count()}).")


def live_problems() -> Iterator[Problem]:
    """Yield what is wrong with the running server, as far as settings do not show it."""
    for check in _CHECKS:
        yield from check()


def _check_tables() -> Iterator[Problem]:
    if lacking := ", ".join(installed.missing_tables()):
        yield _error("E101", f"The database lacks tables of ours ({lacking}).", installed.MIGRATE)


def _check_hooks() -> Iterator[Problem]:
    # None in a test or a shell: nothing was started there.
    modules = getattr(evennia.EVENNIA_SERVER_SERVICE, "start_stop_modules", None)
    loaded = [getattr(module, "__name__", "") for module in modules or ()]
    if modules is not None and "evennia_ai.hooks" not in loaded:
        yield _error("E102", "The server was started without evennia_ai.hooks.", "evennia reboot")


def _check_tickers() -> Iterator[Problem]:
    for rate in sorted(active_assistants.rates() - tick.subscribed_rates()):
        yield _error(
            "E103",
            f"Nothing ticks for the assistants of the interval of {rate} s.",
            "reload",
        )


def _check_active() -> Iterator[Problem]:
    listed = set(active_assistants.all_ids())
    minds = all_minds()
    on = {mind.id: mind for mind in minds if assistant.is_enabled(mind)}
    for script_id in sorted(on.keys() - listed):
        npc = on[script_id].obj
        yield _error("E104", f"{npc.key}(#{npc.id}) is on, but hears nothing.", "reload")
    for script_id in sorted(listed - on.keys()):
        yield _error(
            "E105",
            f"Script #{script_id} is listed as a mind that is on, but it is off or gone.",
            "reload",
        )
    if active_assistants.is_halted():
        yield _warning("W106", "Every mind is halted.", "@aiadmin/resume")


def _check_models() -> Iterator[Problem]:
    for alias, state in breaker.states().items():
        if state["state"] != "closed":
            yield _warning(
                "W107",
                f"The model '{alias}' failed {state['failures']} times in a row "
                f"({state['last_error']}); the offline mind answers.",
                f'EVENNIA_AI["LLM"]["{alias}"]["OPTIONS"]["base_url"] = "…"',
            )


def _check_learning() -> Iterator[Problem]:
    if experience.why_off() == experience.NO_NUMPY:
        yield _warning(
            "W114",
            "numpy is not installed: NPCs do not learn from what they do, and take no ratings; the "
            "long-term memory of this package needs it, too.",
            model_checks.MEMORY_LINE,
        )


def _check_last_hour() -> Iterator[Problem]:
    for alias, told in ledger.failing().items():
        # Of one that is a model no more there is nothing to mend, and one that fails in a row is said above.
        if (
            alias in asked.models()
            and breaker.states().get(alias, {"state": "closed"})["state"] == "closed"
        ):
            yield _warning(
                "W109",
                f"Of the {told['calls']} calls of the model '{alias}' in the last hour "
                f"{told['failures']} failed, the last with {told['error']}.",
                "@aiadmin/cost models",
            )


def _check_clock() -> Iterator[Problem]:
    if failed := " ".join(routine.why_still().split()).rstrip("."):
        yield _error(
            "E115",
            f"GAME_CLOCK fails, so that no time passes for NPCs: {failed}.",
            f'EVENNIA_AI["GAME_CLOCK"] = "{conf.DEFAULTS["GAME_CLOCK"]}"',
        )


def _check_permission() -> Iterator[Problem]:
    failed = permission.failures()
    if failed.count:
        times = "1 time" if failed.count == 1 else f"{failed.count} times"
        yield _warning(
            "W108",
            "MAY_SAY could not say whether words may be said, so they were not: "
            f"{times} since the start, and the last time it {failed.last}.",
            f'EVENNIA_AI["MAY_SAY"] = "{conf.DEFAULTS["MAY_SAY"]}"',
        )


_CHECKS = (
    _check_tables,
    _check_hooks,
    _check_tickers,
    _check_active,
    _check_models,
    _check_learning,
    _check_last_hour,
    _check_permission,
    installed.check_overwriting,
    installed.check_commands,
    installed.check_prototypes,
    installed.check_pages,
    worker_checks.check_running,
    _check_clock,
)


def _error(number: str, sentence: str, line: str) -> Problem:
    return Problem(levels.ERROR, f"evennia_ai.{number}", sentence, line)


def _warning(number: str, sentence: str, line: str) -> Problem:
    return Problem(levels.WARNING, f"evennia_ai.{number}", sentence, line)
