"""What an assistant remembers that bears on a question: the evidence of its reflections."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from evennia.utils import logger
from twisted.internet.defer import inlineCallbacks

from evennia_ai import conf, pace
from evennia_ai.agent import speech
from evennia_ai.core.records import Audience, Entry
from evennia_ai.domain import audience as audiences
from evennia_ai.domain import episodic, insights, recollection, reflection, retrieval
from evennia_ai.memory import entity_profiles, identity, journal, lookup
from evennia_ai.semantic.base import get_memory
from evennia_ai.semantic.retrieve import relevance_of
from evennia_ai.semantic.worker import MemoryUnavailable

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


def entry_ids(evidence_ids: Iterable[str]) -> list[int]:
    """Return the ids that are of the journal; those of long-term memory are no numbers."""
    return [int(one) for one in evidence_ids if str(one).isdigit()]


def ids_for(npc: Any, audience: Audience, evidence_ids: Iterable[str]) -> set[str]:
    """Return those of these ids that are of entries which just this audience may know."""
    entries = journal.get_entries(npc, entry_ids(evidence_ids)).values()
    return {str(entry.id) for entry in entries if sorted(entry.audience) == sorted(audience)}


@inlineCallbacks
def _from_long_term_memory(question: str, key: str, audience: Audience, limit: int):
    hearers = [_ANYBODY] if audience == audiences.PUBLIC else audience
    try:
        memory = get_memory()
        found = yield memory.search(question, assistant_key=key, hearers=hearers, limit=limit)
    except (MemoryUnavailable, ImproperlyConfigured) as error:
        logger.log_warn(f"evennia_ai: reflection without long-term memory: {error}")
        return []
    relevant = relevance_of(memory)
    fitting = [one for one in found if one["cosine"] >= relevant and _counts(one["metadata"])]
    return [_remembered(one) for one in audiences.select_open_to(fitting, audience)]


def _remembered(memory: Mapping[str, Any]) -> Evidence:
    about = memory["metadata"]
    is_copy = about.get("source") == "journal" and about.get("entry_id")
    return {
        "id": str(about["entry_id"] if is_copy else memory["id"]),
        "content": memory["text"],
        "score": memory["score"],
    }


def _counts(about: Mapping[str, Any]) -> bool:
    # What was concluded before is no evidence for what is concluded now, and no rumour is.
    trust = about.get("source_trust", recollection.BELIEVED)
    unfit = {*reflection.UNTOLD, reflection.SYNTHESIS_TAG}
    matters = (about.get("importance") or reflection.WORTH_A_LOOK) > reflection.TRIVIAL
    is_told = unfit.isdisjoint(about.get("tags") or ())
    return trust >= recollection.BELIEVED and matters and is_told


def _from_journal(npc: Any, question: str, audience: Audience, limit: int) -> list[Evidence]:
    recent = islice(journal.newest_first(npc), JOURNAL_LIMIT)
    known = audiences.select_open_to(recent, audience)
    entries = [entry for entry in known if reflection.is_evidence(entry)]
    texts = [f"{entry.source_entity} {entry.content}" for entry in entries]
    ranked = retrieval.rank(question, texts, limit=limit, names=[speech.name_of(npc, npc)])
    if ranked:
        return [_noted(entries[index], score) for index, score in ranked]
    results = episodic.search_episodic_memory(
        entries,
        question,
        days_back=None,
        min_importance=1,
        now=pace.now(),
        tau_hours=conf.get("RECENCY_TAU_HOURS"),
    )
    return [_noted(result["entry"], result["score"]) for result in results[:limit]]


def _noted(entry: Entry, score: float) -> Evidence:
    return {"id": str(entry.id), "content": entry.content, "score": score}
