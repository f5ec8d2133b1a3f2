"""Knowers of somebody: the NPCs that may know anything of them, by one question to the database."""

from __future__ import annotations

import re
from collections.abc import Iterable

from evennia.objects.models import ObjectDB
from evennia.typeclasses.models import TypedObject

from evennia_ai import conf
from evennia_ai.memory import identity, kinds
from evennia_ai.memory.storage import attribute_queries

# What stands in a text as it is, however it was written.
_PLAIN = re.compile(r"[a-z0-9:._-]+")


def sought(characters: Iterable[TypedObject]) -> list[str] | None:
    """Return by what `may_know` finds those who know some characters, or None if it could miss one.

    Where masks can be worn each NPC may know somebody by another name.
    """
    by_itself = conf.hook("IDENTIFY") is identity.identify
    found = [identity.known_as(one, one) for one in characters] if by_itself else [""]
    return found if all(map(_PLAIN.fullmatch, found)) else None


def how_many_know() -> dict[int, int]:
    """Return how many people each NPC knows that knows any, by its id; in any thread."""
    return attribute_queries.counts(ObjectDB, kinds.PROFILES.name)


def may_know(identities: Iterable[str]) -> set[int]:
    """Return the ids of all NPCs that keep anything of some identities; of some that is not for them to see."""
    return attribute_queries.owners_naming(
        ObjectDB,
        list(identities),
        keyed=[kinds.PROFILES.name, kinds.CONVERSATIONS.name],
        written=[kinds.JOURNAL.name],
    )
