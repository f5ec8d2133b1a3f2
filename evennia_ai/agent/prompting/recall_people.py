"""Recall of people who are mentioned, or of whoever asks about themselves."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Any

from evennia_ai import conf
from evennia_ai.core.records import EntityAttribute
from evennia_ai.domain.memories import memory_ranking, profile
from evennia_ai.domain.memories.remembered import Remembered
from evennia_ai.domain.sleeping import consolidation_rules, reflection_rules
from evennia_ai.memory import journal
from evennia_ai.memory.people import entity_profiles

# People whom one question may be about.
PEOPLE = 3
# Lasting knowledge is what many looks came to: it is told before any one remark.
TRUST = 1.0
IMPORTANCE = 10

# What somebody told lately: so many things of so many entries of the journal, the newest.
TOLD = 6
JOURNAL_LIMIT = 300
# Observations of one person, the newest.
NOTICED = 8

_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")


def mentioned(npc: Any, words: str) -> list[str]:
    """Return the identities of those who are named in some words, a few at most."""
    return entity_profiles.find_mentioned(npc, _possible_names(words))[:PEOPLE]


def about(npc: Any, who: str) -> list[Remembered]:
    """Return all of it that is known of somebody, by identity: what is lasting comes first."""
    if not who:
        return []
    found = [*noticed(npc, who), *told(npc, who), *seen(npc, who)]
    lately = sorted(found, key=lambda one: one.timestamp)
    return [*of_person(npc, who), *reversed(lately)]


def noticed(npc: Any, who: str) -> list[Remembered]:
    """Return what was noticed about somebody lately, newest first, each with its audience."""
    known = entity_profiles.find_profile(npc, who)
    return [
        Remembered(
            text=one.content,
            by="",
            kind="journal",
            claimed_by=known.name if known and profile.is_claim(one, who) else "",
            timestamp=one.timestamp,
            trust=one.source_trust,
            importance=IMPORTANCE,
            audience=one.audience,
            event_id=one.event_id,
        )
        for one in reversed(known.observations[-NOTICED:] if known else ())
    ]


def told(npc: Any, who: str) -> list[Remembered]:
    """Return what somebody told lately, newest first, each with its audience."""
    found = (one for one in from_them(npc, who) if one.kind == memory_ranking.SAID)
    return list(itertools.islice(found, TOLD))


def seen(npc: Any, who: str) -> list[Remembered]:
    """Return what somebody was seen to do lately, newest first, each with its audience."""
    found = (one for one in from_them(npc, who) if one.kind != memory_ranking.SAID)
    return list(itertools.islice(found, NOTICED))


def from_them(npc: Any, who: str) -> Iterator[Remembered]:
    """Yield what is noted of the words and deeds of somebody, newest first, each with its audience."""
    recent = itertools.islice(journal.newest_first(npc), JOURNAL_LIMIT)
    return (
        memory_ranking.of_entry(entry)
        for entry in recent
        if entry.said_by == who and reflection_rules.may_be_told(entry)
    )


def of_person(npc: Any, who: str) -> list[Remembered]:
    """Return what is known for good of somebody, by identity, each with its audience."""
    known = entity_profiles.find_profile(npc, who)
    return [
        _fact(fact, name=known.name, who=who)
        for fact in (known.attributes if known else ())
        if fact.superseded_by is None
    ]


def _fact(fact: EntityAttribute, *, name: str, who: str) -> Remembered:
    """Return an attribute as a memory; `claimed_by` names who it is of, if it is their own word alone.

    Who put it right themselves is told as its source by every mind, as for what they told.
    """
    is_claim = profile.is_claim(fact, who)
    is_corrected = is_claim and fact.source == profile.CORRECTION
    return Remembered(
        text=consolidation_rules.sentence(name, fact.value),
        by=name if is_corrected else "",
        kind="claim" if is_corrected else "fact",
        claimed_by=name if is_claim else "",
        timestamp=fact.created,
        trust=conf.get("TRUST")["direct"] if is_claim else TRUST,
        importance=IMPORTANCE,
        audience=fact.audience,
        event_id="",
    )


def _possible_names(words: str) -> list[str]:
    """Return the words one by one, and in twos and threes, in lower case: names, perhaps."""
    spoken = _WORD.findall(words.casefold())
    # "Ann's" is found as two words; "Olofs" is of Olof.
    found = [*spoken, *(word[:-1] for word in spoken if word.endswith("s"))]
    runs = [" ".join(found[at : at + size]) for size in (3, 2, 1) for at in range(len(found))]
    return list(dict.fromkeys(runs))
