"""Consolidation of observations of people into lasting knowledge of them.

First the journal is looked through for what it says of people; who then has enough observations is
thought about, for each audience by itself.
"""

from __future__ import annotations

import itertools
from typing import Any

from twisted.internet.defer import inlineCallbacks

from evennia_ai import prompts_asleep, scheduling
from evennia_ai.core import records
from evennia_ai.domain import audience as audiences
from evennia_ai.domain.sleeping import consolidation_rules, mentions, profile_rules
from evennia_ai.domain.sleeping.consolidation_rules import Group
from evennia_ai.exceptions import BudgetExceeded, LLMBadReply, LLMUnavailable
from evennia_ai.memory import identity, journal, kinds, lookup, repository
from evennia_ai.memory.people import entity_backlog, entity_profiles
from evennia_ai.sleep import answers
from evennia_ai.sleep.sleep_llm import ask

# People and things of which lasting knowledge is made in one tick.
PER_TICK = 3
# Audiences of one person that are thought about in one tick; the others wait for the next.
GROUPS_PER_ENTITY = 3
# Entries of the journal that are looked through in one go, goes in one tick, and entries back at most.
ENTRIES = 2
GOES = 15
LOOK_BACK = 300


@inlineCallbacks
def run_entity_consolidation_batch(script: Any, character: Any):
    """Look through the journal, then think about those of whom enough was observed.

    Returns {"entries", "noticed", "entities", "observations", "attributes"}; "error" says why no mind
    answered: everything is left as it was, for the next tick.
    """
    script_id, character_id = script.id, character.id
    counts: dict[str, Any] = {"entries": 0, "noticed": 0}
    counts.update(entities=0, observations=0, attributes=0)
    # What is read for the first time since the start is read in a slice of its own.
    entity_backlog.noticed_until(character)
    journal.size(character)
    for _ in range(GOES):
        yield scheduling.yield_to_reactor()
        character = lookup.object_by_id(character_id)
        entries, noticed = note_from_journal(character) if character else (0, 0)
        counts["entries"] += entries
        counts["noticed"] += noticed
        if not entries:
            break
    character = lookup.object_by_id(character_id)
    if character is None:
        return counts
    ripe = entity_backlog.ripe(character)
    for who in ripe[:PER_TICK]:
        script = lookup.script_by_id(script_id)
        character = lookup.object_by_id(character_id)
        if script is None or character is None:
            break
        done = yield consolidate_entity_observations(script, character, who)
        counts["entities"] += bool(done["observations"])
        for key in ("observations", "attributes"):
            counts[key] += done[key]
        if "error" in done:
            counts["error"] = done["error"]
            break
        yield scheduling.yield_to_reactor()
    return counts


@inlineCallbacks
def consolidate_entity_observations(script: Any, character: Any, entity_id: Any):
    """Make lasting knowledge of what was observed of one person, however little it is.

    Returns {"observations": how many were used, "attributes": how many are new}, with "error" if no
    mind answered.
    """
    who = identity.known_as(character, entity_id)
    known = entity_profiles.find_profile(character, who)
    counts: dict[str, Any] = {"observations": 0, "attributes": 0}
    if known is None:
        return counts
    # Plain data and ids only from here on: the mind may think for long.
    groups = consolidation_rules.plan_groups(known, listener=character.key, limit=GROUPS_PER_ENTITY)
    script_id, character_id = script.id, character.id
    for group in groups:
        try:
            found = yield _ask(script_id, group)
        except (BudgetExceeded, LLMUnavailable) as error:
            counts["error"] = str(error)
            break
        yield scheduling.yield_to_reactor()
        body = lookup.object_by_id(character_id)
        shown = [one["id"] for one in group["observations"]]
        added = body and entity_profiles.apply_attributes(
            body,
            who,
            found,
            audience=group["audience"],
            consumed=shown,
        )
        if added is None:
            break
        counts["observations"] += len(shown)
        counts["attributes"] += added
    return counts


def note_from_journal(character: Any) -> tuple[int, int]:
    """Let the next entries of the journal become observations of people; return how many of each.

    An entry is looked at once: its observations and how far it has come are written together.
    """
    last = entity_backlog.noticed_until(character)
    recent = itertools.islice(journal.newest_first(character), LOOK_BACK)
    fresh = list(itertools.takewhile(lambda entry: entry.id > last, recent))
    entries = fresh[::-1][:ENTRIES]
    if not entries:
        return 0, 0
    names = entity_profiles.known_names(character)
    own = identity.identity_of(character)
    found = [
        (entry, one)
        for entry in entries
        for one in mentions.notice(entry, names=names, own_key=own, own_name=character.key)
    ]
    _warm(character, {one.who for _, one in found})
    named = {who for bearers in names.values() for who in bearers}
    with repository.together(character):
        for entry, one in found:
            _observe(character, entry, one, is_named=one.who in named)
        entity_backlog.note_noticed(character, entries[-1].id)
    return len(entries), len(found)


def _warm(character: Any, people: set[str]) -> None:
    """Read by one question what will be changed of people."""
    by_person = (kinds.PROFILES, kinds.BACKLOG)
    initials = {(kinds.NAMES, kinds.name_page(who)) for who in people}
    repository.warm(character, [*initials, *((kind, who) for who in people for kind in by_person)])


def _observe(
    character: Any, entry: records.Entry, noticed: mentions.Noticed, *, is_named: bool
) -> None:
    if noticed.who == entry.said_by and not is_named:
        # Who was only overheard so far has no profile yet, and would stay without a name.
        entity_profiles.create_entity_profile(character, noticed.who, name=entry.source_entity)
    entity_profiles.add_entity_observation(
        character,
        noticed.who,
        noticed.content,
        entry.source_type if noticed.told_by else "observation",
        audience=entry.audience,
        told_by=noticed.told_by,
        event_id=entry.moment,
        sources=entry.origins,
        now=records.parse_time(entry.timestamp),
    )


@inlineCallbacks
def _ask(script_id: int, group: Group):
    """Return what a mind makes of a group; where a model gives no answer of use, what rules make."""
    shown = {key: group[key] for key in ("name", "observations", "known", "background")}  # type: ignore
    try:
        answer = yield ask(
            script_id,
            "consolidate",
            messages=prompts_asleep.consolidation(
                **shown, in_confidence=audiences.is_confidence(group["audience"])
            ),
            context=dict(group),
            answer=answers.shapes().Attributes,
            schema=answers.attributes(
                [one["id"] for one in group["observations"]], [one["id"] for one in group["known"]]
            ),
        )
    except LLMBadReply:
        return consolidation_rules.checked(profile_rules.draw(dict(group)), group, by_rules=True)
    given = [one.model_dump() for one in answer.attributes]
    return consolidation_rules.checked(given, group, by_rules=answer.by_rules)
