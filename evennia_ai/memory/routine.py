"""The routine and triggers that a builder wrote, and the facts that they depend on.

The lines stand in its persona (`domain.days` and `domain.trigger_rules` read them). A condition is the name of a fact of the game
(FACTS), or a lock string that is asked of the NPC itself.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import TypeVar

from django.db.models import Q
from evennia.locks.lockhandler import get_all_lockfuncs, validate_lockstring
from evennia.objects.models import ObjectDB
from evennia.objects.objects import DefaultRoom
from evennia.typeclasses.models import TypedObject
from evennia.utils import gametime
from twisted.internet.defer import maybeDeferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from evennia_ai import conf, scheduling
from evennia_ai.core import volatile
from evennia_ai.core.states import Able
from evennia_ai.domain import days, trigger_rules
from evennia_ai.domain.days import Begun, Slot
from evennia_ai.domain.trigger_rules import Trigger
from evennia_ai.memory import identity, kinds, lookup, repository

# Seconds of the game's clock by which a part of an NPC's day may begin later than its routine says, always
# as much for the same NPC: else all set off at once.
JITTER = 600
# Seconds for which it is known which rooms have a name, and rooms that one name may have.
ROOMS_SECONDS, ROOMS = 60.0, 20
# Seconds after which others are looked for that may have it by now.
SEARCH_SECONDS = 600.0
NEVER: tuple[float, float, frozenset[int]] = (float("-inf"), float("-inf"), frozenset())
# Seconds for which it is known whether an NPC passes a lock of its own day, and how many of those are kept.
LOCK_SECONDS, LOCKS = 60.0, 5000
# The Tag of rooms that nobody enters who walks by itself, unless it is at home there.
AVOIDED = "avoid"
# What makes a Tag of Evennia a plain one.
PLAIN = {"db_tags__db_tagtype__isnull": True}
DAY_SECONDS = 86_400.0
# What a clock shows that never worked.
MIDNIGHT = (0, 0.0, DAY_SECONDS)
# Characters of a game's own words for the day.
DAY_LENGTH = 60

T = TypeVar("T")
Reading = tuple[int, float, float]

_logger = Logger()

_FUNCTION = re.compile(r"\b(\w+)\(")


@dataclass
class _State:
    # (name, zone) → (when it was searched, when looked at, ids of the rooms that are called so)
    rooms: dict[tuple[str, str], tuple[float, float, frozenset[int]]] = field(default_factory=dict)
    # (npc id, lock string) → (since when, whether it passes)
    passes: dict[tuple[int, str], tuple[float, bool]] = field(default_factory=dict)
    # What of the game's code failed: staff are told once of each.
    failed: set[str] = field(default_factory=set)
    # What the clock of the game showed last.
    shown: list[Reading] = field(default_factory=list)


_state = volatile.keep(_State)


def slots_of(npc: TypedObject) -> tuple[Slot, ...]:
    """Return the day of an NPC, () if it has none; a line that cannot be read counts for nothing."""
    written = repository.load(npc, kinds.PERSONA) or {}
    return _in_zone(_lines(written.get("routine")), str(written.get("zone") or ""))


def triggers_of(npc: TypedObject) -> tuple[Trigger, ...]:
    """Return what an NPC does at which events, () if nothing."""
    return _triggers(_written(npc, "triggers"))[0]


def unread(npc: TypedObject) -> tuple[str, ...]:
    """Return what is wrong with each line of its day and its triggers that cannot be read.

    What is written is looked at before; a file of a whole mind may bring anything.
    """
    return _day(_written(npc, "routine"))[1] + _triggers(_written(npc, "triggers"))[1]


def zone_of(npc: TypedObject) -> str:
    """Return the Tag of the rooms in which it walks, "" for all."""
    return str((repository.load(npc, kinds.PERSONA) or {}).get("zone") or "")


def present(npc: TypedObject) -> Begun | None:
    """Return what an NPC does now, None if its builder wrote nothing that is so."""
    slots = slots_of(npc)
    reading = _reading() if slots else None
    if reading is None:
        return None
    day, seconds, length = reading
    begins = days.starts(slots, whose=npc.id, length=length, jitter=JITTER)
    return days.present(
        slots, begins, day=day, seconds=seconds, holds=lambda slot: _is_so_lately(npc, slot)
    )


def now() -> Reading:
    """Return what the clock of the game shows: the day, seconds into it, and the length of a day.

    A clock that fails stands still.
    """
    return _reading() or (_state.shown[0] if _state.shown else MIDNIGHT)


def date() -> str | datetime.date:
    """Return the date by the clock of the game, or its own words for the day; "" if it has none."""
    told = getattr(conf.hook("GAME_CLOCK"), "date", None)
    nothing: str | datetime.date = ""
    found = ask_game("GAME_CLOCK", told, nothing) if told else nothing
    if isinstance(found, datetime.date):
        return found
    return " ".join(str(found or "").split())[:DAY_LENGTH]


def weekday() -> int | None:
    """Return the day of the week by the clock of the game, 0 for Monday; None if that has no calendar of ours."""
    today = date()
    return today.weekday() if isinstance(today, datetime.date) else None


def speed() -> float:
    """Return how many seconds of a day of 24 hours pass by the clock of the game in one of ours."""
    return ask_game("GAME_CLOCK", _speed, float(gametime.TIMEFACTOR))


def _speed() -> float:
    _, _, length = now()
    takes = getattr(conf.hook("GAME_CLOCK"), "day_takes", None) or length / gametime.TIMEFACTOR
    if not 0 < float(takes) < math.inf:
        raise ValueError(f"a day of GAME_CLOCK takes {takes} seconds")
    return DAY_SECONDS / float(takes)


def why_still() -> str:
    """Return why the clock of the game cannot be read, "" if it can."""
    found: list[str] = []
    maybeDeferred(_look_at_clock).addErrback(
        lambda failure: found.append(failure.getErrorMessage())
    )
    return "".join(found)


def is_so(npc: TypedObject, slot: Slot) -> bool:
    """Return whether what a part of the day depends on is so."""
    return _is_so(slot, lambda condition: holds(npc, condition))


def holds(npc: TypedObject, condition: str) -> bool:
    """Return whether a fact of the game is so, or an NPC passes a lock string."""
    fact = conf.get("FACTS").get(condition)
    if fact:
        return ask_game(f"the fact {condition!r}", lambda: bool(conf.load(fact)(npc)), False)
    return passes(npc, npc, condition)


def ask_game(name: str, ask: Callable[[], T], otherwise: T) -> T:
    """Return what code of the game answers at once, `otherwise` where it fails.

    An NPC goes on without it. Staff are told once of each `name`.
    """
    found: list[T] = []
    maybeDeferred(ask).addCallbacks(found.append, partial(_tell_once, name))
    return found[0] if found else otherwise


def can_act(npc: TypedObject) -> bool:
    """Return whether the game lets an NPC speak and act now; it does not where its CAN_ACT fails."""
    return ask_game("CAN_ACT", lambda: bool(conf.hook("CAN_ACT")(npc)), False)


def can_cry(npc: TypedObject) -> bool:
    """Return whether the game lets an NPC say a line of its builder's now, as it does in a fight."""
    able: object = ask_game("CAN_ACT", lambda: conf.hook("CAN_ACT")(npc), False)
    return able is Able.ONLY_SPEAK or bool(able)


def problem(line: str, *, zone: str = "") -> str:
    """Return what is wrong with a line of a day in this game, for an NPC of a zone; "" if nothing is."""
    try:
        slot = days.read_line(line)
    except ValueError as error:
        return str(error)
    if slot.at >= now()[2]:
        return f"a day of this game has no {slot.hour}."
    if slot.place and not room_ids(slot.place, zone):
        inside = f" in the zone {zone!r}" if zone else ""
        return f"there is no room called or tagged {slot.place!r}{inside}."
    unknown = [one for one in (slot.only_if, slot.unless) if one and not _is_condition(one)]
    return "".join(f"{one!r} is neither one of FACTS nor a lock string." for one in unknown[:1])


def why_not(read: Callable[[T], object], written: T) -> str:
    """Return what is wrong with what is written, as its reader says in a ValueError, "" if nothing is."""
    try:
        read(written)
    except ValueError as error:
        return str(error)
    return ""


def trigger_problem(line: str) -> str:
    """Return what is wrong with what an NPC is to do at an event, "" if nothing is."""
    try:
        trigger = trigger_rules.read_line(line)
    except ValueError as error:
        return str(error)
    if trigger.at >= now()[2]:
        return "a day of this game has no such time."
    return lock_problem(trigger.only_if) if trigger.only_if else ""


def lock_problem(condition: str) -> str:
    """Return what is wrong with a lock string, "" if nothing is."""
    return "" if _is_lock(condition) else f"{condition!r} is no lock string such as perm(Builder)."


def passes(npc: TypedObject, somebody: TypedObject, lock: str) -> bool:
    """Return whether somebody passes a lock string of an NPC; nobody passes as a superuser."""
    asked = partial(npc.locks.check_lockstring, somebody, f"_dummy:{lock}")
    return ask_game(f"the lock {lock!r}", lambda: bool(asked(no_superuser_bypass=True)), False)


def who_pass(npc: TypedObject, people: Iterable[TypedObject], lock: str) -> set[str]:
    """Return whom an NPC takes those of some people for who pass a lock string.

    Several may look like one, and what one of them is told all of them hear: then all must pass.
    """
    passed: dict[bool, set[str]] = {True: set(), False: set()}
    for one in people:
        passed[passes(npc, one, lock)].add(identity.perceived(npc, one))
    return passed[True] - passed[False]


def room_ids(place: str, zone: str = "") -> frozenset[int]:
    """Return the id of the room that is called so, or of those tagged so; "#12" is a room by its number.

    Of a zone only those that are in it, and none that is to be avoided. Of one name the oldest is meant:
    whoever digs another calls nobody there.
    """
    moment = scheduling.clock().seconds()
    searched, looked, known = _state.rooms.get((place, zone), NEVER)
    if moment - looked < ROOMS_SECONDS:
        return known
    # To search is dear: what was found needs only a look whether it is still so.
    is_old = moment - searched >= SEARCH_SECONDS
    if is_old or not known or not all(_is_still(one, place, zone.lower()) for one in known):
        searched, known = moment, frozenset(_search(place, zone.lower()))
    _state.rooms[place, zone] = (searched, moment, known)
    return known


def _reading() -> Reading | None:
    """Return what the clock of the game shows, None if it fails."""
    reading = ask_game("GAME_CLOCK", _look_at_clock, None)
    if reading is not None:
        _state.shown[:] = [reading]
    return reading


def _look_at_clock() -> Reading | None:
    day, seconds, length = conf.hook("GAME_CLOCK")()
    if not 0 < float(length) < math.inf:
        raise ValueError(f"GAME_CLOCK says that a day has {length} seconds")
    if not 0 <= float(seconds) < math.inf:
        raise ValueError(f"GAME_CLOCK says that {seconds} seconds of the day are over")
    return int(day), float(seconds), float(length)


def _tell_once(name: str, failure: Failure) -> None:
    if name not in _state.failed:
        _state.failed.add(name)
        text = "evennia_ai: {name} failed; NPCs go on without it"
        _logger.failure(text, failure=failure, name=name)


def _is_so(slot: Slot, holds: Callable[[str], bool]) -> bool:
    if slot.only_if and not holds(slot.only_if):
        return False
    return not (slot.unless and holds(slot.unless))


def _is_so_lately(npc: TypedObject, slot: Slot) -> bool:
    """Return whether a part of the day is so; a lock is asked again only after a while.

    Evennia asks the database each time for a Tag that is not there, and an NPC looks at its day at each tick.
    """
    return _is_so(slot, lambda condition: _held_lately(npc, condition))


def _held_lately(npc: TypedObject, condition: str) -> bool:
    if condition in conf.get("FACTS"):
        return holds(npc, condition)
    key, moment = (npc.id, condition), scheduling.clock().seconds()
    since, known = _state.passes.get(key, (float("-inf"), False))
    if moment - since < LOCK_SECONDS:
        return known
    if len(_state.passes) >= LOCKS:
        _state.passes.clear()
    _state.passes[key] = (moment, holds(npc, condition))
    return _state.passes[key][1]


def _is_condition(condition: str) -> bool:
    return condition in conf.get("FACTS") or _is_lock(condition)


def _is_lock(condition: str) -> bool:
    is_lock, _ = validate_lockstring(f"_dummy:{condition}")
    used = set(_FUNCTION.findall(condition))
    return bool(is_lock and used) and used <= get_all_lockfuncs().keys()


def _is_still(room_id: int, place: str, zone: str) -> bool:
    """Return whether a room that was found is still called so, and in the zone."""
    room = lookup.object_by_id(room_id)
    if room is None:
        return False
    tags = {key for key, _ in room.tags.all(return_key_and_category=True)}
    names = {room.key.lower(), *map(str.lower, room.aliases.all()), *tags, f"#{room_id}"}
    return place.lower() in names and AVOIDED not in tags and (not zone or zone in tags)


def _search(place: str, zone: str) -> list[int]:
    # Rooms of `contrib.rpg.rpsystem` are no DefaultRooms: so what exits lead to is one, too.
    exits = ObjectDB.objects.filter(db_destination__isnull=False)
    is_led_to = Q(db_location__isnull=True, id__in=exits.values("db_destination"))
    family = DefaultRoom.objects.all_family().values("id")
    everywhere = ObjectDB.objects.filter(is_led_to | Q(id__in=family))
    tagged = partial(ObjectDB.objects.filter, **PLAIN)
    rooms = everywhere.exclude(id__in=tagged(db_tags__db_key=AVOIDED).values("id"))
    if zone:
        rooms = rooms.filter(id__in=tagged(db_tags__db_key=zone).values("id"))
    if place.startswith("#") and place[1:].isdecimal():
        return list(rooms.filter(id=int(place[1:])).values_list("id", flat=True))
    is_alias = Q(db_tags__db_key__iexact=place, db_tags__db_tagtype="alias")
    is_tag = Q(db_tags__db_key__iexact=place, db_tags__db_tagtype__isnull=True)
    for wanted, limit in ((Q(db_key__iexact=place) | is_alias, 1), (is_tag, ROOMS)):
        called = rooms.filter(wanted).order_by("id").distinct()
        if found := list(called.values_list("id", flat=True)[:limit]):
            return found
    return []


def _written(npc: TypedObject, field: str) -> tuple[str, ...]:
    return _lines((repository.load(npc, kinds.PERSONA) or {}).get(field))


def _lines(written: object) -> tuple[str, ...]:
    return tuple(map(str, written)) if isinstance(written, list) else ()


@lru_cache(maxsize=2000)
def _triggers(lines: tuple[str, ...]) -> tuple[tuple[Trigger, ...], tuple[str, ...]]:
    return trigger_rules.readable(lines)


@lru_cache(maxsize=2000)
def _in_zone(lines: tuple[str, ...], zone: str) -> tuple[Slot, ...]:
    return tuple(slot._replace(zone=zone) for slot in _day(lines)[0])


@lru_cache(maxsize=2000)
def _day(lines: tuple[str, ...]) -> tuple[tuple[Slot, ...], tuple[str, ...]]:
    return days.readable(lines)
