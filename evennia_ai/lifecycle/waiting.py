"""Minds that outlive their bodies: one that has a key waits, and the next body of that key gets it.

While it waits it lies on a body that is nowhere, so that it can be listed, exported, forgotten in and
deleted as any other. The locks of the old body go along: who could not change the one cannot change
the other.
"""

from __future__ import annotations

import re
import sys
from types import CodeType, FrameType
from typing import Any

from django.db import transaction
from evennia.objects.models import ObjectDB
from evennia.prototypes import spawner
from evennia.scripts.models import ScriptDB
from evennia.utils.create import create_object, create_script

from evennia_ai.core.states import Waiting
from evennia_ai.llm import ledger
from evennia_ai.memory import kinds, lookup, repository
from evennia_ai.memory.people import accounts
from evennia_ai.memory.state import assistant, channels
from evennia_ai.memory.storage import own_attributes
from evennia_ai.models import LedgerEntry

# Where a prototype or a build script names the mind of a body, as an ordinary Attribute.
SEED = "ai_mind"
# What of Evennia makes or changes bodies by a prototype, and is told for whom.
SPAWNING = (spawner.spawn.__code__, spawner.batch_update_objects_with_prototype.__code__)
REFUSED = "The mind that {name} asks for is for those who control it."
BODY = "evennia_ai.typeclasses.waiting_body.WaitingBody"

_KEY = re.compile(r"[\w-]{1,64}")


def key_of(body: Any) -> str:
    """Return the key of the mind of a body, "" if it has none and dies with it."""
    return repository.load(body, kinds.MIND_KEY) or ""


def named_by(body: Any, *, seed: bool) -> str:
    """Return the key that the typeclass gives a body, or with `seed` an Attribute in its place.

    Any builder can write that Attribute: whoever reads it asks `may_call`.
    """
    given = getattr(body, "mind_key", "")
    if seed and body.attributes.has(SEED):
        given = body.attributes.get(SEED)
    return str(given or "").strip().lower()


def named_at_spawn(body: Any, *, is_new: bool) -> str:
    """Return the key of a body that is spawned just now, "" if whoever spawns it may not have it.

    Code decides for itself. An Attribute counts on a body that is new, and got it from its prototype.
    """
    key, caller = named_by(body, seed=is_new), _spawning_for()
    if caller is None or may_call(caller, key):
        return key
    caller.msg(REFUSED.format(name=body.get_display_name(caller)))
    return ""


def may_call(caller: Any, key: str) -> bool:
    """Return whether somebody may call the mind of a key into a body: it waits for nobody else's."""
    place = body_of(key) if key else None
    return place is None or accounts.may_change(caller, place)


def give_key(body: Any, key: str) -> None:
    """Let the mind of a body outlive it under a key; "" lets it die with the body.

    Raises:
        ValueError: It is no key, another body has it, or a mind waits under it.
    """
    wanted = key.strip().lower()
    if wanted and not _KEY.fullmatch(wanted):
        raise ValueError("a mind_key is at most 64 letters, digits, - and _.")
    if not wanted and is_waiting(body):
        raise ValueError(f"{body.key}(#{body.id}) waits for its next body by its mind_key.")
    other = body_of(wanted) if wanted else None
    if other is not None and other != body:
        raise ValueError(f"{other.key}(#{other.id}) has the mind {wanted}.")
    if wanted:
        repository.save(body, kinds.MIND_KEY, wanted)
    else:
        repository.remove(body, kinds.MIND_KEY)


def body_of(key: str) -> Any:
    """Return the body that has the mind of a key, be it one that waits; or None."""
    for object_id in repository.owners(ObjectDB, kinds.MIND_KEY):
        body = ObjectDB.objects.filter(id=object_id).first()
        if body is not None and key_of(body) == key:
            return body
    return None


def is_waiting(body: Any) -> bool:
    """Return whether a body is only the place where a mind waits."""
    return repository.load(body, kinds.WAITING) is not None


def is_dying(body: Any) -> bool:
    """Return whether a body is being deleted just now, and has not refused it.

    Evennia tells nobody: between `at_object_delete` and the deletion of the scripts it calls no hook.
    So we look for the `delete` that this is a part of.
    """
    frame = sys._getframe(1)
    while frame is not None:
        obj = frame.f_locals.get("self") if frame.f_code.co_name == "delete" else None
        if isinstance(obj, ObjectDB) and obj.pk == body.pk:
            return True
        frame = frame.f_back  # type: ignore[assignment]
    return False


def outlives(body: Any) -> bool:
    """Return whether the mind of a body is to wait when that dies."""
    return bool(key_of(body)) and not is_waiting(body)


def lay_down(script: Any, body: Any, *, was_on: bool) -> Any:
    """Move a mind from a body that dies to one that is nowhere; return that."""
    with transaction.atomic():
        place = _make_place(body)
        _move(script, body, place)
        repository.save(place, kinds.WAITING, Waiting(was_on))
    script.db_obj = place
    return place


def save_from_batch(body: Any) -> bool:
    """Let a mind wait whose body is deleted together with it, past the hooks of Evennia.

    Django deletes a mind with its body, and the links to what they keep: so all of that is copied.
    Returns whether there is such a mind.
    """
    script = lookup.mind_of(body) if outlives(body) else None
    if script is None:
        return False
    was_on = assistant.is_enabled(script)
    place = _make_place(body)
    saved = create_script(
        script.typeclass_path, key=script.key, obj=place, persistent=True, autostart=False
    )
    for origin, target in ((body, place), (script, saved)):
        own_attributes.insert(
            [
                (target, own_attributes.new(target, row.db_category, row.db_key, row.db_strvalue))
                for row in own_attributes.rows(origin)
            ]
        )
    repository.save(place, kinds.WAITING, Waiting(was_on))
    repository.remove(saved, kinds.PULSE)
    assistant.enable(saved, enabled=False)
    _note_move(body, place)
    return True


def take_up(body: Any, key: str) -> tuple[Any, bool] | None:
    """Give a body the mind that waits under a key; return (the mind, whether it was on), or None.

    The mind is None if somebody has taken it away while it waited. What the body itself was given so
    far, such as an identity, makes room; a body that remembers something gets no other mind.
    """
    place = body_of(key)
    if place is None or place == body or not is_waiting(place) or _remembers(body):
        return None
    script = lookup.mind_of(place)
    kept = repository.load(place, kinds.WAITING)
    was_on = kept is not None and kept.was_on
    with transaction.atomic():
        repository.delete_all(body)
        _move(script, place, body)
        repository.remove(body, kinds.WAITING)
        _set_locks(body, place)
        place.delete()
    if script is not None:
        script.db_obj = body
        # Where somebody put its last body does not hold this one.
        repository.remove(script, kinds.ROUND)
    return script, was_on


def keep_for_later(body: Any, *, was_on: bool) -> None:
    """Note whether a mind that waits is to be on in its next body."""
    repository.save(body, kinds.WAITING, Waiting(was_on))


def _spawning_for() -> Any:
    """Return who spawns just now by a command or a menu, None if the game's own code does.

    Evennia's commands tell it to the spawner, which does not tell the body: so we look there.
    """
    frame = frame_of(*SPAWNING)
    return frame and frame.f_locals.get("caller")


def frame_of(*codes: CodeType) -> FrameType | None:
    """The nearest call of some functions that is going on, None if there is none."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code not in codes:
        frame = frame.f_back
    return frame


def _make_place(body: Any) -> Any:
    place = create_object(BODY, key=body.key, nohome=True)
    _set_locks(place, body)
    return place


def _set_locks(body: Any, original: Any) -> None:
    """Give a body the locks of another, and no others."""
    storage = original.db_lock_storage
    body.locks.clear()
    body.locks.add(storage)


def _remembers(body: Any) -> bool:
    kept = [kind for kind in kinds.on(kinds.BODY) if kind.role == "memory"]
    return repository.has_any(body, kept)


def _move(script: Any, origin: Any, target: Any) -> None:
    """Move what is kept on a body, and in the database the mind, to another body."""
    with repository.together(origin, target):
        repository.move_all(origin, target)
    if script is not None:
        ScriptDB.objects.filter(pk=script.pk).update(db_obj=target)
    _note_move(origin, target)


def _note_move(origin: Any, target: Any) -> None:
    """Let what goes by the number of a body go by that of the next one."""
    ledger.flush()
    LedgerEntry.objects.filter(assistant_id=origin.id).update(assistant_id=target.id)
    channels.read_again()
