"""One last look at words that will be forgotten: what of them belongs into the journal.

What is noted is written together with the mark on the lines, so that being killed neither loses nor
doubles a fact.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any, NamedTuple

from django.core.exceptions import ImproperlyConfigured
from twisted.internet.defer import TimeoutError, inlineCallbacks

from evennia_ai import prompts, prompts_asleep, scheduling
from evennia_ai.core import name_patterns
from evennia_ai.core.records import Audience, united
from evennia_ai.core.talk import Line
from evennia_ai.domain.memories import conversation, self_reference
from evennia_ai.domain.memories.gossip import SECRET_TAG
from evennia_ai.domain.model_text import reply
from evennia_ai.domain.sleeping import compaction_rules, summary, truth
from evennia_ai.exceptions import BudgetExceeded, LLMUnavailable
from evennia_ai.memory import journal, lookup, repository, routine, working_memory
from evennia_ai.memory.state import assistant, reflection_state
from evennia_ai.semantic import journal_sync
from evennia_ai.semantic.base import get_memory
from evennia_ai.semantic.memory_thread import RECALL_SECONDS, MemoryUnavailable
from evennia_ai.sleep import answers, sleep_llm

# What a fact is marked with; it is told second-hand, in other words than its speaker's.
TAG = "pre_compaction"
SOURCE_TYPE = "inference"


class Talk(NamedTuple):
    """Old messages with one person that the same people may know, as plain data."""

    script_id: int
    character_id: int
    who: str
    person: str
    npc: str
    audience: Audience
    messages: list[Line]

    def lines(self) -> list[dict[str, Any]]:
        """Return the messages as the mind without a model reads them."""
        return [
            {
                "name": message.name,
                "text": message.text,
                "kind": message.kind,
                "mine": message.mine,
            }
            for message in self.messages
        ]

    def is_with_guest(self) -> bool:
        """Return whether it is remembered for a visit only, and nothing of it is noted."""
        script = lookup.script_by_id(self.script_id)
        return script is None or self.who in assistant.guests(script)


def shown_talk(talk: Talk) -> list[str]:
    """Return messages as a model is shown them, with each the pause that follows it, where that was long."""
    told = []
    for line, after in itertools.zip_longest(talk.messages, talk.messages[1:]):
        passed = conversation.pause(line, after, speed=routine.speed()) if after else 0.0
        shown = prompts_asleep.said(
            name=line.name if not line.mine else talk.npc,
            text=line.text,
            kind=line.kind,
            npc=talk.npc,
            mine=line.mine,
            overheard=line.overheard,
        )
        told.append(f"{shown}\n{prompts.later(passed)}" if passed else shown)
    return told


def told_truly(messages: list[Line], npc: str, given: Iterable[str]) -> list[str]:
    """Return the sentences of an answer that a talk carries, each by the lines of whom it begins with."""
    speakers = [npc if one.mine else one.name for one in messages]
    lines = list(zip(speakers, messages, strict=True))
    told = []
    for sentence in (reply.printable(one, max_length=summary.LENGTH) for one in given):
        who = next(
            (
                name
                for name in speakers
                if name_patterns.is_in(rf"\A{name_patterns.NAME}(?!\w)", name, sentence)
            ),
            "",
        )
        sources = [one.text for name, one in lines if name == who or conversation.is_summary(one)]
        if who and truth.carries(
            sources, sentence, names=speakers, also=[one.text for one in messages], retells=who
        ):
            told.append(sentence)
    return told


def events_noted(character: Any, *, since: str) -> dict[str, bool]:
    """Return the events that the journal has from a time on, and whether each is secret."""
    recent = itertools.takewhile(
        lambda entry: entry.timestamp >= since, journal.newest_first(character)
    )
    return {entry.event_id: SECRET_TAG in entry.tags for entry in recent if entry.event_id}


def unsafe(talk: Talk, *, noted: set[str] | None = None) -> list[Line]:
    """Return the messages with which something would be lost that the journal does not have.

    `noted` are the events that it has, for who asks of many talks.
    """
    character = lookup.object_by_id(talk.character_id)
    if character is None or not talk.messages or talk.is_with_guest():
        return []
    if noted is None:
        since = min(message.timestamp for message in talk.messages)
        noted = set(events_noted(character, since=since))
    return [one for one in talk.messages if not compaction_rules.is_safe(one, noted=noted)]


@inlineCallbacks
def extract(talk: Talk, *, emergency: bool = False):
    """Note what the old messages tell and the journal does not have; return how many facts.

    In an emergency, rules do it where no model answers.

    Raises:
        BudgetExceeded: The tokens of this night or day are spent.
        LLMUnavailable: No answer came, and it is no emergency.
    """
    fresh = yield _not_kept(talk, unsafe(talk))
    if not fresh:
        return 0
    try:
        notes = yield _notes(talk, fresh)
    except (BudgetExceeded, LLMUnavailable):
        if not emergency:
            raise
        notes = summary.facts(talk._replace(messages=fresh).lines(), npc=talk.npc)
    return _write(talk, fresh, notes)


@inlineCallbacks
def _not_kept(talk: Talk, fresh: list[Line]):
    """Return the messages that long-term memory does not have either; the others are marked.

    The journal has let go of what they told, after it was kept for good.
    """
    script = lookup.script_by_id(talk.script_id)
    if script is None:
        return fresh
    events, key = {one.event_id: one.text for one in fresh}, assistant.key_of(script)
    try:
        search = journal_sync.find_events(get_memory(), events, assistant_key=key)
        kept = yield search.addTimeout(RECALL_SECONDS, scheduling.clock())
    except (MemoryUnavailable, ImproperlyConfigured, TimeoutError):
        kept = set()
    known = [one for one in fresh if one.event_id in kept]
    character = lookup.object_by_id(talk.character_id)
    if known and character is not None:
        working_memory.mark_extracted(character, talk.who, known)
    return [one for one in fresh if one.event_id not in kept]


@inlineCallbacks
def _notes(talk: Talk, fresh: list[Line]):
    """Return what the mind wants to note, one sentence each, as far as the talk carries it."""
    new = set(map(compaction_rules.key_of, fresh))
    lines = [
        line if compaction_rules.key_of(message) in new else f"[noted] {line}"
        for message, line in zip(talk.messages, shown_talk(talk), strict=True)
    ]
    answer = yield sleep_llm.ask(
        talk.script_id,
        "extract",
        messages=prompts_asleep.pre_compaction(name=talk.npc, person=talk.person, lines=lines),
        context={"lines": talk._replace(messages=fresh).lines(), "npc": talk.npc},
        answer=answers.shapes().Facts,
        schema=answers.sentences("Facts"),
    )
    if answer.by_rules:
        return answer.facts
    # What it says of itself there would come back as what it knows.
    return [
        text
        for text in told_truly(talk.messages, talk.npc, answer.facts)[: summary.MAX_FACTS]
        if not self_reference.is_about(text, names=[talk.npc], addressed=True)
    ]


def _write(talk: Talk, fresh: list[Line], notes: list[str]) -> int:
    """Write the facts, and that the messages may go: both or neither."""
    script, character = (
        lookup.script_by_id(talk.script_id),
        lookup.object_by_id(talk.character_id),
    )
    if script is None or character is None or talk.is_with_guest():
        return 0
    with repository.together(character, script):
        if not working_memory.mark_extracted(character, talk.who, fresh):
            # Whoever was talked with has been forgotten meanwhile.
            return 0
        secret = [SECRET_TAG] if any(message.secret for message in fresh) else []
        for note in notes:
            entry = journal.add_entry(
                character,
                note,
                tags=[TAG, *secret],
                source_type=SOURCE_TYPE,
                source_entity=talk.person,
                source_id=talk.who,
                audience=talk.audience,
                sources=united(*(line.origins for line in talk.messages)),
            )
            reflection_state.note_entry(script, entry)
    return len(notes)
