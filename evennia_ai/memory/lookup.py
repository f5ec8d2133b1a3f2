"""Objects, scripts and accounts by id, as they are now: from Evennia's cache if they are in it.

What waited for a model must not use the object that it held before: it may have been deleted, or
be another instance after a flush of the cache.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from evennia.accounts.models import AccountDB
from evennia.objects.models import ObjectDB
from evennia.scripts.models import ScriptDB
from evennia.typeclasses.models import TypedObject

from evennia_ai.core import volatile


@dataclass
class _State:
    # Copies that stand for what they are copies of, by model and id (`storage.detached`).
    detached: dict[tuple[type[TypedObject], int], TypedObject] = field(default_factory=dict)
    # In a worker there is nothing else: it loads nothing of the game.
    is_worker: bool = False


_state = volatile.keep(_State)

# Under this name the id of a body's mind is kept on it: it is asked for at each line of talk.
_MIND = "_evennia_ai_mind"


def object_by_id(object_id: int | None) -> TypedObject | None:
    """Return an object, or None if there is none with this id any more."""
    return _get(ObjectDB, object_id)


def script_by_id(script_id: int | None) -> TypedObject | None:
    """Return a script, or None if there is none with this id any more."""
    return _get(ScriptDB, script_id)


def account_by_id(account_id: int | None) -> TypedObject | None:
    """Return an account, or None if there is none with this id any more."""
    return _get(AccountDB, account_id)


def mind_of(npc: TypedObject) -> TypedObject | None:
    """Return the script that is the mind of a body, on or off, or None."""
    known = ScriptDB.get_cached_instance(npc.__dict__.get(_MIND))
    # Of a body that is gone there is no id, and none of a mind that waits for one.
    if npc.id is not None and getattr(known, "db_obj_id", None) == npc.id and _is_mind(known):
        return known
    own = list(filter(_is_mind, npc.scripts.all()))
    found = min(own, key=lambda script: script.id, default=None)
    # In the place of a copy must not stand what it is a copy of.
    if isinstance(found, ScriptDB):
        npc.__dict__[_MIND] = found.id
    return found


def _is_mind(script: object) -> bool:
    return bool(getattr(script, "is_mind_of_assistant", False))


def be_worker() -> None:
    """Find copies alone from now on."""
    _state.is_worker = True


def is_worker() -> bool:
    """Return whether this process is a worker, which finds copies alone."""
    return _state.is_worker


@contextmanager
def standing_in(*copies: TypedObject) -> Iterator[None]:
    """Find copies in the place of what they are copies of, until the block ends or they are withdrawn."""
    _state.detached.update({(copy.__dbclass__, copy.id): copy for copy in copies})
    try:
        yield
    finally:
        withdraw(*copies)


def withdraw(*copies: TypedObject) -> None:
    """Find copies no more: who works on one takes it for deleted."""
    for copy in copies:
        _state.detached.pop((copy.__dbclass__, copy.id), None)


def _get(model: type[TypedObject], pk: int | None) -> TypedObject | None:
    if not pk:
        return None
    copy = _state.detached.get((model, pk))
    if copy is not None or _state.is_worker:
        return copy
    known = model.get_cached_instance(pk)
    if known is not None:
        return known
    try:
        return model.objects.get(pk=pk)
    except model.DoesNotExist:
        return None
