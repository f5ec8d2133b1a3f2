"""Burial: what becomes of a mind when its body, or the mind itself, is deleted.

Evennia deletes the Attributes that it knows, and nothing of ours. What is kept under an identity in
long-term memory and experience goes with the body; it is listed until that is done, so that a crash
in between leaves nothing.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from django.db import transaction
from evennia.objects.models import ObjectDB
from evennia.server.models import ServerConfig
from evennia.utils import logger
from twisted.internet.defer import Deferred, inlineCallbacks

from evennia_ai import scheduling
from evennia_ai.lifecycle import store_handlers, waiting
from evennia_ai.lifecycle.store_handlers import Whose
from evennia_ai.memory import identity, kinds, lookup, repository
from evennia_ai.memory.people import accounts
from evennia_ai.memory.storage import own_attributes

# In Evennia's ServerConfig: {identity: object id} of who was deleted, until nothing is left of them.
KEY = "evennia_ai_buried"


def at_delete(obj: Any) -> None:
    """Let go of what is kept on an object or script that is about to be deleted."""
    if isinstance(obj, ObjectDB):
        asked = (kinds.IDENTITY, kinds.MASKS, kinds.MIND_KEY)
        repository.warm(obj, [(kind, "") for kind in asked])
        is_saved = waiting.save_from_batch(obj)
        known = repository.load(obj, kinds.IDENTITY)
        remembers = [kind for kind in kinds.on(kinds.BODY) if kind.role == "memory"]
        is_mind = repository.has_any(obj, remembers)
        if known is not None and not is_saved and is_mind:
            _save({**_listed(), known.uuid: obj.id})
            _soon()
        elif known is not None and not is_mind:
            accounts.note_deleted(known, identity.masks_of(obj))
    own_attributes.delete_all_of(obj)


@inlineCallbacks
def finish():
    """Let go of what is kept elsewhere of those who were deleted; return how many they were."""
    gone = 0
    for who, npc_id in _listed().items():
        # A deletion can be undone by the transaction that it was a part of.
        if lookup.object_by_id(npc_id) is None:
            # Its own alone: what a group has learnt from it is the group's.
            whose = Whose(npc_id, 0, who)
            for _, handler in store_handlers.all_handlers():
                yield handler.clear(whose)
        _save({one: known for one, known in _listed().items() if one != who})
        gone += 1
    return gone


def _soon() -> None:
    """Let go of it when this pass of the reactor is over, and with it what the deletion is part of."""
    if scheduling.is_game_thread():
        scheduling.call_soon(_begin)
    else:
        # The pages for admins delete in threads of the web server.
        transaction.on_commit(
            partial(scheduling.clock().callFromThread, scheduling.call_soon, _begin)
        )


def _begin() -> Deferred[Any]:
    return finish().addErrback(_failed)


def _failed(failure: Any) -> None:
    logger.log_err(
        "evennia_ai: what a deleted NPC remembered is not all gone; it is tried again at the next "
        f"start: {failure.getErrorMessage()}"
    )


def _listed() -> dict[str, int]:
    return dict(ServerConfig.objects.conf(KEY, default=None) or {})


def _save(listed: dict[str, int]) -> None:
    ServerConfig.objects.conf(KEY, listed or None, delete=not listed)
