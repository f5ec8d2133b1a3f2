"""Walking home: an NPC that was led away from its post goes back to it, through the same doors as anybody."""

from __future__ import annotations

from collections import deque
from typing import Any

from evennia_ai import conf, pace
from evennia_ai.core import records
from evennia_ai.memory import lookup
from evennia_ai.memory.state import assistant

# Rooms in which a way home is looked for.
ROOMS = 200


def note_led(script: Any, npc: Any) -> None:
    """Note where an NPC stood as somebody began to lead it about, and that it goes now."""
    kept = assistant.post(script)
    assistant.keep_post(script, kept.room_id if kept else npc.location.id, now=pace.now())


def home_of(script: Any, npc: Any) -> Any:
    """Return where an NPC belongs: where it was led away from, else the home that its builder gave it."""
    kept = assistant.post(script)
    return (lookup.object_by_id(kept.room_id) if kept else None) or npc.home


def go_home_if_due(script: Any, npc: Any) -> bool:
    """Let an NPC that was led away take a step home, if nobody has led it for a while; return whether."""
    kept = assistant.post(script)
    if kept is None:
        return False
    leader = lookup.object_by_id(assistant.following(script))
    if leader is not None and leader.location == npc.location:
        return False
    if records.age_seconds(kept.since, now=pace.now()) < conf.get("HOME_SECONDS"):
        return False
    assistant.follow(script, None)
    return step_home(script, npc)


def step_home(script: Any, npc: Any) -> bool:
    """Take an NPC one room nearer to its home; return whether it moved."""
    home = home_of(script, npc)
    way = _first_way(npc, home) if home is not None and npc.location != home else None
    if way is not None:
        way.at_traverse(npc, way.destination)
    if way is None or npc.location == home:
        # It is there, or nothing leads there that it may pass: its builder has to fetch it.
        assistant.leave_post(script)
    return way is not None


def _first_way(npc: Any, home: Any) -> Any:
    """Return the exit that begins the shortest way home, None if there is none near."""
    waiting, seen = deque([(npc.location, None)]), {npc.location}
    while waiting and len(seen) < ROOMS:
        room, first = waiting.popleft()
        for way in room.exits:
            if way.destination in seen or not way.access(npc, "traverse"):
                continue
            if way.destination == home:
                return first or way
            seen.add(way.destination)
            waiting.append((way.destination, first or way))
    return None
