"""Profiles as plain data, in the shape of the sources, for the public names."""

from __future__ import annotations

from collections.abc import ItemsView, Iterable, Iterator, Mapping, ValuesView
from datetime import datetime

import msgspec
from evennia.typeclasses.models import TypedObject

from evennia_ai.core.records import Audience, Source
from evennia_ai.memory.identity import Entity
from evennia_ai.memory.people import entity_profiles

Plain = dict[str, object]


def create_entity_profile(
    character: TypedObject,
    entity: Entity,
    *,
    name: str = "",
    entity_type: str = "",
    now: datetime | None = None,
) -> Plain:
    """Begin to know an entity, and return its profile; what is known already is kept.

    Name and type are those of the object, if one is given; otherwise they can be said.
    """
    known = entity_profiles.create_entity_profile(
        character, entity, name=name, entity_type=entity_type, now=now
    )
    return _plain(known)


def get_entity_profile(character: TypedObject, entity: Entity) -> Plain:
    """Return what is known of an entity: a UUID, "#123" or an object; begin to know it if need be."""
    return _plain(entity_profiles.get_entity_profile(character, entity))


def add_entity_observation(
    character: TypedObject,
    entity: Entity,
    content: str,
    source: str = "direct",
    *,
    audience: Audience,
    told_by: str = "",
    event_id: str = "",
    sources: Iterable[Source] = (),
    now: datetime | None = None,
) -> Plain:
    """Note something about an entity; return the observation as it is kept.

    `source` is direct, inferred or told, or one of the journal's words; `told_by` is the identity of
    whoever said it. Without `sources` it rests on that alone. Raises ValueError for empty words and unknown sources.
    """
    kept = entity_profiles.add_entity_observation(
        character,
        entity,
        content,
        source,
        audience=audience,
        told_by=told_by,
        event_id=event_id,
        sources=sources,
        now=now,
    )
    return _plain(kept)


class EntityProfiles(Mapping[str, Plain]):
    """The profiles of one assistant by identity; also found by "#123" and by object. Read only."""

    def __init__(self, character: TypedObject) -> None:
        self._character = character

    def __getitem__(self, entity: Entity) -> Plain:
        known = entity_profiles.find_profile(self._character, entity)
        if known is None:
            raise KeyError(entity)
        return _plain(known)

    def __iter__(self) -> Iterator[str]:
        return iter(entity_profiles.known_identities(self._character))

    def __len__(self) -> int:
        return len(entity_profiles.known_identities(self._character))

    def items(self) -> ItemsView[str, Plain]:
        """Return everything that is known, read in one query."""
        known = entity_profiles.all_profiles(self._character)
        return {who: _plain(known[who]) for who in sorted(known)}.items()

    def values(self) -> ValuesView[Plain]:
        """Return all profiles, read in one query."""
        return dict(self.items()).values()

    def __repr__(self) -> str:
        return f"<profiles of {len(self)} entities>"


def _plain(kept: msgspec.Struct) -> Plain:
    plain: Plain = msgspec.to_builtins(kept)
    return plain
