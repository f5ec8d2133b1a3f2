"""Says what is wrong with the settings: one sentence each, and the line to paste.

`evennia check` shows it at start, and `problems` gives the same to the admin's command.
"""

from __future__ import annotations

import difflib
import inspect
import os
from collections.abc import Iterable, Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

from django.apps import apps
from django.conf import settings
from django.core import checks
from django.utils.module_loading import import_string

from evennia_ai import conf
from evennia_ai.domain import gossip, schedule
from evennia_ai.llm import base

# Python's name of a model client, and what pip calls it.
CLIENT_PACKAGES = {
    "openai": "openai",
    "httpx2": "httpx2",
    "pydantic": "pydantic",
    "json_repair": "json-repair",
}
CLIENT_MODULE = "evennia_ai.llm.openai."
MEM0_BACKEND = "evennia_ai.semantic.mem0.Mem0Memory"
MEMORY_LINE = 'pip install "evennia-ai[memory]"'
DOORS = ("PARSE_SPEECH", "SPEAK", "IDENTIFY", "CAN_ACT")
PATH_LISTS = (
    "LLM_WRAPPERS",
    "CONTEXT_SECTIONS",
    "TOOL_MODULES",
    "REWARDS",
    "EXPERIENCE_METRICS",
    "CONVERTERS",
    "KINDS",
)
CHOICES = {
    "ROOM_TALK": ("public", "heard"),
    "TELL_RANGE": ("room", "anywhere"),
    "GOSSIP": gossip.LEVELS,
}
# Shares and likenesses, from 0 to 1.
FRACTIONS = ("REPLY_SIMILARITY", "TRUST")
# Where 0 says "none" or "at once"; every other number must be more than that.
MAY_BE_ZERO = (
    "BUDGET",
    "CONVERSATION_LINES",
    "CROSS_TALK_COOLDOWN",
    "CROSS_TALK_HOPS",
    "ENGAGED_SECONDS",
    "LEDGER_DAYS",
    "NAP_IDLE_SECONDS",
    "NOISE_LINES",
    "RATE",
    "REPLY_SIMILARITY",
    "ROOM_GREETING_COOLDOWN",
    "SLEEP_COOLDOWN",
    "SLEEP_SCHEDULE",
    "SLEEP_TOKENS",
    "THINKING_AFTER",
    "THINKING_EVERY",
    "TRUST",
    "TURN_DELAY",
    "WATCHER_SECONDS",
)
# Keys of dicts that a game fills as it likes.
OPEN_DICTS = ("LLM", "PRICES", "SEMANTIC", "SPEECH_TYPES")
# Where a player's own character or account must not become an assistant.
PLAYER_TYPECLASSES = ("BASE_ACCOUNT_TYPECLASS", "BASE_CHARACTER_TYPECLASS", "BASE_GUEST_TYPECLASS")
OFFLINE_LINE = 'EVENNIA_AI["LLM"]["default"] = {"BACKEND": "evennia_ai.llm.offline.OfflineMind"}'

TYPE_WORDS = {
    bool: "True or False",
    int: "a whole number",
    float: "a number",
    str: "text in quotes",
    list: "a list",
    dict: "a dict",
}


class Problem(NamedTuple):
    """One thing that is wrong: `level` is of django.core.checks, `line` mends it.

    A line is to be pasted at the end of the settings, or into a shell where it is a command.
    """

    level: int
    id: str
    sentence: str
    line: str


def problems() -> list[Problem]:
    """Return all that is wrong with the settings of this game, errors first."""
    found = [*_check_server()]
    given = conf.given()
    if isinstance(given, dict):
        for check in (_check_keys, _check_values, _check_paths, _check_models, _check_memories):
            found.extend(check(given))
    else:
        found.append(
            _error("E001", "EVENNIA_AI must be a dict.", 'EVENNIA_AI = {"TURN_DEADLINE": 30.0}')
        )
    return sorted(found, key=lambda problem: -problem.level)


@checks.register("evennia_ai")
def check_settings(app_configs: Any, **kwargs: Any) -> list[checks.CheckMessage]:
    """Return the problems in the form that `evennia check` prints."""
    return [
        checks.CheckMessage(problem.level, problem.sentence, hint=problem.line, id=problem.id)
        for problem in problems()
    ]


def _error(number: str, sentence: str, line: str) -> Problem:
    return Problem(checks.ERROR, f"evennia_ai.{number}", sentence, line)


def _warning(number: str, sentence: str, line: str) -> Problem:
    return Problem(checks.WARNING, f"evennia_ai.{number}", sentence, line)


def _check_server() -> Iterator[Problem]:
    if not apps.is_installed("evennia_ai"):
        yield _error(
            "E002",
            "INSTALLED_APPS lacks evennia_ai.",
            'INSTALLED_APPS = INSTALLED_APPS + ["evennia_ai"]',
        )
    hooks = settings.AT_SERVER_STARTSTOP_MODULE
    hooks = [hooks] if isinstance(hooks, str) else list(hooks or ())
    if "evennia_ai.hooks" not in hooks:
        line = ", ".join(f'"{module}"' for module in [*hooks, "evennia_ai.hooks"])
        yield _error(
            "E003",
            "AT_SERVER_STARTSTOP_MODULE lacks evennia_ai.hooks, so minds would neither wake with "
            "the server nor stop with it.",
            f"AT_SERVER_STARTSTOP_MODULE = [{line}]",
        )
    for name in PLAYER_TYPECLASSES:
        if str(getattr(settings, name, "")).startswith("evennia_ai."):
            yield _error(
                "E004",
                f"{name} is a typeclass of an assistant, so every player would be one.",
                f'{name} = "typeclasses.characters.Character"  # or the one of your game',
            )


def _check_keys(given: dict[Any, Any]) -> Iterator[Problem]:
    yield from _unknown_keys("EVENNIA_AI", given, conf.DEFAULTS)
    for name, default in conf.DEFAULTS.items():
        value = given.get(name)
        if isinstance(default, dict) and isinstance(value, dict) and name not in OPEN_DICTS:
            yield from _unknown_keys(f'EVENNIA_AI["{name}"]', value, default)


def _unknown_keys(where: str, given: Iterable[Any], known: Iterable[str]) -> Iterator[Problem]:
    names = {name.upper(): name for name in known}
    for key in given:
        if key in names.values():
            continue
        sentence = f"{where} has no key {key!r}"
        close = difflib.get_close_matches(str(key).upper(), names, n=1)
        if close:
            name = names[close[0]]
            yield _warning("W005", f"{sentence}; did you mean {name!r}?", f'{where}["{name}"] = …')
        else:
            listed = ", ".join(names.values()) if len(names) < 20 else "see docs/settings.md"
            yield _warning("W005", f"{sentence}.", f"del {where}[{key!r}]  # {listed}")


def _check_values(given: dict[Any, Any]) -> Iterator[Problem]:
    for name, default in conf.DEFAULTS.items():
        if name not in given:
            continue
        value = given[name]
        wrong = _wrong_type(default, value) or _out_of_range(name, value)
        if name == "PRICES" and not wrong:
            wrong = _wrong_price(value)
        if name == "SLEEP_SCHEDULE" and not wrong:
            wrong = _wrong_schedule(value)
        if wrong:
            yield _error("E006", f'EVENNIA_AI["{name}"] {wrong}.', _default_line(name))
        elif isinstance(default, dict) and name not in OPEN_DICTS:
            for key in [key for key in default if key in value]:
                wrong = _wrong_entry(name, default[key], value[key])
                if wrong:
                    yield _error(
                        "E006", f'EVENNIA_AI["{name}"]["{key}"] {wrong}.', _default_line(name)
                    )


def _wrong_schedule(given: Any) -> str | None:
    try:
        schedule.read_schedule({**conf.DEFAULTS["SLEEP_SCHEDULE"], **given})
    except (TypeError, ValueError) as error:
        return f"makes no sense: {str(error).rstrip('.')}"
    return None


def _wrong_price(prices: dict[Any, Any]) -> str | None:
    for model, price in prices.items():
        pair = price if isinstance(price, (list, tuple)) else ()
        if len(pair) != 2 or any(_wrong_type(0.0, part) or part < 0 for part in pair):
            return f"must give {model!r} two numbers, (prompt, completion), not {price!r}"
    return None


def _wrong_entry(name: str, default: Any, value: Any) -> str | None:
    """Return what is wrong with one value of a dict, or None."""
    # None is "no limit".
    if value is None and name in ("BUDGET", "RATE"):
        return None
    if isinstance(default, dict) and isinstance(value, dict):
        for key, inner in value.items():
            if key not in default:
                return f"has no key {key!r}, only {' and '.join(default)}"
            # Money has a fraction, and None as its default.
            wrong = _wrong_entry(name, 0.0 if default[key] is None else default[key], inner)
            if wrong:
                return f"is wrong: {key!r} {wrong}"
        return None
    return _wrong_type(default, value) or _out_of_range(name, value)


def _wrong_type(default: Any, value: Any) -> str | None:
    kinds: Any = {float: (int, float), list: (list, tuple)}.get(type(default), type(default))
    # True is an int for Python, and a slip for us.
    if isinstance(value, kinds) and isinstance(value, bool) == isinstance(default, bool):
        return None
    return f"must be {TYPE_WORDS[type(default)]}, not {value!r}"


def _out_of_range(name: str, value: Any) -> str | None:
    if name in CHOICES and value not in CHOICES[name]:
        return f"must be one of {', '.join(CHOICES[name])}, not {value!r}"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if value < 0 or (value == 0 and name not in MAY_BE_ZERO):
        return f"must be {'0 or more' if name in MAY_BE_ZERO else 'more than 0'}, not {value!r}"
    if name in FRACTIONS and value > 1:
        return f"must be between 0 and 1, not {value!r}"
    return None


def _default_line(name: str) -> str:
    return f'EVENNIA_AI["{name}"] = {conf.DEFAULTS[name]!r}'


def _check_paths(given: dict[Any, Any]) -> Iterator[Problem]:
    for name in DOORS:
        if isinstance(given.get(name), str):
            yield from _check_path(name, given[name], line=_default_line(name))
    for name in PATH_LISTS:
        line = f'EVENNIA_AI["{name}"] = [...]'
        yield from _check_listed(name, given.get(name, ()), line=line)
    types = given.get("SPEECH_TYPES", {})
    paths = list(types.values()) if isinstance(types, dict) else ()
    yield from _check_listed("SPEECH_TYPES", paths, line=_default_line("SPEECH_TYPES"))
    phases = given.get("SLEEP_STEPS", {})
    for phase, paths in phases.items() if isinstance(phases, dict) else ():
        line = f'EVENNIA_AI["SLEEP_STEPS"] = {{"{phase}": [...]}}'
        yield from _check_listed("SLEEP_STEPS", paths, line=line)


def _check_listed(name: str, paths: Any, *, line: str) -> Iterator[Problem]:
    # What is no list is told by another check.
    for path in paths if isinstance(paths, (list, tuple)) else ():
        if path is not ...:
            yield from _check_path(name, path, line=line)


def _check_path(name: str, path: Any, *, line: str) -> Iterator[Problem]:
    if not isinstance(path, str):
        yield _error("E007", f'EVENNIA_AI["{name}"] holds {path!r}, which is not text.', line)
        return
    try:
        if name == "TOOL_MODULES":
            import_module(path)
        else:
            import_string(path)
    except ImportError as error:
        yield _error("E007", f'EVENNIA_AI["{name}"] names {path!r}: {_plain(error)}.', line)


def _plain(error: Exception) -> str:
    """Return the message of an error as the tail of a sentence."""
    return " ".join(str(error).split()).rstrip(".")


def _check_models(given: dict[Any, Any]) -> Iterator[Problem]:
    models = given.get("LLM", conf.DEFAULTS["LLM"])
    if not isinstance(models, dict):
        return
    if "default" not in models:
        yield _error("E008", 'EVENNIA_AI["LLM"] has no "default".', OFFLINE_LINE)
    known = ("default", "cheaper", *base.JOBS)
    yield from _unknown_keys('EVENNIA_AI["LLM"]', models, known)
    for alias, described in models.items():
        yield from _check_model(alias, described)


def _check_model(alias: str, described: Any) -> Iterator[Problem]:
    where = f'EVENNIA_AI["LLM"]["{alias}"]'
    line = f'EVENNIA_AI["LLM"]["{alias}"] = {{"BACKEND": "…", "OPTIONS": {{…}}}}'
    path = described.get("BACKEND") if isinstance(described, dict) else None
    options = described.get("OPTIONS", {}) if isinstance(described, dict) else None
    if not isinstance(path, str) or not isinstance(options, dict):
        yield _error("E009", f"{where} must be a dict with BACKEND and, if need be, OPTIONS.", line)
        return
    for key in sorted(described.keys() - {"BACKEND", "OPTIONS"}):
        yield _error("E009", f"{where} has no key {key!r}; what a backend takes is OPTIONS.", line)
    if path.startswith(CLIENT_MODULE):
        yield from _check_client(where)
    try:
        inspect.signature(import_string(path)).bind(**options)
    except ImportError as error:
        yield _error("E007", f"{where} names {path!r}: {_plain(error)}.", line)
    except TypeError as error:
        yield _error("E010", f"{where} has OPTIONS that do not fit {path}: {_plain(error)}.", line)
    variable = options.get("api_key_env")
    if variable and variable not in os.environ:
        yield _warning(
            "W011",
            f"{where} takes its key from {variable}, which is not set in the environment.",
            f"export {variable}=…",
        )


def _check_client(where: str) -> Iterator[Problem]:
    missing = [package for name, package in CLIENT_PACKAGES.items() if find_spec(name) is None]
    if missing:
        yield _error(
            "E012",
            f"{where} needs {' and '.join(missing)}, which "
            f"{'is' if len(missing) == 1 else 'are'} not installed.",
            f"pip install {' '.join(missing)}",
        )


def _check_memories(given: dict[Any, Any]) -> Iterator[Problem]:
    # The default is not looked at: what is missing for it is said when the server starts.
    memories = given.get("SEMANTIC")
    if isinstance(memories, dict):
        for alias, described in memories.items():
            if described is not None:
                yield from _check_memory(f'EVENNIA_AI["SEMANTIC"]["{alias}"]', described)


def _check_memory(where: str, described: Any) -> Iterator[Problem]:
    path = described.get("BACKEND") if isinstance(described, dict) else None
    options = described.get("OPTIONS", {}) if isinstance(described, dict) else None
    if not isinstance(path, str) or not isinstance(options, dict):
        yield _error(
            "E013",
            f"{where} must be None or a dict with BACKEND and, if need be, OPTIONS.",
            _default_line("SEMANTIC"),
        )
        return
    try:
        backend = import_string(path)
        inspect.signature(backend).bind(**options)
    except ImportError as error:
        yield _error("E007", f"{where} names {path!r}: {_plain(error)}.", f"{where} = None")
        return
    except TypeError as error:
        yield _error(
            "E010", f"{where} has OPTIONS that do not fit {path}: {_plain(error)}.", f"{where} = …"
        )
    for package, line in getattr(backend, "needs", {}).items():
        if find_spec(package) is None:
            yield _error("E016", f"{where} needs {package}, which is not installed.", line)
    if getattr(backend, "needs_numpy", False) and find_spec("numpy") is None:
        yield _warning(
            "W014",
            "Semantic memory is off: numpy is not installed, so nothing is kept beyond the journal.",
            MEMORY_LINE,
        )
    elif path == MEM0_BACKEND and find_spec("mem0") is None:
        yield _warning(
            "W015",
            f"{where} names mem0, which is not installed; the same store is used without it.",
            MEMORY_LINE,
        )
