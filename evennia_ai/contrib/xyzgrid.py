"""Ways over a large map of Evennia's `contrib.grid.xyzgrid`, which knows the shortest ones itself.

In the settings:

    EVENNIA_AI["FIND_WAY"] = "evennia_ai.contrib.xyzgrid.find_way"

The map knows neither locks nor Tags: so it says which rooms to make for, and each stretch is walked as anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from evennia_ai import movement

# Rooms from one that is made for to the next, and how many are tried where there is no way to that.
STRETCH, TRIED = 6, 3


def find_way(npc: Any, rooms: list[Any]) -> Any:
    """Return the exit by which the way to the nearest of some rooms begins, None if there is none."""
    paths = [path for room in rooms if (path := _path(npc.location, room))]
    path = min(paths, key=len, default=[])
    # Counted from the end, so that it stays the same until it is reached.
    stop = (len(path) - 1) % STRETCH or STRETCH
    if stop >= len(path) - 1:
        return movement.find_way(npc, rooms)
    for room in islice(_open(npc, path[stop:]), TRIED):
        way = movement.find_way(npc, [room])
        if way is not None:
            return way
    return None


def _open(npc: Any, path: list[Any]) -> Iterator[Any]:
    """Yield the rooms on a path through which an NPC may walk, and the one at its end."""
    for node in path:
        room = npc.location.xyzgrid.get_room(node.get_spawn_xyz()).first()
        if room is not None and (node is path[-1] or movement.is_open(npc, room)):
            yield room


def _path(here: Any, there: Any) -> list[Any]:
    """Return the nodes of the map from one room to another, [] if they are on no map, or on two."""
    start, end = getattr(here, "xyz", None), getattr(there, "xyz", None)
    if not (start and end and start[2] == end[2] and here.xymap):
        return []
    _, path = here.xymap.get_shortest_path(start[:2], end[:2])
    # What joins two rooms stands in it as well.
    return [one for one in path if hasattr(one, "get_spawn_xyz")]
