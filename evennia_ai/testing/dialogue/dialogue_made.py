"""The objects that dialogues made and that are still there: the only ones that a sweep deletes.

The list stands in Evennia's ServerConfig. A Tag would not do: whoever may use `tag` could put it on
anything. Each object is listed with the moment at which it was made, so that another one that got its
number, as happens when a world is built anew, is left alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from evennia.server.models import ServerConfig

from evennia_ai.memory import lookup

# {object id: when it was made}
KEY = "evennia_ai_dialogue_objects"


def note(obj: Any) -> None:
    _save({**_listed(), obj.id: _made_at(obj)})


def left() -> list[int]:
    """Return the ids of what was made and is still there, the oldest first."""
    return sorted(object_id for object_id in _listed() if is_ours(object_id))


def is_ours(object_id: int) -> bool:
    """Return whether there is an object with this id that was made for a dialogue."""
    obj = lookup.object_by_id(object_id)
    return obj is not None and _listed().get(object_id) == _made_at(obj)


def forget(object_ids: Iterable[int]) -> None:
    """Take objects off the list."""
    gone = set(object_ids)
    kept = {one: made for one, made in _listed().items() if one not in gone}
    if kept != _listed():
        _save(kept)


def _made_at(obj: Any) -> str:
    return obj.db_date_created.isoformat()


def _listed() -> dict[int, str]:
    return ServerConfig.objects.conf(KEY, default=None) or {}


def _save(listed: dict[int, str]) -> None:
    ServerConfig.objects.conf(KEY, listed)
