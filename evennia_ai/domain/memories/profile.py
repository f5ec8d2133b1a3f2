"""The profile of a person or thing: stable attributes, fresh observations, a relationship.

Observations are what was noticed lately; sleep makes attributes of them. Both carry an `audience`.
"""

from __future__ import annotations

from datetime import datetime
from typing import Iterable, Mapping

from msgspec import structs

from evennia_ai.core.records import (
    GAME,
    Audience,
    EntityAttribute,
    Observation,
    Profile,
    Source,
    format_time,
)
from evennia_ai.domain import audience as audiences
from evennia_ai.domain.memories import fair_share, relationship

# What somebody or something can be.
ENTITY_TYPES = ("player", "npc", "object")

# Each word for where an observation is from, and what the journal calls it.
SOURCES = {
    "direct": "direct",
    "told": "direct",
    "hearsay": "direct",
    "inferred": "inference",
    "inference": "inference",
    "observation": "observation",
    "environmental": "environmental",
}

# How far is believed what one person tells about another.
HEARSAY_TRUST = 0.6

# The source of an attribute that whoever it is of has put right.
CORRECTION = "correction"

# Characters of one observation; the rest is cut.
CONTENT_LENGTH = 500


def new(entity_id: str, *, now: datetime) -> Profile:
    """Return the profile of somebody of whom nothing is known yet."""
    created = format_time(now)
    return Profile(
        entity_id=entity_id,
        entity_type="object",
        name="",
        dbref="",
        created=created,
        last_interaction=created,
        attributes=[],
        observations=[],
        observation_count=0,
        relationship=relationship.new(),
        disposition=None,
        today=relationship.new_day(now),
    )


def observation(
    content: str,
    source: str = "direct",
    *,
    about: str,
    audience: Audience,
    trust: Mapping[str, float],
    now: datetime,
    told_by: str = "",
    event_id: str = "",
    sources: Iterable[Source] = (),
) -> Observation:
    """Return an observation about the entity `about`, still without an id.

    Without `sources` it rests on that moment alone.

    `trust` says how far each kind of source is believed. What somebody else tells (`told_by`) is
    hearsay, whatever it is called.

    Raises:
        ValueError: The content is empty, or there is no such source.
    """
    words = " ".join(content.split())
    if not words:
        raise ValueError("An observation needs words.")
    if source not in SOURCES:
        raise ValueError(f"There is no source {source!r}; there is {', '.join(SOURCES)}.")
    kind = SOURCES[source]
    hearsay = source == "hearsay" or told_by not in ("", about)
    return Observation(
        id=0,
        content=words if len(words) <= CONTENT_LENGTH else f"{words[: CONTENT_LENGTH - 1]}…",
        source=kind,
        source_word=source,
        source_trust=min(HEARSAY_TRUST, trust[kind]) if hearsay else trust[kind],
        said_by=told_by,
        timestamp=format_time(now),
        audience=audiences.as_kept(audience),
        event_id=event_id,
        sources=[*sources] or [Source(event_id or GAME, told_by, audiences.as_kept(audience))],
        consolidated=False,
    )


def with_observation(known: Profile, noticed: Observation) -> tuple[Profile, Observation]:
    """Return the profile with one more observation, and the observation with its id.

    The same words noticed twice in one event count once.
    """
    for kept in known.observations if noticed.event_id else ():
        if (kept.content, kept.event_id) == (noticed.content, noticed.event_id):
            return known, kept
    number = known.observation_count + 1
    added = structs.replace(noticed, id=number)
    observations = [*known.observations, added]
    return structs.replace(known, observations=observations, observation_count=number), added


def capped(
    observations: list[Observation], *, limit: int
) -> tuple[list[Observation], list[Observation]]:
    """Return (kept, dropped): the oldest consolidated ones go first, then those of who told most."""
    surplus = len(observations) - limit
    if surplus <= 0:
        return observations, []
    dropped = [one for one in observations if one.consolidated][:surplus]
    waiting = (one for one in observations if not one.consolidated)
    dropped += fair_share.least_of_the_greatest(
        waiting, surplus - len(dropped), by=lambda one: one.said_by, worth=lambda one: one.id
    )
    gone = {kept.id for kept in dropped}
    return [kept for kept in observations if kept.id not in gone], dropped


def is_claim(known: EntityAttribute | Observation, who: str) -> bool:
    """Return whether something is known of somebody from themselves alone."""
    tellers = known.told_by if isinstance(known, EntityAttribute) else [known.said_by]
    return bool(who) and set(tellers) == {who}


def select_tellable(known: Profile, hearers: Iterable[str]) -> Profile:
    """Return what of a profile all these hearers may know; facts that no longer hold are left out.

    The reasons in the history of the relationship have no audience: they are told to nobody.
    """
    listening = set(hearers)
    current = [fact for fact in known.attributes if fact.superseded_by is None]
    return structs.replace(
        known,
        attributes=audiences.select_tellable(current, listening),
        observations=audiences.select_tellable(known.observations, listening),
        relationship=structs.replace(known.relationship, history=[]),
    )


def audience_of(known: Profile) -> Audience:
    """Return who may know all the attributes and observations of a profile."""
    facts = [*known.attributes, *known.observations]
    return audiences.intersection(fact.audience for fact in facts)
