"""Active assistants: a number on the script, mirrored in memory because every message asks for it.

The number is right after any crash; the mirror is filled from it at the first question.
"""

from __future__ import annotations

from evennia.scripts.models import ScriptDB
from evennia.server.models import ServerConfig
from evennia.typeclasses.models import TypedObject

from evennia_ai import scheduling
from evennia_ai.core import volatile
from evennia_ai.memory import kinds, lookup, repository

# The key in Evennia's ServerConfig under which it stands that every mind was stopped.
HALTED = "evennia_ai_halted"
# What is under way from the moment at which the server begins to stop.
CLOSING = "end of the server"


def join(script: TypedObject, rate: int) -> None:
    """Note a mind as active, to be ticked every `rate` seconds; no other of its body is then."""
    other = script_of(script.obj)
    if other is not None and other.id != script.id:
        leave(other)
    repository.save(script, kinds.PULSE, rate)
    _loaded()[script.obj.id] = (script.id, rate)


def leave(script: TypedObject) -> None:
    """Note a mind as no longer active; its body need not exist any more."""
    repository.remove(script, kinds.PULSE)
    minds = _loaded()
    for npc_id, (script_id, _) in list(minds.items()):
        if script_id == script.id:
            del minds[npc_id]
            volatile.forget_assistant(npc_id)


def script_id_of(npc_id: int) -> int | None:
    """Return the id of the script that is the mind of an NPC, if it is on."""
    found = _loaded().get(npc_id)
    return found and found[0]


def script_of(npc: TypedObject) -> TypedObject | None:
    """Return the script that is the mind of an NPC, if it is on."""
    script_id = script_id_of(npc.id)
    return lookup.script_by_id(script_id)


def members(rate: int) -> list[int]:
    """Return the ids of the scripts that are ticked every `rate` seconds, in a stable order."""
    return sorted(script_id for script_id, own in _loaded().values() if own == rate)


def rate_of(script: TypedObject) -> int | None:
    """Return how many seconds lie between two ticks of a mind; None if it is not on."""
    return repository.load(script, kinds.PULSE)


def rates() -> set[int]:
    """Return the intervals that are in use, in seconds."""
    return {rate for _, rate in _loaded().values()}


def count() -> int:
    return len(_loaded())


def all_ids() -> list[int]:
    """Return the ids of the scripts of all minds that are on."""
    return sorted(script_id for script_id, _ in _loaded().values())


def halt(*, halted: bool = True) -> None:
    """Stop every mind at once, or let all go on; it holds over a restart."""
    is_halted.put(halted)
    ServerConfig.objects.conf(HALTED, halted)


@volatile.once
def is_halted() -> bool:
    """Return whether every mind was stopped at once."""
    return bool(ServerConfig.objects.conf(HALTED, default=False))


def close() -> None:
    """The server is about to stop: nobody thinks or speaks, and what waits stays as it is stored."""
    scheduling.begin(CLOSING)


def is_closing() -> bool:
    """Return whether the server is about to stop."""
    return scheduling.is_under_way(CLOSING)


@volatile.once
def _loaded() -> dict[int, tuple[int, int]]:
    """Return {npc id: (script id, seconds between ticks)} of all minds that are on."""
    bodies = dict(ScriptDB.objects.exclude(db_obj=None).values_list("id", "db_obj_id"))
    rates_kept = repository.load_of_all(ScriptDB, kinds.PULSE)
    return {
        bodies[script_id]: (script_id, rate)
        for script_id, rate in rates_kept.items()
        if script_id in bodies
    }
