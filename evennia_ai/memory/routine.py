"""What an NPC does at which hour and at which event, as its builder wrote it, and what that depends on.

The lines stand in its persona (`domain.days` and `domain.triggers` read them). A condition is the name of a fact of the game
(FACTS), or a lock string that is asked of the NPC itself.
"""

from __future__ import annotations

import re
from functools import lru_cache

from evennia.locks.lockhandler import get_all_lockfuncs, validate_lockstring
from evennia.objects.objects import DefaultRoom
from evennia.typeclasses.models import TypedObject

from evennia_ai import conf, scheduling
from evennia_ai.domain import days, triggers
from evennia_ai.domain.days import Begun, Slot
from evennia_ai.domain.triggers import Trigger
from evennia_ai.memory import kinds, repository

# Seconds for which it is known which rooms have a name, and rooms that one name may have.
ROOMS_SECONDS, ROOMS = 60.0, 20

_FUNCTION = re.compile(r"\b(\w+)\(")

# name → (since when, ids of the rooms that are called so)
_rooms: dict[str, tuple[float, frozenset[int]]] = {}


def slots_of(npc: TypedObject) -> tuple[Slot, ...]:
    """Return the day of an NPC, () if it has none or it cannot be read."""
    written = (repository.load(npc, kinds.PERSONA) or {}).get("routine")
    return _read(tuple(map(str, written))) if written and isinstance(written, list) else ()


def triggers_of(npc: TypedObject) -> tuple[Trigger, ...]:
    """Return what an NPC does at which events, () if nothing."""
    written = (repository.load(npc, kinds.PERSONA) or {}).get("triggers")
    return _triggers(tuple(map(str, written))) if written and isinstance(written, list) else ()


def zone_of(npc: TypedObject) -> str:
    """Return the Tag of the rooms in which it walks, "" for all."""
    return str((repository.load(npc, kinds.PERSONA) or {}).get("zone") or "")


def present(npc: TypedObject) -> Begun | None:
    """Return what an NPC does now, None if its builder wrote nothing that is so."""
    slots = slots_of(npc)
    if not slots:
        return None
    day, seconds, length = now()
    begins = days.starts(slots, whose=npc.id, length=length, jitter=conf.get("ROUTINE_JITTER"))
    return days.present(
        slots, begins, day=day, seconds=seconds, holds=lambda slot: is_so(npc, slot)
    )


def now() -> tuple[int, float, float]:
    """Return what the clock of the game shows: the day, seconds into it, and the length of a day."""
    day, seconds, length = conf.door("GAME_CLOCK")()
    return int(day), float(seconds), float(length)


def is_so(npc: TypedObject, slot: Slot) -> bool:
    """Return whether what a part of the day depends on is so."""
    if slot.only_if and not holds(npc, slot.only_if):
        return False
    return not (slot.unless and holds(npc, slot.unless))


def holds(npc: TypedObject, condition: str) -> bool:
    """Return whether a fact of the game is so, or an NPC passes a lock string."""
    fact = conf.get("FACTS").get(condition)
    if fact:
        return bool(conf.load(fact)(npc))
    return passes(npc, npc, condition)


def problem(line: str) -> str:
    """Return what is wrong with a line of a day in this game, "" if nothing is."""
    try:
        slot = days.read_line(line)
    except ValueError as error:
        return str(error)
    if slot.at >= now()[2]:
        return f"a day of this game has no {slot.hour}."
    if slot.place and not room_ids(slot.place):
        return f"there is no room called or tagged {slot.place!r}."
    unknown = [one for one in (slot.only_if, slot.unless) if one and not _is_condition(one)]
    return "".join(f"{one!r} is neither one of FACTS nor a lock string." for one in unknown[:1])


def problem_of_day(lines: list[str]) -> str:
    """Return what is wrong with lines that are right each by itself, "" if nothing is."""
    try:
        days.read(lines)
    except ValueError as error:
        return str(error)
    return ""


def trigger_problem(line: str) -> str:
    """Return what is wrong with what an NPC is to do at an event, "" if nothing is."""
    try:
        trigger = triggers.read_line(line)
    except ValueError as error:
        return str(error)
    return lock_problem(trigger.only_if) if trigger.only_if else ""


def lock_problem(condition: str) -> str:
    """Return what is wrong with a lock string, "" if nothing is."""
    return "" if _is_lock(condition) else f"{condition!r} is no lock string such as perm(Builder)."


def passes(npc: TypedObject, somebody: TypedObject, lock: str) -> bool:
    """Return whether somebody passes a lock string of an NPC; nobody passes as a superuser."""
    found = npc.locks.check_lockstring(somebody, f"_dummy:{lock}", no_superuser_bypass=True)
    return bool(found)


def room_ids(place: str) -> frozenset[int]:
    """Return the ids of the rooms that are called or tagged so; "#12" is a room by its number."""
    since, known = _rooms.get(place, (float("-inf"), frozenset()))
    if scheduling.clock().seconds() - since < ROOMS_SECONDS:
        return known
    known = frozenset(_search(place))
    _rooms[place] = (scheduling.clock().seconds(), known)
    return known


def forget() -> None:
    """Forget which rooms have which names."""
    _rooms.clear()


def _is_condition(condition: str) -> bool:
    return condition in conf.get("FACTS") or _is_lock(condition)


def _is_lock(condition: str) -> bool:
    is_lock, _ = validate_lockstring(f"_dummy:{condition}")
    used = set(_FUNCTION.findall(condition))
    return bool(is_lock and used) and used <= get_all_lockfuncs().keys()


def _search(place: str) -> list[int]:
    rooms = DefaultRoom.objects.all_family()
    if place.startswith("#") and place[1:].isdecimal():
        return list(rooms.filter(id=int(place[1:])).values_list("id", flat=True))
    for wanted in (
        {"db_key__iexact": place},
        {"db_tags__db_key__iexact": place, "db_tags__db_tagtype": "alias"},
        {"db_tags__db_key__iexact": place, "db_tags__db_tagtype__isnull": True},
    ):
        if found := list(rooms.filter(**wanted).values_list("id", flat=True)[:ROOMS]):
            return found
    return []


@lru_cache(maxsize=2000)
def _triggers(lines: tuple[str, ...]) -> tuple[Trigger, ...]:
    try:
        return tuple(map(triggers.read_line, lines))
    except ValueError:
        return ()


@lru_cache(maxsize=2000)
def _read(lines: tuple[str, ...]) -> tuple[Slot, ...]:
    try:
        return days.read(lines)
    except ValueError:
        # What is written is looked at before; a file of a whole mind may bring anything.
        return ()
