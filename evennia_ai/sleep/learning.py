"""Facts in the third person from the words of others, beside these: a model finds them, mem0 keeps them.

Lines are asked about by audience, so that nobody's whisper stands in what is asked about another's. Without a model
the line itself is all that is kept.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from twisted.internet.defer import inlineCallbacks

from evennia_ai import prompts_asleep
from evennia_ai.core.records import Entry
from evennia_ai.core.talk import is_claim
from evennia_ai.domain.memories import self_reference
from evennia_ai.domain.memories.long_term import NewMemory
from evennia_ai.domain.model_text import reply
from evennia_ai.domain.sleeping import summary, truth
from evennia_ai.exceptions import BudgetExceeded, LLMUnavailable
from evennia_ai.semantic import journal_sync
from evennia_ai.semantic.base import get_memory
from evennia_ai.semantic.memory_thread import MemoryUnavailable
from evennia_ai.sleep import answers, sleep_llm


@inlineCallbacks
def learn(script_id: int, name: str, entries: Iterable[Entry], *, assistant_key: str):
    """Keep the facts that a model finds in entries; return how many. `name` is the assistant's."""
    memory, learnt = get_memory(), 0
    told = [one for one in entries if one.said_by and is_claim(one.source_type, one.tags)]
    try:
        if not told or getattr(memory, "extract", None) is None:
            return 0
        if not sleep_llm.mind_for(script_id, "extract").is_model:
            return 0
        known = yield journal_sync.find_extracted(memory, told, assistant_key=assistant_key)
        for lines in _by_ears(one for one in told if one.id not in known):
            learnt += yield _learn(memory, script_id, name, lines, assistant_key)
    except (BudgetExceeded, LLMUnavailable, MemoryUnavailable, ImproperlyConfigured):
        # The lines themselves are kept all the same.
        pass
    return learnt


@inlineCallbacks
def _learn(memory: Any, script_id: int, name: str, lines: list[Entry], assistant_key: str):
    shown = [
        prompts_asleep.said(name=one.source_entity, text=one.content, kind="say", npc=name)
        for one in lines
    ]
    answer = yield sleep_llm.ask(
        script_id,
        "extract",
        messages=prompts_asleep.facts(name=name, lines=shown),
        context={"lines": [], "npc": name},
        answer=answers.shapes().Facts,
        schema=answers.sentences("Facts"),
    )
    if answer.by_rules:
        return 0
    found = [
        one for text in answer.facts[: summary.MAX_FACTS] for one in _carried(lines, text, name)
    ]
    noted = [journal_sync.as_memory(one) for one in lines]
    return (yield memory.extract(noted, found, assistant_key=assistant_key))


def _carried(lines: list[Entry], text: str, name: str) -> list[NewMemory]:
    """Return a fact with the line that carries it; none does what was made up, or is about the mind itself."""
    fact = reply.printable(text, max_length=summary.LENGTH)
    if self_reference.is_about(fact, names=[name], addressed=True):
        return []
    return [
        journal_sync.as_fact(one, fact)
        for one in lines
        if truth.carries([one.content], fact, names=[one.source_entity], retells=one.source_entity)
    ][:1]


def _by_ears(entries: Iterable[Entry]) -> list[list[Entry]]:
    groups: dict[str, list[Entry]] = {}
    for entry in entries:
        groups.setdefault(str(entry.audience), []).append(entry)
    return list(groups.values())
