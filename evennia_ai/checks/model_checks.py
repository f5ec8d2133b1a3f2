"""Checks of the settings of models and of long-term memory."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

from django.utils.module_loading import import_string

from evennia_ai import conf
from evennia_ai.checks.problem import (
    Problem,
    default_line,
    error,
    plain,
    unknown_keys,
    warning,
)
from evennia_ai.llm import base

# Python's name of a model client, and what pip calls it.
CLIENT_PACKAGES = {
    "openai": "openai",
    "httpx2": "httpx2",
    "pydantic": "pydantic",
    "json_repair": "json-repair",
}
CLIENT_MODULE = "evennia_ai.llm.openai."
BUDGET = "evennia_ai.llm.wrappers.budget.Budget"
RETRY = "evennia_ai.llm.wrappers.retry.Retry"
LADDER = "evennia_ai.llm.wrappers.ladder.Ladder"
OFFLINE_LINE = 'EVENNIA_AI["LLM"]["default"] = {"BACKEND": "evennia_ai.llm.offline.OfflineMind"}'


def check_models(given: dict[Any, Any]) -> Iterator[Problem]:
    models = given.get("LLM", conf.DEFAULTS["LLM"])
    if not isinstance(models, dict):
        return
    if "default" not in models:
        yield error("E008", 'EVENNIA_AI["LLM"] has no "default".', OFFLINE_LINE)
    chosen = given.get("NPC_MODELS")
    own = [one for one in chosen if isinstance(one, str)] if isinstance(chosen, list) else []
    for alias in own:
        if alias not in models:
            yield error(
                "E021",
                f'EVENNIA_AI["NPC_MODELS"] lists {alias!r}, which EVENNIA_AI["LLM"] does not have.',
                default_line("NPC_MODELS"),
            )
    known = ("default", "cheaper", *base.JOBS, *own)
    yield from unknown_keys('EVENNIA_AI["LLM"]', models, known)
    for alias, described in models.items():
        yield from _check_model(alias, described)
    yield from _check_wrappers(given.get("LLM_WRAPPERS"), has_cheaper="cheaper" in models)


def _check_wrappers(wrappers: Any, *, has_cheaper: bool) -> Iterator[Problem]:
    if not isinstance(wrappers, (list, tuple)) or ... in wrappers:
        return
    line = default_line("LLM_WRAPPERS")
    both = BUDGET in wrappers and RETRY in wrappers
    if both and wrappers.index(BUDGET) > wrappers.index(RETRY):
        sentence = (
            'EVENNIA_AI["LLM_WRAPPERS"] has Budget around Retry, so that one attempt of each '
        )
        yield warning("W018", f"{sentence}call counts; Budget must come first.", line)
    if has_cheaper and LADDER not in wrappers:
        sentence = 'EVENNIA_AI["LLM_WRAPPERS"] lacks Ladder, so that the alias "cheaper" never '
        yield warning("W018", f"{sentence}answers.", line)


def _check_model(alias: str, described: Any) -> Iterator[Problem]:
    where = f'EVENNIA_AI["LLM"]["{alias}"]'
    line = f'EVENNIA_AI["LLM"]["{alias}"] = {{"BACKEND": "…", "OPTIONS": {{…}}}}'
    path = described.get("BACKEND") if isinstance(described, dict) else None
    options = described.get("OPTIONS", {}) if isinstance(described, dict) else None
    if not isinstance(path, str) or not isinstance(options, dict):
        yield error("E009", f"{where} must be a dict with BACKEND and, if need be, OPTIONS.", line)
        return
    for key in sorted(described.keys() - {"BACKEND", "OPTIONS", "PROFILE"}):
        yield error("E009", f"{where} has no key {key!r}; what a backend takes is OPTIONS.", line)
    if described.get("PROFILE", "auto") not in ("auto", "plain", "tools"):
        yield error("E009", f'{where} has a PROFILE that is not "auto", "plain" or "tools".', line)
    if path.startswith(CLIENT_MODULE):
        yield from _check_client(where)
    try:
        signature = inspect.signature(import_string(path))
        # What it does not know is told before what is missing, which may be the same slip of the pen.
        signature.bind_partial(**options)
        signature.bind(**options)
    except ImportError as problem:
        yield error("E007", f"{where} names {path!r}: {plain(problem)}.", line)
    except TypeError as problem:
        yield error("E010", f"{where} has OPTIONS that do not fit {path}: {plain(problem)}.", line)
    variable = options.get("api_key_env")
    if variable and variable not in os.environ:
        yield warning(
            "W011",
            f"{where} takes its key from {variable}, which is not set in the environment.",
            f"export {variable}=…",
        )


def _check_client(where: str) -> Iterator[Problem]:
    missing = [package for name, package in CLIENT_PACKAGES.items() if find_spec(name) is None]
    if missing:
        yield error(
            "E012",
            f"{where} needs {' and '.join(missing)}, which "
            f"{'is' if len(missing) == 1 else 'are'} not installed.",
            f"pip install {' '.join(missing)}",
        )


def check_memories(given: dict[Any, Any]) -> Iterator[Problem]:
    # The default is not looked at: what is missing for it the command `@aiadmin/doctor` says.
    memories = given.get("SEMANTIC")
    if isinstance(memories, dict):
        for alias, described in memories.items():
            if described is not None:
                yield from _check_memory(f'EVENNIA_AI["SEMANTIC"]["{alias}"]', described)


def _check_memory(where: str, described: Any) -> Iterator[Problem]:
    path = described.get("BACKEND") if isinstance(described, dict) else None
    options = described.get("OPTIONS", {}) if isinstance(described, dict) else None
    if not isinstance(path, str) or not isinstance(options, dict):
        yield error(
            "E013",
            f"{where} must be None or a dict with BACKEND and, if need be, OPTIONS.",
            default_line("SEMANTIC"),
        )
        return
    try:
        backend = import_string(path)
        inspect.signature(backend).bind(**options)
    except ImportError as problem:
        yield error("E007", f"{where} names {path!r}: {plain(problem)}.", f"{where} = None")
        return
    except TypeError as problem:
        yield error(
            "E010", f"{where} has OPTIONS that do not fit {path}: {plain(problem)}.", f"{where} = …"
        )
    for package, line in getattr(backend, "needs", {}).items():
        if find_spec(package) is None:
            yield error("E016", f"{where} needs {package}, which is not installed.", line)
