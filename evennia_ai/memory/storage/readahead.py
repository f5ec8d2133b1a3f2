"""Reading ahead: what a mind needs when somebody speaks to it, in two queries instead of thirty.

A village that was silent since the start has read nothing yet, and may be spoken to all at once.
"""

from __future__ import annotations

from collections.abc import Iterable

from evennia.typeclasses.models import TypedObject

from evennia_ai.memory import kinds, repository
from evennia_ai.memory.storage.own_attributes import PAGE


def read_ahead(npc: TypedObject, script: TypedObject, who: str) -> None:
    """Read what a turn with somebody will ask for; what has been read already costs nothing."""
    for obj, place in ((npc, kinds.BODY), (script, kinds.MIND)):
        wanted: list[repository.Place] = []
        for kind in kinds.on(place):
            if kind.ahead == "turn":
                wanted.append((kind, ""))
            elif kind.ahead == "person" and who:
                wanted.append((kind, who))
            elif kind.ahead == "pages":
                wanted += [(kind, key) for key in kind.pages]
        repository.warm(obj, wanted)


def read_conversations(npc: TypedObject, people: Iterable[str]) -> None:
    """Read what an NPC talked about with each of some people."""
    wanted = sorted(set(people))
    for start in range(0, len(wanted), PAGE):
        part = wanted[start : start + PAGE]
        repository.warm(npc, [(kinds.CONVERSATIONS, who) for who in part])


def read_for_tick(script: TypedObject) -> None:
    """Read what a tick asks of a mind."""
    repository.warm(script, [(kind, "") for kind in kinds.on(kinds.MIND) if kind.ahead == "turn"])
