"""Copying of an NPC: its persona goes along, nothing of its memory."""

from __future__ import annotations

from evennia.typeclasses.models import TypedObject

from evennia_ai.memory import kinds, lookup, persona, repository


def carry(original: TypedObject, copy: TypedObject) -> None:
    """Give a copy what is `copied` of its original, where it has nothing of its own yet.

    What stands in ordinary Attributes of one that has a mind already is not of its builder.
    """
    if lookup.mind_of(original) is not None:
        for key in persona.SEEDS:
            copy.attributes.remove(key)
    values: dict[repository.Place, object] = {}
    for kind in kinds.on(kinds.BODY):
        if kind.copied and not kind.keyed:
            kept = repository.load(original, kind)
            if kept is not None and repository.load(copy, kind) is None:
                values[kind, ""] = kept
    repository.save_all(copy, values)
