"""From observations of a person to lasting knowledge: what is looked at together, what it changes.

Each audience is looked at by itself: what comes of a whisper is for the ears of the whisper, and
never says in public that something which was said in public no longer holds.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any, Iterable, Mapping, TypedDict

from msgspec import structs

from evennia_ai.core.records import (
    Audience,
    EntityAttribute,
    Observation,
    Profile,
    Source,
    format_time,
    united,
)
from evennia_ai.domain import audience as audiences
from evennia_ai.domain.memories import self_reference
from evennia_ai.domain.memories.profile import HEARSAY_TRUST
from evennia_ai.domain.model_text.reply import printable
from evennia_ai.domain.sleeping import truth

# Types of attributes of which one holds at a time: nobody lives in two places.
SINGLE = frozenset(("name", "home", "origin", "occupation", "age"))
# Observations that one request shows, the oldest; and attributes that one answer may give.
OBSERVATIONS = 30
ANSWERS = 12
VALUE_LENGTH = 200
TYPE_LENGTH = 30
# Share of the telling words of a value that observations must have: it may be in other words.
VALUE_SHARE = 0.3
# Attributes of one person that are kept: those that hold, and those that once did.
CURRENT = 60
SUPERSEDED = 20


class Found(TypedDict):
    """An attribute that a mind has found: on which observations it rests, and what it replaces."""

    type: str
    value: str
    evidence: list[int]
    replaces: list[int]


class Group(TypedDict):
    """What is looked at together: plain data of one profile, all known to one audience."""

    audience: Audience
    name: str
    listener: str
    observations: list[dict[str, Any]]
    known: list[dict[str, Any]]
    background: list[dict[str, Any]]


def waiting(known: Profile) -> list[Observation]:
    """Return the observations of which nothing was made yet, oldest first."""
    return [one for one in known.observations if not one.consolidated]


def plan_groups(known: Profile, *, listener: str, limit: int) -> list[Group]:
    """Return what waits, by audience: the public first, then the largest; `limit` groups at most.

    Beside its own observations a group is shown what all of its audience may know anyway.
    """
    holding = [fact for fact in known.attributes if fact.superseded_by is None]
    return [
        {
            "audience": audience,
            "name": known.name,
            "listener": listener,
            "observations": [_shown(one, known.entity_id) for one in fresh[:OBSERVATIONS]],
            "known": [
                {
                    "id": fact.id,
                    "type": fact.type,
                    "value": fact.value,
                    "evidence": fact.derived_from,
                }
                for fact in holding
                if fact.audience == audience
            ],
            "background": [
                {"type": fact.type, "value": fact.value}
                for fact in audiences.select_open_to(holding, audience)
                if fact.audience != audience
            ],
        }
        for audience, fresh in audiences.divided(waiting(known))[:limit]
    ]


def checked(
    answers: Iterable[Mapping[str, Any]], group: Group, *, by_rules: bool = False
) -> list[Found]:
    """Return the answers of a mind that say something and rest on what it was shown.

    What rules have made of it is true by itself.
    """
    shown = {one["id"] for one in group["observations"]}
    shown |= {number for fact in group["known"] for number in fact["evidence"]}
    own = {fact["id"] for fact in group["known"]}
    hearsay = {one["id"] for one in group["observations"] if one["is_hearsay"]}
    told = {one["id"]: _words(one["content"]) for one in group["observations"]}
    held = [fact["value"] for fact in (*group["known"], *group["background"])]
    found: list[Found] = []
    for answer in answers:
        value = printable(str(answer["value"]), max_length=VALUE_LENGTH).strip()
        evidence = sorted(shown & set(answer["evidence"]))
        sources = [*(told[one] for one in evidence if one in told), *held]
        if self_reference.is_about(value, names=[group["listener"]]):
            continue
        if not by_rules and not truth.carries(
            sources,
            f"{value[:1].lower()}{value[1:]}",
            names=[group["name"], group["listener"]],
            share=VALUE_SHARE,
            retells=group["name"],
        ):
            continue
        # Rules quote hearsay with its source.
        if value and not by_rules and hearsay.issuperset(evidence):
            value = reported(value)
        if value and evidence:
            replaces = sorted(own & set(answer.get("replaces") or ()))
            kind = re.sub(r"\W+", "_", str(answer["type"]).casefold()).strip("_")[:TYPE_LENGTH]
            found.append(
                {
                    "type": kind or "trait",
                    "value": value,
                    "evidence": evidence,
                    "replaces": replaces,
                }
            )
    return found[:ANSWERS]


def reported(value: str) -> str:
    """Return a value that says itself that only others say so."""
    if value.casefold().startswith("reportedly"):
        return value
    return printable(f"Reportedly {value[0].lower()}{value[1:]}", max_length=VALUE_LENGTH)


def merged(
    known: Profile,
    found: Iterable[Found],
    *,
    audience: Audience,
    consumed: Iterable[int],
    now: datetime,
) -> Profile:
    """Return the profile with what was found, and the observations marked that it was made of.

    What was said before is united with it; what it contradicts stays as superseded. Evidence that
    has been forgotten meanwhile is none, and what has none left is not kept.
    """
    used = set(consumed)
    facts = list(known.attributes)
    # Of evidence that made room for others, the attribute that rests on it is the witness.
    there = {one.id for one in known.observations}
    there |= {number for fact in facts for number in fact.derived_from}
    for one in found:
        evidence = sorted(there & set(one["evidence"]))
        if evidence:
            made_of = {
                "tellers": _tellers(known, facts, evidence, audience),
                "sources": _sources(known, facts, evidence, audience),
            }
            facts = _with(facts, one, evidence, audience=audience, **made_of, now=now)
    observations = [
        structs.replace(one, consolidated=one.consolidated or one.id in used)
        for one in known.observations
    ]
    return structs.replace(known, attributes=_trimmed(facts), observations=observations)


def sentence(name: str, value: str) -> str:
    """Return an attribute as a sentence about somebody, to be told."""
    words = value.strip().rstrip(".")
    if re.search(rf"\b{re.escape(name)}\b", words, re.I):
        return f"{words}."
    first = words.split(" ", 1)[0].casefold()
    if _VERB.fullmatch(first) and not words[:2].isupper():
        return f"{name} {words[0].lower()}{words[1:]}."
    return f"{name}: {words}."


_VERB = re.compile(r"\w+ly|\w*[^s\W]s|never|often|always|used|cannot|can|no|once|has|is|was")


def _shown(one: Observation, entity_id: str) -> dict[str, Any]:
    doubtful = one.source_trust <= HEARSAY_TRUST and one.said_by not in ("", entity_id)
    return {
        "id": one.id,
        "content": one.content,
        "is_hearsay": doubtful,
        "timestamp": one.timestamp,
    }


def _words(content: str) -> str:
    """Return what was said, without that it was."""
    return content.partition(": ")[2] or content


def _tellers(
    known: Profile, facts: list[EntityAttribute], evidence: list[int], audience: Audience
) -> list[str]:
    """Return by whom it is known; what was seen is known by nobody, which is "" among others."""
    there = {one.id: one.said_by for one in known.observations}
    tellers = {there[number] for number in evidence if number in there}
    older = {number for number in evidence if number not in there}
    for fact in facts:
        if fact.audience == audience and older & set(fact.derived_from):
            tellers |= set(fact.told_by)
    return sorted(tellers)


def _sources(
    known: Profile, facts: list[EntityAttribute], evidence: list[int], audience: Audience
) -> list[Source]:
    """Return what is behind evidence; of such as made room for others, what is behind the attribute that rests on it."""
    noticed = [one for one in known.observations if one.id in evidence]
    older = set(evidence) - {one.id for one in noticed}
    held = [one for one in facts if one.audience == audience and older & set(one.derived_from)]
    return united(*(one.origins for one in (*held, *noticed)))


def _with(
    facts: list[EntityAttribute],
    found: Found,
    evidence: list[int],
    *,
    audience: Audience,
    tellers: list[str],
    sources: list[Source],
    now: datetime,
) -> list[EntityAttribute]:
    same = next((fact for fact in facts if _is_same(fact, found, audience)), None)
    if same is not None:
        together = sorted({*same.derived_from, *evidence})
        told = sorted({*same.told_by, *tellers})
        kept = structs.replace(
            same, derived_from=together, told_by=told, sources=united(same.sources, sources)
        )
    else:
        kept = EntityAttribute(
            id=1 + max((fact.id for fact in facts), default=0),
            type=found["type"],
            value=found["value"],
            source="consolidation",
            created=format_time(now),
            derived_from=evidence,
            superseded_by=None,
            audience=audiences.as_kept(audience),
            told_by=tellers,
            sources=sources,
        )
    replaced = set(found["replaces"])
    others = [
        structs.replace(fact, superseded_by=kept.id) if _gives_way(fact, kept, replaced) else fact
        for fact in facts
        if fact.id != kept.id
    ]
    return sorted([*others, kept], key=lambda fact: fact.id)


def _is_same(fact: EntityAttribute, found: Found, audience: Audience) -> bool:
    return (
        fact.superseded_by is None
        and fact.audience == audience
        and fact.type == found["type"]
        and _folded(fact.value) == _folded(found["value"])
    )


def _gives_way(fact: EntityAttribute, newer: EntityAttribute, replaced: set[int]) -> bool:
    if fact.superseded_by is not None or fact.audience != newer.audience:
        return False
    is_single = fact.type == newer.type and newer.type in SINGLE
    return fact.id in replaced or is_single


def _folded(value: str) -> str:
    return " ".join(re.findall(r"\w+", value.casefold()))


def _trimmed(facts: list[EntityAttribute]) -> list[EntityAttribute]:
    """Return the newest of those that hold, and of those that once did."""
    holding = [fact.id for fact in facts if fact.superseded_by is None][-CURRENT:]
    past = [fact.id for fact in facts if fact.superseded_by is not None][-SUPERSEDED:]
    kept = {*holding, *past}
    return [fact for fact in facts if fact.id in kept]
