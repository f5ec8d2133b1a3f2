"""Faults in a language file that a game brings."""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Iterator, Mapping
from pathlib import Path

from evennia_ai.core import languages

# Tables whose keys the package knows.
KEYED = (
    "phrases",
    "thoughts",
    "wonders",
    "reports",
    "labels",
    "excuses",
    "patterns",
    "words",
    "utterances",
)


def faults(path: Path, code: str) -> Iterator[str]:
    """Yield what is wrong with a file of the game's own, one sentence each."""
    try:
        theirs = languages.read_file(path)
    except languages.LanguageError as error:
        yield str(error)
        return
    shipped = [languages.read_file(one) for one in sorted(languages.FOLDER.glob("*.yaml"))]
    for field in KEYED:
        known = {place for one in shipped for place in _places(getattr(one, field))}
        for place in _places(getattr(theirs, field)):
            if place not in known and (place.rpartition(".")[0] in known or "." not in place):
                yield f"{path}: {field} has {place!r}, which nothing reads."
    for place, expression in _expressions(theirs):
        try:
            re.compile(languages.whole(code, expression))
        except re.error as error:
            yield f"{path}: {place} is no expression: {error}."


def _expressions(theirs: languages.Language) -> Iterator[tuple[str, str]]:
    for table, listed in theirs.patterns.items():
        for key, lines in listed.items():
            yield f"patterns.{table}.{key}", "|".join(lines)
    for row in theirs.utterances:
        for sort, lines in row.items():
            yield f"utterances {sort!r}", "|".join(lines)
    for pair in theirs.states:
        yield from ((f"states {one!r}", one) for one in pair)


def _places(field: Mapping[str, object] | tuple[Mapping[str, object], ...]) -> list[str]:
    """Return the keys of a table, or of several, and those of tables in it: "questions", "questions.why"."""
    table = field if isinstance(field, Mapping) else ChainMap(*map(dict, field))
    inner = [
        f"{key}.{own}" for key, one in table.items() if isinstance(one, Mapping) for own in one
    ]
    return sorted([*table, *inner])
