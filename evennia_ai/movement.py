"""Movement and pathfinding of NPCs: through the same doors and past the same locks as anybody, by the shortest way.

An NPC that was led away from its post goes back to it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any

from evennia.server.signals import SIGNAL_EXIT_TRAVERSED

from evennia_ai import conf, scheduling
from evennia_ai.core import records, volatile
from evennia_ai.memory import lookup, routine
from evennia_ai.memory.state import assistant

# Seconds after which an assistant that was led away goes home, once nobody leads it.
HOME_SECONDS = 600
# Seconds since a player's last command for which they count as watching: else no model is called.
WATCHER_SECONDS = 600
# Rooms among which a way is looked for, and exits that are tried for it.
ROOMS, EXITS = 300, 400
# Seconds for which it is known that no way was found.
LOST_SECONDS = 30.0

# Where somebody goes: the ids of the rooms, and its zone.
Goal = tuple[frozenset[int], str]


# (where it goes, {id of a room: id of the exit there})
_ways = volatile.of_assistants(tuple[Goal, dict[int, int]])
# (where it goes, the room from which no way was found, when)
_lost = volatile.of_assistants(tuple[Goal, int, float])


def note_led(script: Any, npc: Any) -> None:
    """Note where an NPC stood as somebody began to lead it about, and that it goes now."""
    kept = assistant.post(script)
    assistant.keep_post(script, kept.room_id if kept else npc.location.id, now=scheduling.now())


def home_of(script: Any, npc: Any) -> Any:
    """Return where an NPC belongs: where it was led away from, else the home that its builder gave it."""
    kept = assistant.post(script)
    return (lookup.object_by_id(kept.room_id) if kept else None) or npc.home


def is_led(script: Any, npc: Any) -> bool:
    """Return whether somebody leads an NPC about, or did so a moment ago.

    A leader whom nobody plays any more leads nobody.
    """
    kept = assistant.post(script)
    if kept is None:
        return False
    leader = lookup.object_by_id(assistant.following(script))
    if leader is not None and leader.location == npc.location and _is_active(leader):
        return True
    return records.age_seconds(kept.since, now=scheduling.now()) < HOME_SECONDS


def go_home_if_due(script: Any, npc: Any) -> bool:
    """Let an NPC that was led away take a step home, if nobody has led it for a while; return whether."""
    if assistant.post(script) is None or is_led(script, npc):
        return False
    assistant.follow(script, None)
    return step_home(script, npc)


def step_home(script: Any, npc: Any) -> bool:
    """Take an NPC one room nearer to its home; return whether it moved."""
    home = home_of(script, npc)
    way = way_to(npc, [home]) if home is not None and npc.location != home else None
    if way is not None:
        go_through(npc, way)
    if way is None or npc.location == home:
        # It is there, or nothing leads there that it may pass: its builder has to fetch it.
        assistant.leave_post(script)
    return way is not None


def go_through(npc: Any, way: Any) -> bool:
    """Let an NPC take an exit, as the command of an exit does; or what FIND_WAY gave in its place.

    Return whether it may still let the NPC through: it neither failed nor is gone.
    """
    name = f"{way}(#{way.id})" if hasattr(way, "at_traverse") else "a step of FIND_WAY"
    # What fails lets nobody through, like a door that is shut.
    has_worked = routine.ask_game(name, lambda: _go_through(npc, way), False)
    return has_worked and getattr(way, "pk", npc.pk) is not None


def _go_through(npc: Any, way: Any) -> bool:
    if not hasattr(way, "at_traverse"):
        way(npc)
        return True
    way.at_traverse(npc, way.destination)
    # Games count steps, drain stamina or close doors on it.
    SIGNAL_EXIT_TRAVERSED.send(sender=way, traverser=npc)
    return True


def may_pass(npc: Any, way: Any) -> bool:
    """Return whether an NPC may go through an exit: its lock is asked of the body, whoever plays it.

    One that leads into the NPC itself, or into what it carries, leads nowhere.
    """
    place = way.destination
    while place is not None and place is not npc:
        place = place.location
    return place is None and bool(way.access(npc, "traverse", no_superuser_bypass=True))


def way_to(npc: Any, rooms: Iterable[Any]) -> Any:
    """Return what FIND_WAY finds: the next exit on the way to one of some rooms, None without one."""
    wanted = list(rooms)
    return routine.ask_game("FIND_WAY", lambda: conf.hook("FIND_WAY")(npc, wanted), None)


def find_way(npc: Any, rooms: list[Any]) -> Any:
    """Return the exit by which the shortest way to one of some rooms begins, None if there is none near.

    The way is remembered until something on it is not as it was, and for a while that there is none.
    """
    if npc.location is None:
        return None
    goal = wanted, zone = frozenset(room.id for room in rooms), routine.zone_of(npc).lower()
    known_goal, steps = _ways.get(npc.id, (None, {}))
    known = lookup.object_by_id(steps.get(npc.location.id)) if known_goal == goal else None
    if known is not None and known.location == npc.location and _leads_on(npc, known, wanted, zone):
        return known
    if _is_lost(npc, goal):
        return None
    steps = _shortest(npc, wanted, zone)
    _ways[npc.id] = (goal, steps)
    if not steps:
        _lost[npc.id] = (goal, npc.location.id, scheduling.clock().seconds())
    return lookup.object_by_id(steps.get(npc.location.id))


def is_open(npc: Any, room: Any) -> bool:
    """Return whether an NPC that walks by itself may cross a room."""
    return _is_open(room, routine.zone_of(npc).lower())


def _is_active(leader: Any) -> bool:
    """Return whether a player who did something lately plays somebody."""
    since = scheduling.clock().seconds() - WATCHER_SECONDS
    return any(session.cmd_last_visible >= since for session in leader.sessions.all())


def _is_lost(npc: Any, goal: Goal) -> bool:
    """Return whether no way was found from here a moment ago."""
    wanted, room_id, since = _lost.get(npc.id, (None, 0, 0.0))
    is_so = wanted == goal and room_id == npc.location.id
    return is_so and scheduling.clock().seconds() - since < LOST_SECONDS


def _shortest(npc: Any, wanted: frozenset[int], zone: str) -> dict[int, int]:
    """Return the shortest way as {id of a room: id of the exit that is taken there}, {} without one."""
    waiting = deque([npc.location])
    # Each room by which exit it was reached.
    seen: dict[int, Any] = {npc.location.id: None}
    tried = 0
    while waiting:
        # One room may have hundreds: what leads right there comes first.
        ways = waiting.popleft().exits
        for way in sorted(ways, key=lambda way: way.db_destination_id not in wanted):
            if way.db_destination_id is None or way.db_destination_id in seen:
                continue
            if len(seen) >= ROOMS or tried >= EXITS:
                return {}
            tried += 1
            if not _leads_on(npc, way, wanted, zone):
                continue
            room = way.destination
            seen[room.id] = way
            if room.id in wanted:
                return _steps(seen, room)
            waiting.append(room)
    return {}


def _leads_on(npc: Any, way: Any, wanted: frozenset[int], zone: str) -> bool:
    """Return whether an NPC may go through an exit, and cross what is behind it if it is not there then."""
    room = way.destination
    if room is None or not may_pass(npc, way):
        return False
    return room.id in wanted or _is_open(room, zone)


def _steps(seen: dict[int, Any], room: Any) -> dict[int, int]:
    steps: dict[int, int] = {}
    while (way := seen[room.id]) is not None:
        room = way.location
        steps[room.id] = way.id
    return steps


def _is_open(room: Any, zone: str) -> bool:
    """Return whether a room may be crossed: it is in the zone, and nobody said otherwise."""
    # Not `tags.has`: Evennia asks the database each time for a Tag that is not there.
    tags = {key for key, _ in room.tags.all(return_key_and_category=True)}
    return routine.AVOIDED not in tags and (not zone or zone in tags)
