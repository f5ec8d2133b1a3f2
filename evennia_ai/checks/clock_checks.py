"""Check of the clock of a game's own: whether it can be asked, and tells a date."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

from django.utils.module_loading import import_string

from evennia_ai.checks.problem import NO_PATH, Problem, default_line, error, warning


def check_clock(given: dict[Any, Any]) -> Iterator[Problem]:
    """Yield what GAME_CLOCK lacks; where it leads nowhere is told by another check."""
    path = given.get("GAME_CLOCK")
    try:
        clock = import_string(path) if isinstance(path, str) else None
    except NO_PATH:
        return
    if not callable(clock):
        return
    where = f'EVENNIA_AI["GAME_CLOCK"] names {path!r}, which'
    if not _takes_nothing(clock):
        yield error(
            "E035",
            f"{where} cannot be called without arguments: it returns the day, the seconds into it, "
            "and the length of a day.",
            default_line("GAME_CLOCK"),
        )
    elif not hasattr(clock, "date"):
        yield warning(
            "W036",
            f"{where} has no `date`: prompts tell none, and nothing that is promised for a Friday is due.",
            f"{path.rpartition('.')[2]}.date = None  # beside that function; or one that returns a date or words",
        )


def _takes_nothing(clock: Any) -> bool:
    try:
        inspect.signature(clock).bind()
    except TypeError:
        return False
    except ValueError:
        # What is written in C does not say.
        return True
    return True
