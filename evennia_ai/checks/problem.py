"""One thing that is wrong with the settings or the server, and how it is told."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from django.core import checks

from evennia_ai import conf

# What Python raises for a dotted path that leads nowhere, or is none (".clock").
NO_PATH = (ImportError, TypeError, ValueError)


class Problem(NamedTuple):
    """One thing that is wrong: `level` is of django.core.checks, `line` mends it.

    A line is to be pasted at the end of the settings, or into a shell where it is a command.
    """

    level: int
    id: str
    sentence: str
    line: str


def error(number: str, sentence: str, line: str) -> Problem:
    """Return what keeps something from working."""
    return Problem(checks.ERROR, f"evennia_ai.{number}", sentence, line)


def warning(number: str, sentence: str, line: str) -> Problem:
    """Return what is not as it should be."""
    return Problem(checks.WARNING, f"evennia_ai.{number}", sentence, line)


def info(number: str, sentence: str, line: str) -> Problem:
    """A problem that an owner may leave as it is."""
    return Problem(checks.INFO, f"evennia_ai.{number}", sentence, line)


def unknown_keys(where: str, given: Iterable[Any], known: Iterable[str]) -> Iterator[Problem]:
    """Yield a warning for each key that there is not."""
    names = {name.upper(): name for name in known}
    for key in given:
        if key in names.values():
            continue
        sentence = f"{where} has no key {key!r}"
        close = difflib.get_close_matches(str(key).upper(), names, n=1, cutoff=0.8)
        if close:
            name = names[close[0]]
            yield warning("W005", f"{sentence}; did you mean {name!r}?", f'{where}["{name}"] = …')
        else:
            listed = ", ".join(names.values()) if len(names) < 20 else "see docs/settings.md"
            yield warning("W005", f"{sentence}.", f"del {where}[{key!r}]  # {listed}")


def default_line(name: str) -> str:
    """Return the line that sets a setting to its default."""
    return f'EVENNIA_AI["{name}"] = {conf.DEFAULTS[name]!r}'


def plain(error: Exception) -> str:
    """Return the message of an error as the tail of a sentence."""
    return " ".join(str(error).split()).rstrip(".")


def nearest_of_ours(path: str) -> str:
    """Return the dotted path of our own that is almost the same, "" if none is."""
    ours = [one for one in _texts(conf.DEFAULTS) if one.startswith("evennia_ai.")]
    return "".join(difflib.get_close_matches(path, ours, n=1, cutoff=0.85))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts(part)
