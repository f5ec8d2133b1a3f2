"""Checks of the running server, for `@aiadmin/doctor`: problems that settings do not show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import evennia

from evennia_ai import conf, permission, tick
from evennia_ai.checks import installed, measured_models, worker_checks
from evennia_ai.checks.problem import Problem, error, warning
from evennia_ai.llm import ledger
from evennia_ai.llm.wrappers import breaker
from evennia_ai.memory import routine
from evennia_ai.memory.state import active_assistants, assistant


def live_problems(minds: Iterable[Any]) -> Iterator[Problem]:
    """Yield the problems of the running server; `minds` are all minds that have a body."""
    yield from _check_active(minds)
    for check in _CHECKS:
        yield from check()


def _check_tables() -> Iterator[Problem]:
    if lacking := ", ".join(installed.missing_tables()):
        yield error("E101", f"The database lacks tables of ours ({lacking}).", installed.MIGRATE)


def _check_hooks() -> Iterator[Problem]:
    # None in a test or a shell: nothing was started there.
    modules = getattr(evennia.EVENNIA_SERVER_SERVICE, "start_stop_modules", None)
    loaded = [getattr(module, "__name__", "") for module in modules or ()]
    if modules is not None and "evennia_ai.hooks" not in loaded:
        yield error("E102", "The server was started without evennia_ai.hooks.", "evennia reboot")


def _check_tickers() -> Iterator[Problem]:
    for rate in sorted(active_assistants.rates() - tick.subscribed_rates()):
        yield error(
            "E103",
            f"Nothing ticks for the assistants of the interval of {rate} s.",
            "reload",
        )


def _check_active(minds: Iterable[Any]) -> Iterator[Problem]:
    listed = set(active_assistants.all_ids())
    on = {mind.id: mind for mind in minds if assistant.is_enabled(mind)}
    for script_id in sorted(on.keys() - listed):
        npc = on[script_id].obj
        yield error("E104", f"{npc.key}(#{npc.id}) is on, but hears nothing.", "reload")
    for script_id in sorted(listed - on.keys()):
        yield error(
            "E105",
            f"Script #{script_id} is listed as a mind that is on, but it is off or gone.",
            "reload",
        )
    if active_assistants.is_halted():
        yield warning("W106", "Every mind is halted.", "@aiadmin/resume")


def _check_models() -> Iterator[Problem]:
    for alias, state in breaker.states().items():
        if state["state"] != "closed":
            yield warning(
                "W107",
                f"The model '{alias}' failed {state['failures']} times in a row "
                f"({state['last_error']}); the offline mind answers.",
                f'EVENNIA_AI["LLM"]["{alias}"]["OPTIONS"]["base_url"] = "…"',
            )


def _check_last_hour() -> Iterator[Problem]:
    for alias, told in ledger.failing().items():
        # Of one that is a model no more there is nothing to mend, and one that fails in a row is said above.
        if (
            alias in measured_models.models()
            and breaker.states().get(alias, {"state": "closed"})["state"] == "closed"
        ):
            yield warning(
                "W109",
                f"Of the {told['calls']} calls of the model '{alias}' in the last hour "
                f"{told['failures']} failed, the last with {told['error']}.",
                "@aiadmin/cost models",
            )


def _check_clock() -> Iterator[Problem]:
    if failed := " ".join(routine.why_still().split()).rstrip("."):
        yield error(
            "E115",
            f"GAME_CLOCK fails, so that no time passes for NPCs: {failed}.",
            f'EVENNIA_AI["GAME_CLOCK"] = "{conf.DEFAULTS["GAME_CLOCK"]}"',
        )


def _check_permission() -> Iterator[Problem]:
    failed = permission.failures()
    if failed.count:
        times = "1 time" if failed.count == 1 else f"{failed.count} times"
        yield warning(
            "W108",
            "MAY_SAY could not say whether words may be said, so they were not: "
            f"{times} since the start, and the last time it {failed.last}.",
            f'EVENNIA_AI["MAY_SAY"] = "{conf.DEFAULTS["MAY_SAY"]}"',
        )


_CHECKS = (
    _check_tables,
    _check_hooks,
    _check_tickers,
    _check_models,
    _check_last_hour,
    _check_permission,
    installed.check_overwriting,
    installed.check_commands,
    installed.check_prototypes,
    installed.check_pages,
    worker_checks.check_running,
    _check_clock,
)
