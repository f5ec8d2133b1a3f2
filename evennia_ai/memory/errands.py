"""What an NPC does for others: whose errands it runs, what it carries, and where it would look for whom."""

from __future__ import annotations

from functools import lru_cache

from evennia.typeclasses.models import TypedObject

from evennia_ai.domain import errands
from evennia_ai.domain.errands import Errands
from evennia_ai.memory import kinds, repository, routine


def errands_of(npc: TypedObject) -> Errands:
    """Return what an NPC does for others, nothing if its builder wrote nothing that can be read."""
    written = (repository.load(npc, kinds.PERSONA) or {}).get("errands")
    return _read(tuple(map(str, written))) if isinstance(written, list) else errands.NONE


def problem_of_line(line: str) -> str:
    """Return what is wrong with a line of errands, "" if nothing is."""
    try:
        key, value = errands.read_line(line)
    except ValueError as error:
        return str(error)
    return routine.lock_problem(value) if key == "if" else ""


def problem(lines: list[str]) -> str:
    """Return what is wrong with lines that are right each by itself, "" if nothing is."""
    try:
        errands.read(lines)
    except ValueError as error:
        return str(error)
    return ""


def is_time(npc: TypedObject) -> bool:
    """Return whether it does errands in the part of its day that is now."""
    found = errands_of(npc)
    if not found.not_during:
        return True
    now = routine.present(npc)
    return found.is_during(now.slot if now is not None else None)


@lru_cache(maxsize=2000)
def _read(lines: tuple[str, ...]) -> Errands:
    try:
        return errands.read(lines)
    except ValueError:
        return errands.NONE
