"""Evidence for reflections: the memories that bear on a question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from twisted.internet.defer import inlineCallbacks

from evennia_ai import scheduling
from evennia_ai.agent import speech
from evennia_ai.agent.prompting.recall import how_long_ago
from evennia_ai.core.records import Audience, Entry
from evennia_ai.domain import audience as audiences
from evennia_ai.domain.memories import memory_ranking, passages, retrieval
from evennia_ai.domain.memories.long_term import Memory
from evennia_ai.domain.sleeping import insights, reflection_rules
from evennia_ai.memory import episodic, identity, journal, lookup
from evennia_ai.memory.people import entity_profiles
from evennia_ai.semantic import memory_thread
from evennia_ai.semantic.base import get_memory
from evennia_ai.semantic.memory_thread import MemoryUnavailable
from evennia_ai.semantic.ranking.retrieve import relevance_of

# Entries of the journal that are gone through, the newest.
JOURNAL_LIMIT = 500
# An identity that nobody has: whoever may hear only as much as they, hears what is public.
_ANYBODY = "anybody"

Evidence = dict[str, Any]


@inlineCallbacks
def retrieve_evidence_for_question(
    script: Any, question: str, limit: int = 10, *, audience: Audience = audiences.PUBLIC
):
    """Return what an assistant remembers that bears on a question: [{"id", "content", "score"}].

    Only what everybody in `audience` may know. Long-term memory comes first, then the journal; what
    both have is named by its id in the journal. If nothing fits, it is what matters most of late.
    """
    found = yield _found_for(script, question, limit, audience)
    return [{key: one[key] for key in ("id", "content", "score")} for one in found]


@inlineCallbacks
def gather(
    script: Any,
    questions: Iterable[str],
    entry_ids: Iterable[int],
    limit: int,
    *,
    audience: Audience,
):
    """Return the evidence by question, with whom it is from, and in what is left of the room the rest.

    That is under "": of these entries what matters most and no question has found, as the debt that
    was paid beside the debt.
    """
    script_id, waiting = script.id, sorted(entry_ids)
    evidence: dict[str, list[Evidence]] = {}
    for question in questions:
        script = lookup.script_by_id(script_id)
        if script is None or script.obj is None:
            return {}
        evidence[question] = yield _found_for(script, question, limit, audience)
        yield scheduling.yield_to_reactor()
    script = lookup.script_by_id(script_id)
    if script is None or script.obj is None or not evidence:
        return {}
    shown = {one["id"] for found in evidence.values() for one in found}
    there = audiences.select_open_to(journal.get_entries(script.obj, waiting).values(), audience)
    rest = [one for one in there if reflection_rules.is_evidence(one) and str(one.id) not in shown]
    rest.sort(key=lambda entry: (-entry.importance, entry.id))
    room = max(0, limit * len(evidence) - len(shown))
    return {**evidence, "": [_noted(entry, 0.0) for entry in rest[:room]]}


@inlineCallbacks
def _found_for(script: Any, question: str, limit: int, audience: Audience):
    npc_id, key = script.obj.id, identity.identity_of(script.obj)
    found = yield _from_long_term_memory(question, key, audience, limit)
    npc = lookup.object_by_id(npc_id)
    noted = _from_journal(npc, question, audience, limit) if npc else []
    return without_doubles([*found, *noted])[:limit]


def without_gossip(
    npc: Any, found: Iterable[Mapping[str, Any]], evidence: Mapping[str, tuple[str, str]]
) -> list[dict[str, Any]]:
    """Return the insights that are not just what one person says of another.

    That is remembered as theirs; a conclusion would be the assistant's own. `evidence` has for each
    id the text, and by whom it was told.
    """
    names = entity_profiles.known_names(npc)
    return [
        dict(one)
        for one in found
        if not insights.is_gossip(
            one["content"], [evidence[cited] for cited in one["evidence_ids"]], names=names
        )
    ]


def without_doubles(evidence: Iterable[Evidence]) -> list[Evidence]:
    """Return each piece of evidence once, where it comes first."""
    once: dict[str, Evidence] = {}
    for one in evidence:
        once.setdefault(str(one["id"]), one)
    return list(once.values())


def in_order(evidence: Iterable[Evidence]) -> list[Evidence]:
    """Return each piece of evidence once, the oldest first, as far as it is known when it was."""
    return sorted(without_doubles(evidence), key=lambda one: one.get("timestamp", ""))


def best_first(
    found: Iterable[Mapping[str, Any]], ids: list[str], ranked: Iterable[Evidence]
) -> list[dict[str, Any]]:
    """Return insights that cite first what fits the questions best: of the reasons, few are told.

    Only of those that cite in the order of `ids`, in which they were shown: else it means something.
    """
    order = [str(one["id"]) for one in ranked]
    best = []
    for one in found:
        cited = list(one["evidence_ids"])
        is_counted = cited == sorted(cited, key=ids.index)
        best.append(
            {**one, "evidence_ids": sorted(cited, key=order.index) if is_counted else cited}
        )
    return best


def entry_ids(evidence_ids: Iterable[str]) -> list[int]:
    """Return the ids that are of the journal; those of long-term memory are no numbers."""
    return [int(one) for one in evidence_ids if str(one).isdigit()]


def ids_for(npc: Any, audience: Audience, evidence_ids: Iterable[str]) -> set[str]:
    """Return those of these ids that are of entries which just this audience may know."""
    entries = journal.get_entries(npc, entry_ids(evidence_ids)).values()
    return {str(entry.id) for entry in entries if sorted(entry.audience) == sorted(audience)}


def item(number: int, entry: Entry | None = None, **shown: Any) -> dict[str, Any]:
    """Return a memory as a mind is shown it; `shown` stands for what an entry has about it.

    It has how long ago that was (`when`), since "tomorrow" and "on Friday" were said of that day.
    """
    shown_as = {"number": number, "text": "", "by": "", "timestamp": "", "tags": [], "own": True}
    shown_as["how"] = shown_as["asked"] = ""
    if entry is not None:
        shown_as["text"] = insights.unmarked(entry.content)
        # Of a conclusion it is whom that is about.
        shown_as["by"] = "" if entry.source_type == "inference" else entry.source_entity
        shown_as["timestamp"], shown_as["tags"] = entry.timestamp, list(entry.tags)
        shown_as["how"] = _how(entry, by=entry.source_entity)
    shown_as |= shown
    when = how_long_ago(shown_as["timestamp"]) if shown_as["timestamp"] else ""
    return {**shown_as, "when": when}


def _how(one: Entry | Memory, *, by: str) -> str:
    return memory_ranking.how_known(one.source_type, one.tags, one.audience, by=by)


def items_of(
    npc: Any, evidence: Sequence[Evidence], own: set[str], audience: Audience
) -> list[dict[str, Any]]:
    """Return the evidence as a mind is shown it, with what the journal has about it."""
    items = []
    entries = journal.get_entries(npc, entry_ids(one["id"] for one in evidence))
    for number, one in enumerate(evidence, 1):
        [entry_id] = entry_ids([one["id"]]) or [0]
        entry = entries.get(entry_id)
        known = audiences.select_open_to([entry] if entry else [], audience)
        text = insights.unmarked(str(one["content"]))
        keys = ("by", "how", "timestamp", "asked")
        told = {} if known else {key: str(one.get(key) or "") for key in keys}
        if known and entry is not None:
            told["asked"] = episodic.asked_of(npc, entry)
        items.append(item(number, *known, text=text, own=str(one["id"]) in own, **told))
    return items


@inlineCallbacks
def _from_long_term_memory(question: str, key: str, audience: Audience, limit: int):
    found = yield search_long_term_memory(question, key, audience, limit=limit)
    relevant = relevance_of(get_memory()) if found else 0.0
    return [_remembered(one) for one in found if one.cosine >= relevant and _counts(one)]


@inlineCallbacks
def search_long_term_memory(query: str, key: str, audience: Audience, **options: Any):
    """Return what is nearest to a query and all in `audience` may know; nothing if it cannot be searched."""
    hearers = [_ANYBODY] if audience == audiences.PUBLIC else audience
    try:
        found = yield get_memory().search(query, assistant_key=key, hearers=hearers, **options)
    except (MemoryUnavailable, ImproperlyConfigured) as error:
        memory_thread.warn("reflection without long-term memory", error)
        return []
    return list(audiences.select_open_to(found, audience))


def _remembered(memory: Memory) -> Evidence:
    is_copy = memory.metadata.get("source") == "journal" and memory.entry_id
    return {
        "id": str(memory.entry_id if is_copy else memory.id),
        "content": memory.text,
        "score": memory.score,
        # The journal may have made room for others since.
        "by": "" if memory.source_type == "inference" else memory.speaker,
        "how": _how(memory, by=memory.speaker),
        "timestamp": memory.timestamp,
        "asked": passages.asked(memory.text, memory.question),
    }


def _counts(memory: Memory) -> bool:
    # What was concluded before is no evidence for what is concluded now, and no rumour is.
    trust = memory_ranking.BELIEVED if memory.trust is None else memory.trust
    unfit = {*reflection_rules.UNTOLD, reflection_rules.SYNTHESIS_TAG}
    importance = memory.metadata.get("importance") or reflection_rules.WORTH_A_LOOK
    matters = importance > reflection_rules.TRIVIAL
    is_told = unfit.isdisjoint(memory.tags)
    return trust >= memory_ranking.BELIEVED and matters and is_told


def _from_journal(npc: Any, question: str, audience: Audience, limit: int) -> list[Evidence]:
    recent = islice(journal.newest_first(npc), JOURNAL_LIMIT)
    known = audiences.select_open_to(recent, audience)
    entries = [entry for entry in known if reflection_rules.is_evidence(entry)]
    texts = [f"{entry.source_entity} {entry.content}" for entry in entries]
    ranked = retrieval.rank(question, texts, limit=limit, names=[speech.name_of(npc, npc)])
    if ranked:
        return [_noted(entries[index], score) for index, score in ranked]
    results = episodic.search_episodic_memory(
        entries,
        question,
        days_back=None,
        min_importance=1,
        now=scheduling.now(),
    )
    return [_noted(result["entry"], result["score"]) for result in results[:limit]]


def _noted(entry: Entry, score: float) -> Evidence:
    return {
        "id": str(entry.id),
        "content": entry.content,
        "score": score,
        "timestamp": entry.timestamp,
    }
