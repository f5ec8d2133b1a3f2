"""What an assistant knows of players, NPCs and objects: one record per entity.

An innkeeper who knows 5,000 people pays for the one whom it talks with. Profiles are kept under
identities; names are only looked up in an index beside them.
"""

from __future__ import annotations

import re
from collections.abc import ItemsView, Mapping, ValuesView
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Iterable, Iterator

from evennia.objects.objects import DefaultCharacter
from evennia.utils import logger
from evennia.utils.ansi import strip_ansi, strip_mxp

from evennia_ai import conf, pace
from evennia_ai.core.records import Audience, format_time
from evennia_ai.domain import consolidation, profile, relationship
from evennia_ai.domain.profile import Observation, Profile
from evennia_ai.memory import (
    accounts,
    assistant,
    entity_backlog,
    identity,
    kinds,
    repository,
    roster,
    working_memory,
)

_DBREF = re.compile(r"\(#\d+\)")


def create_entity_profile(
    character: Any,
    entity: Any,
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
    with _edited(character, entity, now=now) as known:
        if not known["name"]:
            known["name"] = name
            known["entity_type"] = entity_type or known["entity_type"]
    return known


def get_entity_profile(character: Any, entity: Any) -> Profile:
    """Return what is known of an entity: a UUID, "#123" or an object; begin to know it if need be."""
    return find_profile(character, entity) or create_entity_profile(character, entity)


def find_profile(character: Any, entity: Any) -> Profile | None:
    """Return what is known of an entity, or None if it is not known."""
    key = _key(character, entity)
    stored = repository.load(character, kinds.PROFILES, key) if key else None
    return None if stored is None else profile.migrated(stored, entity_id=key, now=pace.now())


def find_by_name(character: Any, name: str) -> list[str]:
    """Return the identities of all who are known by exactly this name, whatever its case."""
    return known_names(character).get(_folded(name), [])


def known_names(character: Any) -> dict[str, list[str]]:
    """Return the identities of all who are known, by name in lower case."""
    found: dict[str, list[str]] = {}
    for names in repository.load_all(character, kinds.NAMES).values():
        for who, known in names.items():
            found.setdefault(_folded(known), []).append(who)
    return {name: sorted(identities) for name, identities in found.items()}


def find_mentioned(character: Any, names: Iterable[str]) -> list[str]:
    """Return the identities of those who bear one of these names (in lower case), in their order.

    It is asked at each recall: of an innkeeper who knows 5,000 people, too.
    """
    wanted = {name: place for place, name in enumerate(names)}
    found = []
    # Read ahead, and kept in memory.
    repository.warm(character, [(kinds.NAMES, page) for page in kinds.NAMES.pages])
    for page in kinds.NAMES.pages:
        for who, known in (repository.load(character, kinds.NAMES, page) or {}).items():
            place = wanted.get(known.casefold())
            if place is not None:
                found.append((place, who))
    return [who for _, who in sorted(found)]


def note_interaction(
    character: Any, entity: Any, *, name: str = "", now: datetime | None = None
) -> None:
    """Note that the assistant dealt with an entity just now, and what it is called by now."""
    with _edited(character, entity, now=now) as known:
        known["name"] = name or known["name"]
        known["last_interaction"] = format_time(now or pace.now())


def add_entity_observation(
    character: Any,
    entity: Any,
    content: str,
    source: str = "direct",
    *,
    audience: Audience,
    told_by: str = "",
    event_id: str = "",
    now: datetime | None = None,
) -> Observation:
    """Note something about an entity; return the observation as it is kept.

    `source` is direct, inferred or told, or one of the journal's words; `told_by` is the identity of
    whoever said it. Raises ValueError for empty words and unknown sources.
    """
    moment = now or pace.now()
    noticed = profile.observation(
        content,
        source,
        about=_key(character, entity),
        audience=audience,
        trust=conf.get("TRUST"),
        now=moment,
        told_by=told_by,
        event_id=event_id,
    )
    with _edited(character, entity, now=moment) as known:
        changed, noticed = profile.with_observation(known, noticed)
        known.update(changed)
        kept, dropped = profile.capped(known["observations"], limit=conf.get("OBSERVATIONS"))
        known["observations"] = kept
        # What is noticed in the journal afterwards was no later meeting.
        known["last_interaction"] = max(known["last_interaction"], format_time(moment))
        _log_lost(character, known, dropped)
    _note_passing(character, entity)
    return noticed


def apply_attributes(
    character: Any,
    entity: Any,
    found: list[consolidation.Found],
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
    with _edited(character, entity) as known:
        before = {fact["id"] for fact in known["attributes"]}
        known.update(
            consolidation.merged(known, found, audience=audience, consumed=consumed, now=pace.now())
        )
    return len({fact["id"] for fact in known["attributes"]} - before)


def update_relationship(
    character: Any,
    entity_id: Any,
    delta: float,
    interaction_type: str | None = None,
    *,
    now: datetime | None = None,
) -> dict[str, Any]:
    """Adjust how the assistant regards an entity; return what changed.

    The delta is cut to what one call and one day may change (setting FAVORABILITY).
    """
    moment, limits = now or pace.now(), conf.get("FAVORABILITY")
    with _edited(character, entity_id, now=moment) as known:
        before, day = known["relationship"], relationship.new_day(moment)
        if known["today"]["date"] == day["date"]:
            day = known["today"]
        allowed = relationship.allowed_delta(
            delta, today=day["delta"], per_call=limits["call"], per_day=limits["day"]
        )
        after = relationship.apply_delta(before, allowed, now=moment, reason=interaction_type)
        known["relationship"] = after
        known["today"] = {**day, "delta": round(day["delta"] + after["last_delta"], 6)}
        known["last_interaction"] = format_time(moment)
    return {
        "old_state": before["state"],
        "new_state": after["state"],
        "favorability": after["favorability"],
        "state_changed": before["state"] != after["state"],
    }


def set_disposition(character: Any, entity: Any, disposition: float | None) -> None:
    """Say how well the assistant is disposed to an entity: -1 to 1, or None to leave it open."""
    if disposition is not None and not -1.0 <= disposition <= 1.0:
        raise ValueError(f"A disposition lies between -1 and 1, not at {disposition}.")
    with _edited(character, entity) as known:
        known["disposition"] = disposition


def manner_towards(character: Any, entity: Any) -> str:
    """Return the words for a prompt that say how the assistant treats an entity."""
    known = find_profile(character, entity)
    if known is None:
        return relationship.manner_for("stranger")
    state = known["relationship"]["state"]
    return relationship.manner_for(state, disposition=known["disposition"])


def forget_entity(character: Any, entity: Any) -> None:
    """Remove one entity from profiles, names and working memory, and what it told of others.

    It looks through everybody who is known: for leave-takings, not for each turn.
    """
    key = _key(character, entity)
    if not key:
        return
    removed = [(kinds.PROFILES, key), (kinds.BACKLOG, key)]
    repository.save_all(character, {}, removed=removed)
    _write_name(character, key, "")
    working_memory.remove_conversation(character, key)
    for other, known in profiles(character).items():
        left = profile.without_teller(known, key)
        if left != known:
            repository.save(character, kinds.PROFILES, left, other)


def profiles(character: Any) -> EntityProfiles:
    """Return all that an assistant knows of others, as a mapping that reads when it is asked."""
    return EntityProfiles(character)


class EntityProfiles(Mapping[str, Profile]):
    """The profiles of one assistant by identity; also found by "#123" and by object. Read only."""

    def __init__(self, character: Any) -> None:
        self._character = character

    def __getitem__(self, entity: Any) -> Profile:
        known = find_profile(self._character, entity)
        if known is None:
            raise KeyError(entity)
        return known

    def __iter__(self) -> Iterator[str]:
        return iter(repository.keys(self._character, kinds.PROFILES))

    def __len__(self) -> int:
        return len(list(iter(self)))

    def items(self) -> ItemsView[str, Profile]:
        """Return everything that is known, read in one query."""
        stored = repository.load_all(self._character, kinds.PROFILES)
        now = pace.now()
        return {
            key: profile.migrated(stored[key], entity_id=key, now=now) for key in sorted(stored)
        }.items()

    def values(self) -> ValuesView[Profile]:
        """Return all profiles, read in one query."""
        return dict(self.items()).values()

    def __repr__(self) -> str:
        return f"<profiles of {len(self)} entities>"


@contextmanager
def _edited(character: Any, entity: Any, *, now: datetime | None = None) -> Iterator[Profile]:
    """Change a profile in place, new or not; name and type follow the object, if one is given."""
    key, moment = _key(character, entity), now or pace.now()
    if not key:
        raise ValueError("Whoever has no identity cannot be remembered.")
    obj = identity.object_of(entity)
    stored = repository.load(character, kinds.PROFILES, key)
    known = profile.migrated(stored or {}, entity_id=key, now=moment)
    before = known["name"]
    if obj is not None:
        known.update(_seen(character, obj, known["entity_type"]))
    yield known
    with repository.together(character):
        _write(character, key, known)
        if known["name"] != before:
            _write_name(character, key, known["name"])


def _write(character: Any, key: str, known: Profile) -> None:
    """Write a profile together with the mark that says whether sleep has to look at it."""
    is_ripe = len(consolidation.waiting(known)) >= conf.get("ENTITY_OBSERVATIONS")
    was_ripe = entity_backlog.is_ripe(character, key)
    values: dict[repository.Place, object] = {(kinds.PROFILES, key): known}
    mark = (kinds.BACKLOG, key)
    if is_ripe and not was_ripe:
        values[mark] = 1
    repository.save_all(character, values, removed=[mark] if was_ripe and not is_ripe else [])


def _seen(character: Any, obj: Any, entity_type: str) -> dict[str, str]:
    shown = strip_mxp(strip_ansi(obj.get_display_name(looker=character)))
    kind = _type_of(obj)
    return {
        "name": _DBREF.sub("", shown).strip() or obj.key,
        "dbref": obj.dbref,
        # A player's character that nobody plays at the moment looks like an NPC.
        "entity_type": entity_type if entity_type == "player" else kind,
    }


def _type_of(obj: Any) -> str:
    if obj.has_account or obj.account:
        return "player"
    lives = isinstance(obj, DefaultCharacter) or roster.script_id_of(obj.id) is not None
    return "npc" if lives else "object"


def _key(character: Any, entity: Any) -> str:
    return identity.known_as(character, entity)


def _write_name(character: Any, key: str, name: str) -> None:
    page = kinds.name_page(key)
    names = repository.load(character, kinds.NAMES, page) or {}
    changed = {**names, key: name} if name else {who: names[who] for who in names if who != key}
    if changed != names:
        with repository.together(character):
            repository.save(character, kinds.NAMES, changed, page)
            pages = (repository.load(character, kinds.NAMES, one) for one in kinds.NAMES.pages)
            people = sum(len(names) for names in pages if names)
            repository.show(character, "entity_profiles", {"people": people})


def _folded(name: str) -> str:
    return " ".join(name.split()).casefold()


def _note_passing(character: Any, entity: Any) -> None:
    """Let what was noticed of somebody who opted out go with the next leave-taking."""
    who, script = _key(character, entity), roster.script_of(character)
    object_id = accounts.object_id_of(who)
    if object_id is not None and script is not None:
        assistant.note_guest(script, who, object_id)


def _log_lost(character: Any, known: Profile, dropped: list[Observation]) -> None:
    lost = [one for one in dropped if not one["consolidated"]]
    if lost:
        logger.log_warn(
            f"evennia_ai: {character.key}(#{character.id}) forgot {len(lost)} observation(s) of "
            f"{known['name'] or known['entity_id']} before it slept on them."
        )
