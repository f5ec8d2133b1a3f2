"""Listens for a mind on a body of any typeclass, and lets copies be who it is, without changing that typeclass.

The hooks are wrapped on the instance and call through to the class. An instance is a cache
entry of Evennia's: `ndb` keeps it there, and each tick puts the wrappers back if they are gone.
"""

from __future__ import annotations

from typing import Any

from evennia_ai.agent.hearing import perception
from evennia_ai.memory.storage import copying

_HOOKS = ("at_msg_receive", "at_object_receive", "at_object_post_copy")


def attach(npc: Any) -> None:
    """Listen for `npc`; a body that has the mixin listens for itself."""
    if _listens_itself(npc):
        detach(npc)
    elif not is_attached(npc):
        npc.ndb.evennia_ai_hook = True
        npc.at_msg_receive = _hearing(npc)
        npc.at_object_receive = _receiving(npc)
        npc.at_object_post_copy = _copied(npc)


def detach(npc: Any) -> None:
    """Take the wrappers off again."""
    for hook in _HOOKS:
        npc.__dict__.pop(hook, None)
    npc.nattributes.remove("evennia_ai_hook")


def is_attached(npc: Any) -> bool:
    """Return whether the wrappers are on this instance."""
    return getattr(npc.__dict__.get(_HOOKS[0]), "evennia_ai_hook", False)


def _listens_itself(npc: Any) -> bool:
    return getattr(npc, "listens_for_its_mind", False)


def _hearing(npc: Any) -> Any:
    def at_msg_receive(text: Any = None, from_obj: Any = None, **kwargs: Any) -> bool:
        received = type(npc).at_msg_receive(npc, text=text, from_obj=from_obj, **kwargs)
        # A typeclass that was swapped in may have the mixin, and would hear everything twice.
        if received is not False and not _listens_itself(npc):
            perception.hear(npc, text, from_obj)
        return received

    at_msg_receive.evennia_ai_hook = True
    return at_msg_receive


def _receiving(npc: Any) -> Any:
    def at_object_receive(
        moved_obj: Any, source_location: Any, move_type: str = "move", **kwargs: Any
    ) -> None:
        type(npc).at_object_receive(npc, moved_obj, source_location, move_type=move_type, **kwargs)
        if not _listens_itself(npc):
            perception.receive(npc, moved_obj, source_location, move_type=move_type)

    return at_object_receive


def _copied(npc: Any) -> Any:
    def at_object_post_copy(new_obj: Any, **kwargs: Any) -> None:
        type(npc).at_object_post_copy(npc, new_obj, **kwargs)
        if not _listens_itself(npc):
            copying.carry(npc, new_obj)

    return at_object_post_copy
