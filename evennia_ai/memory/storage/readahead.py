"""Reading ahead: what a mind needs when somebody speaks to it, in three queries instead of thirty.

A village that was silent since the start has read nothing yet, and may be spoken to all at once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Literal

from django.conf import settings
from django.db import connection
from evennia.objects.models import ObjectDB
from evennia.typeclasses.models import TypedObject
from evennia.typeclasses.tags import Tag, TagHandler

from evennia_ai.memory import kinds, repository
from evennia_ai.memory.storage.own_attributes import PAGE, SHOWN

# How a room or somebody looks, by Evennia's own command.
LOOKS = "desc"
# What a tick asks of a body.
OF_TICK = (kinds.PERSONA, kinds.SETTINGS, kinds.JOURNAL_HEAD, kinds.THOUGHT_ALONE)


def read_scene(
    minds: Iterable[TypedObject], others: Iterable[TypedObject], room: TypedObject | None
) -> None:
    """Read what is asked of everybody who hears something in a room, whoever speaks."""
    asked = [(npc, _of_itself(kinds.BODY)) for npc in minds]
    stock = {npc: [LOOKS, *SHOWN] for npc, _ in asked}
    asked += [(obj, [(kinds.IDENTITY, "")]) for obj in others]
    if room is not None:
        asked.append((room, [(kinds.SECLUDED, "")]))
    repository.warm_all(asked, stock={**{obj: [LOOKS] for obj, _ in asked}, **stock})
    _warm_tags(obj for obj, _ in asked)


def _warm_tags(objs: Iterable[TypedObject]) -> None:
    """Read tags, aliases and permissions into Evennia's own memory of them by one question; it asks for each handler, and each Tag."""
    if not settings.TYPECLASS_AGGRESSIVE_CACHE:
        return
    cold = [(obj.pk, missing) for obj in objs if (missing := _without_tags(obj))]
    for start in range(0, len(cold), PAGE):
        some = dict(cold[start : start + PAGE])
        found: dict[tuple[int, str | None], dict[str, Tag]] = defaultdict(dict)
        for tag in Tag.objects.raw(_tags_of(len(some)), list(some)):
            category = tag.db_category.lower() if tag.db_category else None
            found[tag.owner_id, tag.db_tagtype][f"{tag.db_key.lower()}-{category}"] = tag
        for pk, handlers in some.items():
            for handler in handlers:
                handler._cache = found[pk, handler._tagtype]
                handler._cache_complete = True


def _without_tags(obj: TypedObject) -> list[TagHandler]:
    handlers = (obj.tags, obj.aliases, obj.permissions)
    return [handler for handler in handlers if not handler._cache_complete]


def _tags_of(count: int) -> str:
    quoted, links = connection.ops.quote_name, ObjectDB.db_tags
    owner = quoted(links.field.m2m_column_name())
    holes = ", ".join(["%s"] * count)
    return (
        f"SELECT kept.*, linked.{owner} AS owner_id"
        f" FROM {quoted(links.through._meta.db_table)} AS linked"
        f" CROSS JOIN {quoted(Tag._meta.db_table)} AS kept"
        f" WHERE kept.id = linked.tag_id AND kept.db_model = 'objectdb' AND linked.{owner} IN ({holes})"
    )


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


def read_shown(npc: TypedObject) -> None:
    """Read what builders see of a mind, and what that is counted from."""
    counted = [(kinds.NAMES, page) for page in kinds.NAMES.pages]
    asked: list[repository.Place] = [(kinds.JOURNAL_HEAD, ""), *counted]
    repository.warm_all([(npc, asked)], stock={npc: SHOWN})


def read_for_tick(npc: TypedObject, script: TypedObject) -> None:
    """Read what a tick asks of a mind and its body, by one question: after a start all minds are ticked at once."""
    of_mind = [kind for kind in kinds.on(kinds.MIND) if kind.ahead == "turn"]
    asked = ((script, of_mind), (npc, OF_TICK))
    repository.warm_all((obj, [(kind, "") for kind in some]) for obj, some in asked)
