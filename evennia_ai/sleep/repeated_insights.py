"""Insights beside earlier ones: who says what one said strengthens it, and one that no longer holds goes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from twisted.internet.defer import inlineCallbacks

from evennia_ai.agent.prompting import recall_sources
from evennia_ai.agent.revising import correcting
from evennia_ai.core import words
from evennia_ai.core.records import Audience
from evennia_ai.domain import audience as audiences
from evennia_ai.domain.sleeping import importance, insights, reflection_rules
from evennia_ai.memory import identity, journal
from evennia_ai.memory.people import entity_profiles
from evennia_ai.semantic import journal_sync
from evennia_ai.semantic.base import get_memory
from evennia_ai.sleep import evidence as evidences

# Words without which a sentence says the same: articles, forms of verbs that help others, and what
# only makes it stronger. Of all others one is enough to say something else ("to" and "from", "stopped").
IDLE = frozenset(
    """a an the this that these those there is are was were be been being am has have had having do
    does did really very quite so too also just clearly indeed often usually frequently generally
    en ett den det de är var vara varit har hade ha mycket väldigt också verkligen ofta""".split()
)
# Earlier insights of the journal that a mind is shown, and of those that grew old.
SHOWN, AGED_SHOWN = 8, 4
_NOT = re.compile(r"n['’]t\b", re.I)
# What is written large within a sentence: "Jon" and "Jons" may have the same stem.
_NAME = re.compile(r"(?<=\w )[A-ZÀ-ÖØ-Þ]\w*")

Insight = dict[str, Any]


class Told(NamedTuple):
    """An insight, who may know it, and what it rests on.

    It stands in an entry of the journal, or has grown old and is a memory of long-term memory.
    """

    entry_id: int
    content: str
    audience: Audience
    evidence: Sequence[int] = ()
    memory_id: str = ""


def told_before(npc: Any, audience: Audience) -> list[Told]:
    """Return the insights that the journal has for the same ears, oldest first."""
    return [
        Told(entry.id, content, entry.audience, evidence)
        for entry in audiences.select_open_to(journal.entries(npc), audience)
        if reflection_rules.is_synthesis(entry)
        and reflection_rules.TAKEN_BACK_TAG not in entry.tags
        for content, evidence in insights.read(entry.content)
    ]


@inlineCallbacks
def aged_before(npc: Any, query: str, audience: Audience):
    """Return the insights for the same ears that grew old and fit a query, those that fit best."""
    there = {one.content for one in told_before(npc, audience)}
    found = yield evidences.search_long_term_memory(
        query,
        identity.identity_of(npc),
        audience,
        limit=2 * AGED_SHOWN,
        filters={"tags": reflection_rules.SYNTHESIS_TAG},
    )
    return [
        Told(0, one.text, one.audience, evidence, one.id)
        for one in found
        # What sums up a talk has no evidence.
        if (evidence := one.metadata.get(journal_sync.EVIDENCE))
        and reflection_rules.TAKEN_BACK_TAG not in one.tags
        and one.text not in there
    ][:AGED_SHOWN]


def of_the_same(npc: Any, told: Iterable[Told], items: Iterable[Mapping[str, Any]]) -> list[Told]:
    """Return the insights about people whom some evidence is about, or from, as well; the newest."""
    shown = list(items)
    said = " ".join(f"{item['by']} {item['text']}" for item in shown).casefold()
    names = {*entity_profiles.known_names(npc), *(item["by"].casefold() for item in shown)} - {""}
    # It may know thousands.
    named = (_named(name) for name in names if name in said)
    present = [name for name in named if name.search(said)]
    concerned = [one for one in told if any(name.search(one.content) for name in present)]
    aged = [one for one in concerned if one.memory_id]
    return [*aged, *[one for one in concerned if not one.memory_id][-SHOWN:]]


def refuted(
    npc: Any,
    known: Sequence[Told],
    outdated: Iterable[Any],
    fresh: Mapping[int, str],
) -> list[Told]:
    """Return the insights that some evidence refutes: `outdated` has its numbers and theirs, from 1.

    `fresh` are the ids of new evidence by number. What one person says refutes only what is about
    them or from them; for what others told it takes a second, or something that was seen.
    """
    found = []
    for cited in outdated:
        ids = evidences.entry_ids(fresh[one] for one in cited.evidence if one in fresh)
        if not 0 < cited.number <= len(known) or not ids:
            continue
        earlier, told = known[cited.number - 1], journal.get_entries(npc, ids).values()
        sources = {one.said_by for one in told}
        if len(sources) > 1 or "" in sources or sources & _concerned(npc, earlier):
            found.append(earlier)
    return found


def _concerned(npc: Any, insight: Told) -> set[str]:
    """Return whom an insight names, and from whom it is, by identity."""
    basis = journal.get_entries(npc, insight.evidence).values()
    return {
        *recall_sources.mentioned(npc, insight.content),
        *(one.said_by for one in basis if one.said_by),
    }


def let_go(character: Any, outdated: Iterable[Told], *, audience: Audience) -> None:
    """Take insights that no longer hold out of the journal, as far as they are for just these ears."""
    for earlier in outdated:
        entry = journal.get_entry(character, earlier.entry_id)
        if entry is None or sorted(entry.audience) != sorted(audience):
            continue
        correcting.withdraw(character, entry, earlier.content)


@inlineCallbacks
def let_go_aged(npc: Any, outdated: Iterable[Told], *, audience: Audience):
    """Take back what grew old and no longer holds, as far as it is for just these ears."""
    key, memory = identity.identity_of(npc), get_memory()
    for earlier in outdated:
        if not earlier.memory_id or sorted(earlier.audience) != sorted(audience):
            continue
        kept = yield memory.get(earlier.memory_id, assistant_key=key)
        if kept is not None:
            yield correcting.withdraw_aged(memory, kept, assistant_key=key)


def parted(
    found: Iterable[Insight], told: Iterable[Told]
) -> tuple[list[Insight], list[tuple[Told, Insight]]]:
    """Return the insights that are new, and the others, each behind the one that says the same."""
    known, new, again = list(told), [], []
    for one in found:
        earlier = next((old for old in known if says_the_same(old.content, one["content"])), None)
        if earlier is None:
            new.append(one)
        else:
            again.append((earlier, one))
    return new, again


def says_the_same(one: str, other: str) -> bool:
    """Return whether two insights differ in nothing but forms of words and words that tell nothing.

    Names, numbers, "not", and each word that tells something must be the same, in the same order.
    """
    return _telling(one) == _telling(other) and _NAME.findall(one) == _NAME.findall(other)


def strengthen(
    character: Any, again: Iterable[tuple[Told, Insight]], *, audience: Audience
) -> None:
    """Let insights stand on what they were concluded from once more, and matter more for it.

    So do those that are for just these ears; what more may know must not rest on what fewer may.
    """
    for earlier, insight in again:
        entry = journal.get_entry(character, earlier.entry_id)
        if entry is None or sorted(entry.audience) != sorted(audience):
            continue
        more = [
            one
            for one in evidences.entry_ids(insight["evidence_ids"])
            if one not in entry.derived_from
        ]
        if more:
            journal.edit_entry(
                character,
                entry.id,
                content=insights.with_evidence(entry.content, earlier.content, more),
                evidence=[*entry.derived_from, *more],
                importance=importance.clamp(entry.importance + 1),
            )


def without_forgotten(
    character: Any, made: Mapping[str, Any]
) -> tuple[list[Insight], list[tuple[Told, Insight]]]:
    """Return the new insights and the repeated ones without those whose evidence is gone."""
    every = [*made["insights"], *(one for _, one in made["again"])]
    cited = {id for one in every for id in evidences.entry_ids(one["evidence_ids"])}
    there = journal.get_entries(character, sorted(cited)).keys()

    def stands(one: Insight) -> bool:
        return there >= set(evidences.entry_ids(one["evidence_ids"]))

    return (
        [one for one in made["insights"] if stands(one)],
        [pair for pair in made["again"] if stands(pair[1])],
    )


def _named(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.I)


def _telling(text: str) -> list[str]:
    found = words.words(_NOT.sub(" not", text))
    language = words.language_of(found)
    return [words.stem(word, language) for word in found if word not in IDLE]
