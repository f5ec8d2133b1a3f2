"""Recall for a turn: lore, journal, talk and long-term memory in one ranking.

The audience is asked first, and only then is anything ranked: what the one who asks may not know
has no way into the prompt. Who fulfils the condition of a fact is asked of what fits, before it is used.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from msgspec import structs
from twisted.internet.defer import inlineCallbacks

from evennia_ai import conf, prompts, scheduling
from evennia_ai.agent import trace
from evennia_ai.agent.prompting import recall_sources, said_here
from evennia_ai.agent.prompting.thread import Note
from evennia_ai.agent.turn import Turn
from evennia_ai.core import records
from evennia_ai.core.talk import Line
from evennia_ai.domain import audience
from evennia_ai.domain.memories import conversation, memory_ranking, passages, retrieval
from evennia_ai.domain.memories.long_term import Memory, NewMemory
from evennia_ai.domain.memories.remembered import Remembered
from evennia_ai.domain.model_text import prompt_budget, tokens
from evennia_ai.domain.sleeping.reflection_rules import TAKEN_BACK_TAG
from evennia_ai.memory import journal, persona
from evennia_ai.semantic import facts, memory_thread
from evennia_ai.semantic.base import get_memory
from evennia_ai.semantic.memory_thread import MemoryUnavailable
from evennia_ai.semantic.ranking import retrieve
from evennia_ai.tools import world

# Tokens that memories take of a prompt at most; and those up to which all lore of an NPC stands in it, before what others told.
MEMORY_TOKENS = 600
LORE_TOKENS = 400
# Memories of whoever asks about themselves.
LIMIT = 6
# Confidences of whoever it speaks with that come to mind anyway.
CONFIDENCES = 4
# Memories that stay in the talk once they were told.
STAYING = 3
# Memories that are found, of which as many are told as have room.
FOUND_LIMIT = 60


@inlineCallbacks
def recall(turn: Turn, query: str, *, line: str = ""):
    """Return what comes to mind for `query`, best first, as much as has room in the prompt.

    Each is {"text", "by", "kind", "score", "timestamp", "fits", …}; `fits` is how far it may be the
    answer, 0 if it is only the nearest that there is. If what fits best, and is asked for by the `line`, may
    be known by the addressee and not by a bystander, the turn becomes private rather than forgetful.
    """
    # On a channel nobody can be told anything in confidence.
    confidant = turn.hearers if turn.event.channel else {turn.event.said_by} - {""}
    confidant = frozenset(confidant or turn.hearers)
    asked, query = recall_sources.asked_for(turn, query)
    thought = _thought(turn, asked, confidant)
    if asked == "why" and not thought and turn.llm.is_model:
        # What nothing was concluded from may still be what it was said of.
        query = next(iter(said_here.own_words(turn, turn.character, confidant)), "")
    if thought or not set(retrieval.terms(query)) - set(retrieval.terms(turn.name)):
        # A greeting brings nothing to mind.
        return thought
    # To understand what is asked, to read the journal, to gather, to rank and to choose are each the work of a slice.
    yield scheduling.yield_to_reactor(first=True)
    npc = turn.character
    if npc is None:
        return []
    noted = _noted(turn, npc)
    yield scheduling.yield_to_reactor(first=True)
    npc = turn.character
    if npc is None:
        return []
    named = recall_sources.mentioned(npc, query)
    people = {*said_here.people(npc, turn.event), *named}
    noticed = [
        *recall_sources.lore(turn, npc, confidant),
        *noted,
        *(fact for who in named for fact in recall_sources.of_person(npc, who)),
    ]
    # What was promised in confidence makes open talk no secret: it comes up where nobody else hears.
    noticed += audience.select_tellable(recall_sources.promised_to(npc, people), turn.hearers)
    at_hand = audience.select_tellable(noticed, confidant)
    fitting = yield _ranked(turn, query, confidant, at_hand)
    yield scheduling.yield_to_reactor(first=True)
    npc = turn.character
    if npc is None:
        return []
    ranked = recall_sources.as_conditions_are(turn, npc, fitting, confidant)
    told = _tellable(turn, ranked, line)
    chosen = _fill(npc, told)
    known = {item.text for item in chosen}
    others = [item for item in at_hand if not recall_sources.is_conditional(item)]
    chosen += _confidences(turn, [item for item in others if item.text not in known])
    _include(turn, chosen)
    # What is only near is in the prompt as well; staff are shown what may be the answer.
    told_of = sorted((one for one in chosen if one.fits), key=lambda one: -one.fits)
    record = turn.record.recalled = trace.Recalled(query, told_of, len(noticed))
    record.withheld = len(noticed) - len(at_hand) + len(fitting) - len(ranked)
    record.unfit_for_others = len(ranked) - len(told)
    record.left_out = sum(item not in chosen for item in told)
    event = turn.event
    return [structs.replace(one, by=said_here.called(event, one.said_by, one.by)) for one in chosen]


def as_notes(items: list[Remembered]) -> list[Note]:
    """Return what comes to mind as notes of the prompt, which say whom it is from, and since when.

    What was said in one talk stands together, in its order: an answer makes sense by its question.
    """
    # What was concluded stands first, with its time: what was told since stands after it.
    told = passages.of(sorted(items, key=lambda item: item.kind != "insight"))
    staying = [item for item in items if item.fits][:STAYING]
    return [
        Note(_in_words(item), audience=item.audience, passes=item not in staying)
        for passage in told
        for item in passage
    ]


def _in_words(item: Remembered) -> str:
    claimed_by = item.claimed_by
    told = prompts.memory(
        text=item.text,
        by=item.by or claimed_by,
        kind="claim" if claimed_by else item.kind,
        when=how_long_ago(item.timestamp) if item.timestamp else "",
        heard=item.heard,
        asked=passages.asked(item.text, item.question),
    )
    return prompts.in_confidence(told) if audience.is_confidence(item.audience) else told


def how_long_ago(timestamp: str) -> str:
    """Return how long ago something was by the game's clock, in words."""
    passed = records.age_seconds(timestamp, now=scheduling.now())
    return prompts.how_long_ago(world.in_game(passed), since_midnight=world.since_midnight())


# What is asked of oneself, and what is known of that: nothing of it has to fit the words.
_OF_THE_ASKER: dict[str, Callable[[Any, str, str], list[Remembered]]] = {
    "me": lambda npc, who, name: recall_sources.about(npc, who),
}


def _thought(turn: Turn, asked: str, confidant: frozenset[str]) -> list[Remembered]:
    """Return what was concluded, or what from, if it is asked for; no words have to fit that."""
    npc = turn.character
    if not asked or npc is None:
        return []
    if asked in _OF_THE_ASKER:
        known = _OF_THE_ASKER[asked](npc, turn.event.said_by, turn.event.actor_name)
        known = audience.select_tellable(known, confidant)[:LIMIT]
        found = [structs.replace(one, score=1.0, fits=1.0) for one in known]
    elif asked == "why":
        found = _scored(recall_sources.reasons(turn, npc, hearers=confidant))
    elif asked == "news":
        found = _scored(recall_sources.heard_lately(turn, npc, hearers=confidant))
    else:
        found = _scored(recall_sources.newest_insights(npc, hearers=confidant))
    if asked == "why":
        # All of it or nothing: a reason that is left out makes another one of the rest.
        found.sort(key=lambda item: audience.may_know(item.audience, turn.hearers))
    chosen = _tellable(turn, found)
    if chosen and asked == "why":
        turn.context["asked_why"] = True
    turn.record.recalled = trace.Recalled(asked, chosen)
    _include(turn, chosen)
    return chosen


def _scored(found: list[recall_sources.Thought]) -> list[Remembered]:
    return [structs.replace(memory_ranking.of_entry(*one), score=1.0, fits=1.0) for one in found]


def _fill(npc: Any, told: list[Remembered]) -> list[Remembered]:
    """Return what has room in the prompt: first what the builder wrote."""
    known = [item for item in told if item.kind == "lore"]
    if not standing_lore(npc):
        known = passages.fill(known, limit=_grown(LORE_TOKENS), size=_size)
    others = [item for item in told if item.kind != "lore"]
    return [*known, *passages.fill(others, limit=_grown(MEMORY_TOKENS), size=_size)]


def _confidences(turn: Turn, at_hand: list[Remembered]) -> list[Remembered]:
    """Return what whoever it speaks with told it in confidence last, where nobody else hears the answer."""
    who = turn.event.said_by
    secret = [
        structs.replace(item, score=0.0, fits=0.0)
        for item in at_hand
        if audience.is_confidence(item.audience) and who in item.audience
    ]
    told = [item for item in secret if audience.may_know(item.audience, turn.hearers)]
    return sorted(told, key=lambda item: item.timestamp, reverse=True)[:CONFIDENCES]


def standing_lore(npc: Any) -> list[str]:
    """Return what the builder wrote for everybody, if all of it has room in a prompt; else nothing."""
    facts = [fact.text for fact in persona.load_lore(npc) if fact.audience == audience.PUBLIC]
    size = tokens.estimate("\n".join(prompts.lore(facts=facts)))
    return facts if size <= _grown(LORE_TOKENS) else []


def _include(turn: Turn, chosen: list[Remembered]) -> None:
    for item in chosen:
        turn.include(item)


def _tellable(turn: Turn, ranked: list[Remembered], line: str = "") -> list[Remembered]:
    """Return what may be told; make the turn private if what fits best is for the asker alone.

    What is only near narrows nobody's ears: of that only what is public is told. No more does a secret
    that the line does not ask for, though they have a word in common.
    """
    worth = [item for item in ranked if item.fits or item.audience == audience.PUBLIC]
    for_all = [item for item in worth if audience.may_know(item.audience, turn.hearers)]
    best = next((item for item in worth if item.fits), None)
    if best is None or best in for_all or turn.speaker is None:
        return for_all
    if line and not turn.asks():
        return for_all
    turn.answer_privately()
    return worth


@inlineCallbacks
def _ranked(turn: Turn, query: str, confidant: frozenset[str], at_hand: list[Remembered]):
    """Return what is at hand and what is known for long in one order, best first."""
    # "Ann smiles at Mara" is not about Ann.
    called = [turn.name, *([turn.event.actor_name] if turn.event.kind == "pose" else [])]
    found = None
    try:
        if get_memory().enabled:
            search = _found(turn, query, confidant, at_hand)
            search.addTimeout(
                memory_thread.RECALL_SECONDS, scheduling.clock(), onTimeoutCancel=_too_slow
            )
            found = yield search
            yield scheduling.yield_to_reactor(first=True)
    except (MemoryUnavailable, ImproperlyConfigured) as error:
        # A search that could not run is not an empty one: staff must know.
        memory_thread.warn(f"{turn.name} could not search its memory", error)
    how = {"now": scheduling.now(), "names": called}
    if found is None:
        # By words alone, where nothing can be searched by meaning.
        return memory_ranking.rank(memory_ranking.without_doubles(at_hand), query, **how)
    held = (one for one in found if TAKEN_BACK_TAG not in (one.tags))
    items = [_hit(memory, at_hand) for memory in held]
    relevant = get_memory().scale.get("relevant", 0.0)
    return memory_ranking.mark_fitting(items, query, relevant=relevant, **how)


@inlineCallbacks
def _found(turn: Turn, query: str, confidant: frozenset[str], at_hand: list[Remembered]):
    """Return what a search finds, and what sleep has linked to the best of it."""
    found = yield get_memory().search(
        query,
        assistant_key=turn.key,
        hearers=confidant,
        # What is on a condition, and not for those who ask, must not crowd out the rest.
        limit=_grown(FOUND_LIMIT) + sum(map(recall_sources.is_conditional, at_hand)),
        names=[turn.name, turn.event.actor_name],
        also=[_beside(place, item) for place, item in enumerate(at_hand)],
    )
    script = turn.script
    if script is None:
        return found
    return (
        yield retrieve.with_neighbours(script, found, assistant_key=turn.key, hearers=confidant)
    )


def _beside(place: int, item: Remembered) -> NewMemory:
    """Return what is at hand as a search takes it along."""
    return NewMemory(
        text=item.text,
        audience=item.audience,
        metadata={
            "place": place,
            "speaker": item.by,
            "timestamp": item.timestamp,
            "source_trust": item.trust,
            "importance": item.importance,
            **({"previous": item.question} if item.question else {}),
        },
    )


def _hit(memory: Memory, at_hand: list[Remembered]) -> Remembered:
    item = _known(memory) if memory.id else at_hand[memory.metadata["place"]]
    return structs.replace(item, score=memory.score, likeness=memory.cosine)


def _grown(limit: int) -> int:
    return prompt_budget.grown(limit, context_tokens=conf.get("CONTEXT_TOKENS"))


def _size(chosen: list[Remembered]) -> int:
    return tokens.estimate("\n".join(note.text for note in as_notes(chosen)))


def _too_slow(result: Any, seconds: float) -> Any:
    raise MemoryUnavailable(f"it did not answer within {seconds:g} seconds")


def _known(memory: Memory) -> Remembered:
    trust = facts.UNKNOWN_TRUST if memory.trust is None else memory.trust
    by, kind = memory_ranking.origin(memory)
    return Remembered(
        text=memory.text,
        by=by,
        said_by=memory.source_id if by else "",
        kind=kind,
        heard=memory_ranking.heard_as(memory.source_type, trust),
        timestamp=memory.timestamp,
        trust=trust,
        importance=memory.metadata.get("importance") or facts.UNKNOWN_IMPORTANCE,
        audience=memory.audience,
        event_id=str(memory.metadata.get("event_id") or ""),
        question=memory.question,
        origins=memory.origins,
    )


def _noted(turn: Turn, npc: Any) -> list[Remembered]:
    """Return the journal and what was said but not noted, newest first, without this moment."""
    now = {event.id for event in turn.events}
    recent = itertools.islice(journal.newest_first(npc), recall_sources.JOURNAL_LIMIT)
    entries = [entry for entry in recent if entry.event_id not in now]
    known = {entry.event_id for entry in entries} | now
    lines = said_here.with_people(npc, turn.event)
    spoken = [line for line in lines if not line.mine and line.kind in records.SPOKEN]
    # A question holds no answer.
    said = [one for one in spoken if one.event_id not in known and one.text.rstrip()[-1:] != "?"]
    entries = [entry for entry in entries if TAKEN_BACK_TAG not in entry.tags]
    noted = [
        *itertools.starmap(memory_ranking.of_entry, recall_sources.thoughts(entries)),
        *map(_from_line, reversed(said)),
    ]
    noted = _with_questions(noted, conversation.questions_before(lines))
    # A model reads what stands together in a passage; without one, an answer is one of them.
    return noted if turn.llm.is_model else passages.with_sequels(noted)


def _with_questions(noted: list[Remembered], asked: dict[str, Line]) -> list[Remembered]:
    """Return what was noted, each with what it answers, where whoever may know it may know that."""
    return [
        (
            structs.replace(
                one,
                question=asked[one.event_id].text,
                origins=[*one.origins, *asked[one.event_id].origins],
            )
            if one.event_id in asked
            and audience.is_open_to(asked[one.event_id].audience, one.audience)
            else one
        )
        for one in noted
    ]


def _from_line(line: Line) -> Remembered:
    return Remembered(
        text=line.text,
        by=line.name,
        said_by=line.said_by,
        kind="said",
        heard="overheard" if line.overheard else "",
        timestamp=line.timestamp,
        audience=line.audience,
        event_id=line.event_id,
        origins=line.origins,
    )
