"""Profiles of players, NPCs and objects: one record per entity.

An innkeeper who knows 5,000 people pays for the one whom it talks with. Profiles are kept under
identities; names are only looked up in an index beside them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import TypedDict

from evennia.objects.objects import DefaultCharacter
from evennia.typeclasses.models import TypedObject
from evennia.utils import logger
from msgspec import structs

from evennia_ai import conf, markup, rate_limits, scheduling
from evennia_ai.core.records import (
    SOURCE_TRUST,
    Audience,
    Observation,
    Profile,
    Source,
    format_time,
)
from evennia_ai.domain.memories import profile, relationship
from evennia_ai.domain.sleeping import consolidation_rules
from evennia_ai.memory import identity, kinds, repository, working_memory
from evennia_ai.memory.identity import Entity
from evennia_ai.memory.people import accounts, entity_backlog
from evennia_ai.memory.state import active_assistants, assistant

# Observations of one person that are kept until sleep has made lasting knowledge of them, and how many make some.
OBSERVATIONS = 50
RIPE = 5


class Regard(TypedDict):
    """What an interaction has changed of a relationship."""

    old_state: str
    new_state: str
    favorability: float
    state_changed: bool


def create_entity_profile(
    character: TypedObject,
    entity: Entity,
    *,
    name: str = "",
    entity_type: str = "",
    now: datetime | None = None,
) -> Profile:
    """Begin to know an entity, and return its profile; what is known already is kept.

    Name and type are those of the object, if one is given; otherwise they can be said.
    """
    if entity_type not in ("", *profile.ENTITY_TYPES):
        raise ValueError(f"An entity is one of {', '.join(profile.ENTITY_TYPES)}.")
    known = _opened(character, entity, now=now)
    if not known.name:
        kind = entity_type or known.entity_type
        known = structs.replace(known, name=name, entity_type=kind)
    _keep(character, known)
    return known


def get_entity_profile(character: TypedObject, entity: Entity) -> Profile:
    """Return what is known of an entity: a UUID, "#123" or an object; begin to know it if need be."""
    return find_profile(character, entity) or create_entity_profile(character, entity)


def find_profile(character: TypedObject, entity: Entity) -> Profile | None:
    """Return what is known of an entity, or None if it is not known."""
    key = _key(character, entity)
    return repository.load(character, kinds.PROFILES, key) if key else None


def comes_first(character: TypedObject, who: str) -> bool:
    """Return whether somebody ("" : nobody) is so close that they are answered first, and may lead it about."""
    known = find_profile(character, who) if who else None
    return known is not None and relationship.of(known.relationship.state).comes_first


def find_profiles(character: TypedObject, entities: Iterable[Entity]) -> list[Profile]:
    """Return what is known of those of some entities who are known; by one question."""
    keys = [key for one in entities if (key := _key(character, one))]
    repository.warm(character, [(kinds.PROFILES, key) for key in keys])
    found = (repository.load(character, kinds.PROFILES, key) for key in keys)
    return [known for known in found if known is not None]


def profiles_by_each(
    characters: Iterable[TypedObject], entity: Entity
) -> list[tuple[TypedObject, Profile]]:
    """Return what each of some assistants knows of an entity, of those who know it; by one question."""
    asked = [(one, key) for one in characters if (key := _key(one, entity))]
    repository.warm_all([(one, [(kinds.PROFILES, key)]) for one, key in asked])
    found = ((one, repository.load(one, kinds.PROFILES, key)) for one, key in asked)
    return [(one, known) for one, known in found if known is not None]


def all_profiles(character: TypedObject) -> dict[str, Profile]:
    """Return all that an assistant knows of others, by identity, read in one query."""
    return repository.load_all(character, kinds.PROFILES)


def known_identities(character: TypedObject) -> list[str]:
    """Return the identities of all who are known, sorted."""
    return repository.keys(character, kinds.PROFILES)


def find_by_name(character: TypedObject, name: str) -> list[str]:
    """Return the identities of all who are known by exactly this name, whatever its case."""
    return known_names(character).get(_folded(name), [])


def known_names(character: TypedObject) -> dict[str, list[str]]:
    """Return the identities of all who are known, by name in lower case."""
    found: dict[str, list[str]] = {}
    for who, known in _names(character):
        found.setdefault(_folded(known), []).append(who)
    return {name: sorted(identities) for name, identities in found.items()}


def find_mentioned(character: TypedObject, names: Iterable[str]) -> list[str]:
    """Return the identities of those who bear one of these names (in lower case), in their order.

    It is asked at each recall: of an innkeeper who knows 5,000 people, too.
    """
    wanted = {name: place for place, name in enumerate(names)}
    found = [
        (place, who)
        for who, known in _names(character)
        if (place := wanted.get(known.casefold())) is not None
    ]
    return [who for _, who in sorted(found)]


def _names(character: TypedObject) -> Iterator[tuple[str, str]]:
    """Yield who is known, and by what name; read ahead, and kept in memory."""
    repository.warm(character, [(kinds.NAMES, page) for page in kinds.NAMES.pages])
    for page in kinds.NAMES.pages:
        yield from (repository.load(character, kinds.NAMES, page) or {}).items()


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
) -> Observation:
    """Note something about an entity; return the observation as it is kept.

    `source` is direct, inferred or told, or one of the journal's words; `told_by` is the identity of
    whoever said it. Without `sources` it rests on that alone. Raises ValueError for empty words and unknown sources.
    """
    moment = now or scheduling.now()
    noticed = profile.observation(
        content,
        source,
        about=_key(character, entity),
        audience=audience,
        trust=SOURCE_TRUST,
        now=moment,
        told_by=told_by,
        event_id=event_id,
        sources=sources,
    )
    known, noticed = profile.with_observation(_opened(character, entity, now=moment), noticed)
    kept, dropped = profile.capped(known.observations, limit=OBSERVATIONS)
    # What is noticed in the journal afterwards was no later meeting.
    met = max(known.last_interaction, format_time(moment))
    _keep(character, structs.replace(known, observations=kept, last_interaction=met))
    _log_lost(character, known, dropped)
    _note_passing(character, entity)
    return noticed


def apply_attributes(
    character: TypedObject,
    entity: Entity,
    found: list[consolidation_rules.Found],
    *,
    audience: Audience,
    consumed: Iterable[int],
) -> int | None:
    """Keep what sleep has made of observations; return how many facts are new, None: not known.

    `consumed` are the ids of those observations. They are marked in the same write, so that nothing
    is made of them twice, whenever the server is killed.
    """
    if find_profile(character, entity) is None:
        # Forgotten while a mind thought about them.
        return None
    known = _opened(character, entity)
    before = {fact.id for fact in known.attributes}
    after = consolidation_rules.merged(
        known, found, audience=audience, consumed=consumed, now=scheduling.now()
    )
    _keep(character, after)
    return len({fact.id for fact in after.attributes} - before)


def update_relationship(
    character: TypedObject,
    entity_id: Entity,
    delta: float,
    interaction_type: str | None = None,
    *,
    sources: Iterable[Source] = (),
    now: datetime | None = None,
) -> Regard:
    """Adjust how the assistant regards an entity; return what changed.

    The delta is cut to what one call and one day may change (setting FAVORABILITY).
    """
    moment, limits = now or scheduling.now(), conf.get("FAVORABILITY")
    known = _opened(character, entity_id, now=moment)
    before, day = known.relationship, relationship.new_day(moment)
    if known.today.date == day.date:
        day = known.today
    allowed = relationship.allowed_delta(
        delta, today=day.delta, per_call=limits["call"], per_day=limits["day"]
    )
    after = relationship.apply_delta(
        before, allowed, now=moment, reason=interaction_type, sources=sources
    )
    changed = structs.replace(
        known,
        relationship=after,
        today=structs.replace(
            day, delta=round(day.delta + after.favorability - before.favorability, 6)
        ),
        last_interaction=format_time(moment),
    )
    _keep(character, changed)
    return {
        "old_state": before.state,
        "new_state": after.state,
        "favorability": after.favorability,
        "state_changed": before.state != after.state,
    }


def set_disposition(character: TypedObject, entity: Entity, disposition: float | None) -> None:
    """Say how well the assistant is disposed to an entity: -1 to 1, or None to leave it open."""
    if disposition is not None and not -1.0 <= disposition <= 1.0:
        raise ValueError(f"A disposition lies between -1 and 1, not at {disposition}.")
    _keep(character, structs.replace(_opened(character, entity), disposition=disposition))


def forget_entity(character: TypedObject, entity: Entity) -> None:
    """Remove one entity from profiles, names and working memory."""
    key = _key(character, entity)
    if not key:
        return
    removed = [(kinds.PROFILES, key), (kinds.BACKLOG, key)]
    repository.save_all(character, {}, removed=removed)
    _write_name(character, key, "")
    working_memory.remove_conversation(character, key)
    repository.note_rewrite(character.id)


def rewrite(character: TypedObject, known: Profile) -> None:
    """Keep a profile as it was put right; what sleep has to look at again it is told."""
    _write(character, known)
    repository.note_rewrite(character.id)


def drop_stranger(character: TypedObject, who: str) -> None:
    """Remove the profile of a stranger of whom nothing is known."""
    known = find_profile(character, who)
    if known is None or known.attributes or known.observations:
        return
    if known.relationship.state == relationship.STRANGER and known.disposition is None:
        repository.save_all(character, {}, removed=[(kinds.PROFILES, who), (kinds.BACKLOG, who)])
        _write_name(character, who, "")


def _opened(character: TypedObject, entity: Entity, *, now: datetime | None = None) -> Profile:
    """Return a profile to be changed, new or not; name and type follow the object, if one is given."""
    key = _key(character, entity)
    if not key:
        raise ValueError("Whoever has no identity cannot be remembered.")
    obj = identity.object_of(entity)
    known = repository.load(character, kinds.PROFILES, key)
    if known is None:
        known = profile.new(key, now=now or scheduling.now())
    return known if obj is None else _seen(character, obj, known)


def _keep(character: TypedObject, known: Profile) -> None:
    """Write a profile, and in the index of names how it is called by now."""
    before = repository.load(character, kinds.PROFILES, known.entity_id)
    with repository.together(character):
        _write(character, known)
        if known.name != (before.name if before is not None else ""):
            _write_name(character, known.entity_id, known.name)


def _write(character: TypedObject, known: Profile) -> None:
    """Write a profile together with the mark that says whether sleep has to look at it."""
    key = known.entity_id
    is_ripe = len(consolidation_rules.waiting(known)) >= RIPE
    was_ripe = entity_backlog.is_ripe(character, key)
    values: dict[repository.Place, object] = {(kinds.PROFILES, key): known}
    mark = (kinds.BACKLOG, key)
    if is_ripe and not was_ripe:
        values[mark] = 1
    repository.save_all(character, values, removed=[mark] if was_ripe and not is_ripe else [])


def _seen(character: TypedObject, obj: TypedObject, known: Profile) -> Profile:
    """Return a profile with name, number and type of the object that it is of."""
    # Somebody who has an account stays a player; others are looked at anew.
    kind = "player" if known.entity_type == "player" else _type_of(obj)
    name = markup.plain(obj.get_display_name(looker=character)) or obj.key
    return structs.replace(known, name=name, dbref=obj.dbref, entity_type=kind)


def _type_of(obj: TypedObject) -> str:
    if obj.has_account or obj.account or _is_of_player(obj):
        return "player"
    lives = isinstance(obj, DefaultCharacter) or active_assistants.script_id_of(obj.id) is not None
    return "npc" if lives else "object"


def _is_of_player(obj: TypedObject) -> bool:
    """Return whether an object that nobody plays is among an account's own characters."""
    account = identity.account_of(obj)
    return account is not None and obj in identity.characters_of(account)


def _key(character: TypedObject, entity: Entity) -> str:
    return identity.known_as(character, entity)


def _write_name(character: TypedObject, key: str, name: str) -> None:
    page = kinds.name_page(key)
    names = repository.load(character, kinds.NAMES, page) or {}
    changed = {**names, key: name} if name else {who: names[who] for who in names if who != key}
    if changed != names:
        repository.save(character, kinds.NAMES, changed, page)


def _folded(name: str) -> str:
    return " ".join(name.split()).casefold()


def _note_passing(character: TypedObject, entity: Entity) -> None:
    """Let what was noticed of somebody who opted out go with the next leave-taking."""
    who, script = _key(character, entity), active_assistants.script_of(character)
    object_id = accounts.object_id_of(who)
    if object_id is not None and script is not None:
        assistant.note_guest(script, who, object_id)


def _log_lost(character: TypedObject, known: Profile, dropped: list[Observation]) -> None:
    lost = sum(not one.consolidated for one in dropped)
    name, whom = f"{character.key}(#{character.id})", known.name or known.entity_id

    def say(count: int) -> None:
        logger.log_warn(
            f"evennia_ai: {name} forgot {count} observation(s) of {whom} before it slept on them."
        )

    if lost:
        rate_limits.tell(("observations", character.id, known.entity_id), say, lost)
