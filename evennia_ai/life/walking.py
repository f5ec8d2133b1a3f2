"""Walking unprompted, one room a tick: to where the routine or an errand wants the NPC.

An exit that lets nobody through is tried again later, each time after twice as long.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from evennia_ai import movement, scheduling
from evennia_ai.agent.hearing import presence
from evennia_ai.core import volatile
from evennia_ai.sleep import falling_asleep

# Seconds that an exit may take before it counts as one that let nobody through.
SLOW_EXIT = 120.0
# Seconds after which a way is looked for again, the first time and at most.
FIRST_RETRY, LAST_RETRY = 15.0, 600.0
# Seconds for which a player's words hold it, however long a talk has lasted.
PLAYER_SECONDS = 60.0
# Where an NPC may be that takes a way which is no exit.
ANYWHERE = -1


class Went(enum.Enum):
    """What came of a step: a room further, on the way through a slow exit, later again, no way, gone."""

    ON = "on"
    SLOWLY = "slowly"
    LATER = "later"
    BLOCKED = "blocked"
    GONE = "gone"


@dataclass
class Walk:
    """How an NPC walks: from which room, where it is `ahead` of it and since when, when it tries again.

    Since `held_since` a talk has held it, 0 if none does.
    """

    room: int
    ahead: int | None = None
    set_off: float = 0.0
    retry_at: float = 0.0
    delay: float = FIRST_RETRY
    held_since: float = 0.0


_walks = volatile.of_assistants(Walk)


def walk_of(npc: Any) -> Walk | None:
    """Return how an NPC walked when it was looked at last."""
    return _walks.get(npc.id)


def here(npc: Any) -> Walk:
    """Return how an NPC walks; from where it is, whoever took it there."""
    walk = _walks.get(npc.id)
    if walk is None or walk.room != npc.location.id:
        held_since = walk.held_since if walk else 0.0
        walk = _walks[npc.id] = Walk(npc.location.id, held_since=held_since)
    return walk


def stand(npc: Any) -> None:
    """Let an NPC stand where it is."""
    _walks[npc.id] = Walk(npc.location.id)


def let_go(npc: Any) -> None:
    """Take an NPC as it is at the next look: it was played, led, or could not act."""
    _walks.pop(npc.id, None)


def is_held(script: Any, npc: Any) -> bool:
    """Return whether a talk keeps it: for ever only if it is a player's."""
    walk, clock = here(npc), scheduling.clock().seconds()
    if not falling_asleep.is_talking(script):
        walk.held_since = 0.0
        return False
    walk.held_since = walk.held_since or clock
    if clock - walk.held_since < LAST_RETRY:
        return True
    return falling_asleep.has_player_talked(script, seconds=PLAYER_SECONDS)


def towards(npc: Any, rooms: Iterable[Any]) -> Went:
    """Take the next step to one of some rooms."""
    walk, clock, wanted = here(npc), scheduling.clock().seconds(), list(rooms)
    if walk.set_off and clock - walk.set_off < SLOW_EXIT:
        return Went.SLOWLY
    if clock < walk.retry_at:
        return Went.LATER
    way = movement.way_to(npc, wanted) if wanted else None
    if way is None:
        _try_later(npc)
        return Went.BLOCKED
    before = npc.location
    # An exit may be gone once somebody went through it.
    ahead = getattr(way, "destination", None)
    is_open = movement.go_through(npc, way)
    if npc.location is None or not npc.pk:
        return Went.GONE
    if npc.location != before:
        # Who leaves is missed only by those who saw that they were there.
        presence.look_around(npc)
        _walks[npc.id] = Walk(npc.location.id, held_since=walk.held_since)
        return Went.ON
    if walk.set_off or not is_open:
        _try_later(npc)
        return Went.BLOCKED
    # Some exits take their time.
    walk.ahead = ahead.id if ahead is not None else ANYWHERE
    walk.set_off = scheduling.clock().seconds()
    return Went.SLOWLY


def _try_later(npc: Any) -> None:
    walk = here(npc)
    _walks[npc.id] = Walk(
        npc.location.id,
        # A slow exit may still let it through.
        ahead=walk.ahead,
        retry_at=scheduling.clock().seconds() + walk.delay,
        delay=min(walk.delay * 2, LAST_RETRY),
        held_since=walk.held_since,
    )
