"""Says what is wrong with the settings: one sentence each, and the line to paste.

`evennia check` shows it at start, and `problems` gives the same to the admin's command.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

from django.apps import apps
from django.conf import settings
from django.core import checks
from django.utils.module_loading import import_string

from evennia_ai import conf
from evennia_ai.checks.clock_checks import check_clock
from evennia_ai.checks.installed import (
    check_commands,
    check_overwriting,
    check_prototypes,
    check_tables,
)
from evennia_ai.checks.language_checks import check_language
from evennia_ai.checks.model_checks import check_memories, check_models
from evennia_ai.checks.problem import (
    NO_PATH,
    Problem,
    default_line,
    error,
    nearest_of_ours,
    plain,
    unknown_keys,
)
from evennia_ai.checks.second_settings import check_twice
from evennia_ai.checks.word_checks import check_words
from evennia_ai.checks.worker_checks import check_jobs
from evennia_ai.domain.memories import gossip
from evennia_ai.domain.sleeping import schedule

HOOKS = (
    "PARSE_SPEECH",
    "SPEAK",
    "MAY_SAY",
    "IDENTIFY",
    "CAN_ACT",
    "GAME_CLOCK",
    "FIND_WAY",
    "TYPECLASS",
)
# Dicts whose values are paths.
PATH_DICTS = ("SPEECH_TYPES", "FACTS")
PATH_LISTS = (
    "LLM_WRAPPERS",
    "CONTEXT_SECTIONS",
    "TOOL_MODULES",
    "REWARDS",
    "EXPERIENCE_METRICS",
    "KINDS",
)
CHOICES = {
    "ROOM_TALK": ("public", "heard"),
    "TELL_RANGE": ("room", "anywhere"),
    "GOSSIP": gossip.LEVELS,
}
# Where 0 says "none" or "at once"; every other number must be more than that.
MAY_BE_ZERO = ("BUDGET", "LEDGER_DAYS", "OCCASIONS", "RATE", "SLEEP_SCHEDULE", "SLEEP_TOKENS")
# Dicts that a game fills with keys of its own, as it does those that have none by default.
OPEN_DICTS = ("LLM", "SEMANTIC")
# Where a player's own character or account must not become an assistant.
PLAYER_TYPECLASSES = ("BASE_ACCOUNT_TYPECLASS", "BASE_CHARACTER_TYPECLASS", "BASE_GUEST_TYPECLASS")

# Above this, and where something is no number at all, nothing can be counted or waited for.
LARGEST = 1e15

TYPE_WORDS = {
    bool: "True or False",
    int: "a whole number",
    float: "a number",
    str: "text in quotes",
    list: "a list",
    dict: "a dict",
}


def problems() -> list[Problem]:
    """Return all that is wrong with the settings of this game, errors first."""
    found = [*_check_server(), *check_twice()]
    given = conf.given()
    if isinstance(given, dict):
        for check in _CHECKS:
            found.extend(check(given))
    else:
        found.append(
            error("E001", "EVENNIA_AI must be a dict.", 'EVENNIA_AI = {"TURN_DEADLINE": 30.0}')
        )
    return sorted(found, key=lambda problem: -problem.level)


@checks.register("evennia_ai")
def check_settings(app_configs: Any, **kwargs: Any) -> list[checks.CheckMessage]:
    """Return the problems in the form that `evennia check` prints."""
    return [
        checks.CheckMessage(problem.level, problem.sentence, hint=problem.line, id=problem.id)
        for problem in [
            *problems(),
            *check_tables(),
            *check_overwriting(),
            *check_commands(),
            *check_prototypes(),
        ]
    ]


def _check_server() -> Iterator[Problem]:
    if not apps.is_installed("evennia_ai"):
        yield error(
            "E002",
            "INSTALLED_APPS lacks evennia_ai.",
            'INSTALLED_APPS = INSTALLED_APPS + ["evennia_ai"]',
        )
    hooks = settings.AT_SERVER_STARTSTOP_MODULE
    hooks = [hooks] if isinstance(hooks, str) else list(hooks or ())
    if "evennia_ai.hooks" not in hooks:
        line = ", ".join(f'"{module}"' for module in [*hooks, "evennia_ai.hooks"])
        yield error(
            "E003",
            "AT_SERVER_STARTSTOP_MODULE lacks evennia_ai.hooks, so minds would neither wake with "
            "the server nor stop with it.",
            f"AT_SERVER_STARTSTOP_MODULE = [{line}]",
        )
    for name in PLAYER_TYPECLASSES:
        if str(getattr(settings, name, "")).startswith("evennia_ai."):
            yield error(
                "E004",
                f"{name} is a typeclass of an assistant, so every player would be one.",
                f'{name} = "typeclasses.characters.Character"  # or the one of your game',
            )


def _check_keys(given: dict[Any, Any]) -> Iterator[Problem]:
    yield from unknown_keys("EVENNIA_AI", given, conf.DEFAULTS)
    for name, default in conf.DEFAULTS.items():
        value = given.get(name)
        if (
            default
            and isinstance(default, dict)
            and isinstance(value, dict)
            and name not in OPEN_DICTS
        ):
            yield from unknown_keys(f'EVENNIA_AI["{name}"]', value, default)


def _check_values(given: dict[Any, Any]) -> Iterator[Problem]:
    for name, default in conf.DEFAULTS.items():
        if name not in given:
            continue
        value = given[name]
        wrong = _wrong_value(name, default, value)
        if wrong:
            yield error("E006", f'EVENNIA_AI["{name}"] {wrong}.', default_line(name))
        elif isinstance(default, dict) and name not in OPEN_DICTS:
            for key in [key for key in default if key in value]:
                wrong = _wrong_entry(name, default[key], value[key])
                if wrong:
                    yield error(
                        "E006", f'EVENNIA_AI["{name}"]["{key}"] {wrong}.', default_line(name)
                    )


def _wrong_value(name: str, default: Any, value: Any) -> str | None:
    """Return what is wrong with a setting as a whole, or None."""
    wrong = _wrong_type(default, value) or _out_of_range(name, value)
    if wrong:
        return wrong
    if name in _WRONG:
        return _WRONG[name](value)
    if isinstance(default, list) and name not in PATH_LISTS:
        strange = [one for one in value if one is not ... and not isinstance(one, str)]
        return f"holds {strange[0]!r}, which is not text" if strange else None
    return None


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


_WRONG = {
    "PRICES": _wrong_price,
    "SLEEP_SCHEDULE": _wrong_schedule,
}


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
    if not conf.is_like(default, value):
        return f"must be {TYPE_WORDS[type(default)]}, not {value!r}"
    return None


def _out_of_range(name: str, value: Any) -> str | None:
    if name in CHOICES and value not in CHOICES[name]:
        return f"must be one of {', '.join(CHOICES[name])}, not {value!r}"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if not -LARGEST <= value <= LARGEST:
        return f"must be a number that one can count to, not {str(value)[:20]}"
    if value < 0 or (value == 0 and name not in MAY_BE_ZERO):
        return f"must be {'0 or more' if name in MAY_BE_ZERO else 'more than 0'}, not {value!r}"
    return None


def _check_paths(given: dict[Any, Any]) -> Iterator[Problem]:
    for name in HOOKS:
        if isinstance(given.get(name), str) and given[name] != conf.DEFAULTS[name]:
            yield from _check_path(name, given[name], line=default_line(name))
    for name in PATH_LISTS:
        line = f'EVENNIA_AI["{name}"] = [...]'
        yield from _check_listed(name, given.get(name, ()), line=line)
    for name in PATH_DICTS:
        paths = given.get(name, {})
        listed = list(paths.values()) if isinstance(paths, dict) else ()
        yield from _check_listed(name, listed, line=default_line(name))
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
        yield error("E007", f'EVENNIA_AI["{name}"] holds {path!r}, which is not text.', line)
        return
    try:
        if name == "TOOL_MODULES":
            import_module(path)
        elif not callable(import_string(path)) and name != "KINDS":
            yield error("E007", f'EVENNIA_AI["{name}"] names {path!r}, which is no function.', line)
    except NO_PATH as problem:
        close = nearest_of_ours(path)
        meant = f"; did you mean {close!r}?" if close else "."
        yield error("E007", f'EVENNIA_AI["{name}"] names {path!r}: {plain(problem)}{meant}', line)


_CHECKS = (
    _check_keys,
    _check_values,
    _check_paths,
    check_words,
    check_models,
    check_memories,
    check_jobs,
    check_language,
    check_clock,
)
