"""Lines by rules that answer nobody: what an NPC begins to do, what it calls out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from evennia_ai.agent import answer, speech
from evennia_ai.agent.hearing import addressing, presence
from evennia_ai.core.records import Audience, Source
from evennia_ai.memory import identity, lookup, routine, working_memory
from evennia_ai.memory.state import active_assistants
from evennia_ai.permission import Permit, Way


def show(
    npc: Any,
    kind: str,
    words: str,
    *,
    to: Any = None,
    known: Audience | None = None,
    **said: Any,
) -> None:
    """Say or do something where an NPC is now, if that may be shown; other minds do not answer it.

    What is said `to` somebody begins a talk: they answer without its name; what is whispered reaches them alone. It
    stands in that talk for those who may know it (`known`), as what else it tells.
    `said` are further fields of an `Utterance`.
    """
    hops = addressing.HOPS
    listener_id = to.id if to is not None else 0
    npc_id, room_id = npc.id, npc.location.id if npc.location else 0

    def find_way() -> Way | None:
        found = lookup.object_by_id(npc_id)
        if found is None or active_assistants.is_closing() or found.location is None:
            return None
        if found.location.id != room_id or presence.is_puppeted(found):
            return None
        if not routine.can_cry(found):
            return None
        if kind != "whisper":
            return Way(found, kind, None, presence.listeners(found))
        listener = lookup.object_by_id(listener_id)
        if listener is None or listener.location != found.location:
            return None
        return Way(found, kind, listener, [listener])

    def utter(permit: Permit, way: Way) -> None:
        speech.utter(permit, way, hops=hops, to=listener_id, **said)
        _remember(way.npc, kind, words, listener_id, known, said.get("sources") or ())
        if kind == "say":
            # It does not hear itself.
            presence.note_spoken(room_id)
            if listener_id:
                addressing.answered(way.npc, listener_id, asks=True)

    answer.when_permitted(words, find_way, utter)


def _remember(
    npc: Any,
    kind: str,
    words: str,
    listener_id: int,
    known: Audience | None,
    sources: Iterable[Source],
) -> None:
    listener = lookup.object_by_id(listener_id)
    if listener is not None and known is not None:
        line = working_memory.own_line(
            npc, kind, words, name=speech.name_of(npc, npc), audience=known, sources=sources
        )
        working_memory.add_line(npc, identity.perceived(npc, listener), line)
