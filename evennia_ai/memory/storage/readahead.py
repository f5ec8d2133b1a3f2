"""Reading ahead: what a mind needs when somebody speaks to it, in two queries instead of thirty.

A village that was silent since the start has read nothing yet, and may be spoken to all at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from evennia.typeclasses.models import TypedObject

from evennia_ai.memory import kinds, repository
from evennia_ai.memory.storage.own_attributes import PAGE

OF_TICK = (kinds.PERSONA, kinds.SETTINGS, kinds.JOURNAL_HEAD, kinds.THOUGHT_ALONE)


def read_scene(
    minds: Iterable[TypedObject], others: Iterable[TypedObject], room: TypedObject | None
) -> None:
    """Read what is asked of everybody who hears something in a room, whoever speaks."""
    asked = [(npc, _of_itself(kinds.BODY)) for npc in minds]
    asked += [(obj, [(kinds.IDENTITY, "")]) for obj in others]
    if room is not None:
        asked.append((room, [(kinds.SECLUDED, "")]))
    repository.warm_all(asked)


def read_ahead(npc: TypedObject, script: TypedObject, who: str) -> None:
    """Read what a turn with somebody will ask for; what has been read already costs nothing."""
    repository.warm_all([(npc, _of_turn(kinds.BODY, who)), (script, _of_turn(kinds.MIND, who))])


def _of_turn(place: Literal["body", "mind"], who: str) -> list[repository.Place]:
    of_person = [(kind, who) for kind in kinds.on(place) if kind.ahead == "person" and who]
    return [*_of_itself(place), *of_person]


def _of_itself(place: Literal["body", "mind"]) -> list[repository.Place]:
    """Return what a turn asks for, whoever it is with."""
    wanted: list[repository.Place] = []
    for kind in kinds.on(place):
        if kind.ahead == "turn":
            wanted.append((kind, ""))
        elif kind.ahead == "pages":
            wanted += [(kind, key) for key in kind.pages]
    return wanted


def read_conversations(npc: TypedObject, people: Iterable[str]) -> None:
    """Read what an NPC talked about with each of some people."""
    wanted = sorted(set(people))
    for start in range(0, len(wanted), PAGE):
        part = wanted[start : start + PAGE]
        repository.warm(npc, [(kinds.CONVERSATIONS, who) for who in part])


def read_for_tick(npc: TypedObject, script: TypedObject) -> None:
    """Read what a tick asks of a mind and its body, by one question: after a start all minds are ticked at once."""
    of_mind = [kind for kind in kinds.on(kinds.MIND) if kind.ahead == "turn"]
    asked = ((script, of_mind), (npc, OF_TICK))
    repository.warm_all((obj, [(kind, "") for kind in some]) for obj, some in asked)
