"""The sections of the prompt that we ship: each a function of the turn.

A section returns text, a list of lines or of notes, or None. What it knows
as data it also puts into `turn.context`, for minds that read no prompt.
"""

from __future__ import annotations

from typing import Any, TypeVar

from django.core.exceptions import ImproperlyConfigured
from msgspec import structs
from twisted.internet.defer import inlineCallbacks

from evennia_ai import conf, prompts, prompts_life
from evennia_ai.agent import speech
from evennia_ai.agent.hearing import presence
from evennia_ai.agent.prompting import recall_sources, said_here, surroundings
from evennia_ai.agent.prompting.recall import (
    MEMORY_TOKENS,
    as_notes,
    how_long_ago,
    recall,
    standing_lore,
)
from evennia_ai.agent.prompting.thread import Note
from evennia_ai.agent.turn import Turn
from evennia_ai.core import records
from evennia_ai.core.talk import Line
from evennia_ai.domain import audience
from evennia_ai.domain.memories import conversation as talk
from evennia_ai.domain.memories import memory_ranking, passages, promises, relationship
from evennia_ai.domain.memories.profile import is_claim
from evennia_ai.domain.memories.remembered import Remembered
from evennia_ai.domain.model_text import repetition, reply, tokens
from evennia_ai.domain.model_text.repetition import Shown
from evennia_ai.domain.offline import mind, ranking, telling
from evennia_ai.domain.offline.scene import Scene
from evennia_ai.domain.sleeping import mentions
from evennia_ai.llm import base, model_facts
from evennia_ai.memory import lookup
from evennia_ai.memory import persona as personas
from evennia_ai.memory import routine, working_memory
from evennia_ai.memory.people import entity_profiles
from evennia_ai.memory.state import assistant
from evennia_ai.memory.storage import pages
from evennia_ai.semantic.base import get_memory
from evennia_ai.semantic.memory_thread import MemoryUnavailable
from evennia_ai.semantic.ranking import lines
from evennia_ai.tools import world

# Observations of the speaker that one prompt gets at most.
OBSERVATION_LIMIT = 8
# Things to do for the speaker that one prompt gets at most.
INTENTION_LIMIT = 5
# Memories that a mind is shown that answers by rules: what may be the answer, and what is only near.
ANSWER_LIMIT, NEAR_LIMIT = 6, 12
# Memories that one prompt gets where nothing is asked, and seconds for which a model may read them elsewhere.
UNASKED_LIMIT, READING_SECONDS = 2, 2.0
# Memories for a question to a weak model.
WEAK_LIMIT = 3
# Characters of a room's description.
DESCRIPTION_LENGTH = 240

Kept = TypeVar("Kept", bound=records.Record)


def instructions(turn: Turn) -> str:
    """What the model is to write."""
    if not turn.reason.speaks:
        return prompts_life.alone(name=turn.name)
    if turn.llm.is_model:
        # Worked out once for all of the prompt, and for its request.
        turn.counted_tools = turn.shown_tools()
    return prompts.instructions(has_tools=bool(turn.counted_tools), is_short=turn.is_coached())


def persona(turn: Turn) -> str:
    """Who the assistant is."""
    written = personas.load_persona(turn.character)
    code, language = personas.language_of(written["language"])
    turn.context["npc"] = {
        **written,
        "name": turn.name,
        "called": speech.name_of(turn.character, turn.speaker) if turn.speaker else "",
        "aliases": turn.character.aliases.all(),
        "persona": written["description"],
        "language": code,
    }
    spoken = "" if code == "en" else language
    return prompts.persona(name=turn.name, persona=written, language=spoken)


def lore(turn: Turn) -> list[str]:
    """What its builder wrote for everybody, as long as that is little; else the best comes to mind."""
    turn.standing = standing_lore(turn.character)
    return prompts.lore(facts=turn.standing)


def place(turn: Turn) -> str | None:
    """Where it is."""
    npc = turn.character
    if turn.event.channel:
        return prompts.channel(name=turn.event.channel)
    if npc.location is None:
        return None
    desc = reply.shorten(surroundings.description(npc.location), DESCRIPTION_LENGTH)
    exits = [obj for obj in surroundings.in_reach(npc) if obj.destination]
    return prompts.place(
        name=speech.name_of(npc.location, npc),
        desc=desc,
        exits=[speech.name_of(one, npc) for one in exits],
    )


def scene(turn: Turn) -> list[Note]:
    """When it is, who and what is there, what it has with it, and whether it knows whom it speaks with."""
    npc = turn.character
    turn.context["speaker"] = {
        "name": turn.event.name,
        "identity": turn.event.said_by,
        "state": relationship.STRANGER,
    }
    turn.context["time"] = world.time_in_words()
    part = turn.context["time"].partition(",")[0]
    notes = [Note(prompts.moment(part_of_day=part, date=routine.date()), "time")]
    # Who is where it is, is nothing that a whole channel needs to hear.
    turn.context["present"] = present = (
        []
        if turn.event.channel
        else [surroundings.described(npc, obj) for obj in surroundings.in_reach(npc)]
    )
    if npc.location is not None and not turn.event.channel:
        surroundings.note(turn)
        turn.context["place"] = speech.name_of(npc.location, npc)
        people = [one["name"] for one in present if one["identity"]]
        things = [one["name"] for one in present if one["kind"] == "object"]
        leader = lookup.object_by_id(assistant.following(turn.script)) if turn.script else None
        followed = speech.name_of(leader, npc) if leader else ""
        body = prompts.body(carried=turn.context["carried"], leader=followed)
        notes += [
            Note(prompts.here(names=people), "here"),
            Note(prompts.things(names=things), "things", is_usual=not things),
            Note(body, "carried", is_usual=not turn.context["carried"]),
        ]
    return notes + (_stranger(turn) if turn.event.name else [])


def _stranger(turn: Turn) -> list[Note]:
    who = turn.event.said_by
    # What was said long ago is let go; that they talked is not.
    met = entity_profiles.find_profile(turn.character, who) if who else None
    known = bool(met and met.relationship.interaction_count)
    if who and not known:
        known = any(line.mine for line in working_memory.lines_with(turn.character, who))
    is_mind = turn.speaker is not None and presence.is_mind(turn.speaker)
    if known or is_mind:
        return []
    name, look = turn.event.name, surroundings.looks(turn.speaker) if turn.speaker else ""
    # So Evennia describes whom nobody has described.
    is_told = bool(look) and not look.startswith("This is ")
    described = [Note(prompts.looks(name=name, look=look))] if is_told else []
    return [Note(prompts.stranger(name=name), f"met {who}"), *described]


def profile(turn: Turn) -> list[Note] | None:
    """What it knows of whom it speaks with, and how it regards them."""
    npc, who = turn.character, turn.event.said_by
    if not who:
        return None
    known = entity_profiles.find_profile(npc, who)
    # Who is met for the first time is a stranger, too.
    regard = known.relationship if known else relationship.new()
    told = _tellable(turn, known.attributes if known else [])
    facts = [one for one in told if one.superseded_by is None]
    # What was slept on stands among the facts.
    fresh = [one for one in known.observations if not one.consolidated] if known else []
    seen = _tellable(turn, fresh)[-OBSERVATION_LIMIT:]
    shown = [(one.value, _told_as(one, who)) for one in facts]
    shown += [(mentions.words_of(one.content), _told_as(one, who)) for one in seen]
    times = [*(one.created for one in facts), *(one.timestamp for one in seen)]
    turn.profiled = [
        Shown(turn.event.actor_name, text, when)
        for (text, _), when in zip(shown, times, strict=True)
    ]
    if known:
        turn.context["speaker"] = {
            **turn.context["speaker"],
            "state": regard.state,
            "favorability": regard.favorability,
            "disposition": known.disposition or 0.0,
            "facts": [text for text, _ in shown],
        }
    manners = personas.load_persona(npc)["manner"]
    own = manners.get(regard.state) if isinstance(manners, dict) else None
    manner = own or relationship.manner_for(regard.state, disposition=known and known.disposition)
    if manner == relationship.manner_for(relationship.STRANGER):
        # That they met, or not, says it.
        manner = ""
    name = turn.event.name
    regarded = [Note(prompts.regard(name=name, manner=manner), f"regard {who}")] if manner else []
    audiences = [one.audience for one in (*facts, *seen)]
    return regarded + [
        Note(prompts.known_of(name=name, text=text, how=how), audience=known)
        for (text, how), known in zip(shown, audiences, strict=True)
    ]


def _told_as(one: records.EntityAttribute | records.Observation, who: str) -> str:
    """Return under which title of the profile it stands what is known of somebody."""
    if audience.is_confidence(one.audience):
        return "secrets"
    return "claims" if is_claim(one, who) else "facts"


def intentions(turn: Turn) -> list[str] | None:
    """What it talks about with whom it speaks with, and what it means to do for them."""
    who = turn.event.said_by
    kept = working_memory.get_conversation_context(turn.character, who) if who else None
    if kept is None:
        return None
    topic = kept.topic if audience.may_know(kept.topic_audience, turn.hearers) else ""
    if topic:
        turn.include(kept.topic_audience, kept.topic_sources)
    meant = _tellable(turn, working_memory.still_pending(kept)[:INTENTION_LIMIT])
    actions = [one.action for one in meant]
    turn.context["intentions"] = actions
    return prompts.intentions(
        name=turn.event.name,
        topic=topic,
        actions={one.action: _said(one.created) for one in meant},
    )


def _said(created: str) -> str:
    """Return since when it means to do something, "" if it does since today: "tomorrow" was said then."""
    when = how_long_ago(created).lower()
    return "" if when in ("just now", "earlier today") else f" (said {when})"


def _tellable(turn: Turn, known: list[Kept]) -> list[Kept]:
    told = audience.select_tellable(known, turn.hearers)
    for one in told:
        turn.include(one)
    return told


@inlineCallbacks
def memories(turn: Turn):
    """What comes to mind, best first; what of it the prompt has not yet, is chosen last (`memory_notes`)."""
    query = " ".join(event.text for event in turn.events)
    found = yield recall(turn, query, line=query)
    # A mind that reads no prompt is shown only what may be the answer.
    fitting = sorted((item for item in found if item.fits), key=lambda item: -item.fits)
    near = [item for item in found if not item.fits and item.kind != "lore"]
    turn.context["memories"] = list(map(_told, fitting[:ANSWER_LIMIT]))
    turn.context["near"] = list(map(_told, near[:NEAR_LIMIT]))
    if turn.character is not None:
        surroundings.note_knowledge(turn, query)
        turn.recalled = found


@inlineCallbacks
def note_likeness(turn: Turn):
    """Note for a mind that reads no prompt how like what is asked each fact is in meaning, alone and after the line before."""
    scene = Scene(turn.context)
    asked, texts = mind.asked(turn.context), telling.lines(scene)
    if not (asked and texts and scene.language in telling.MEANT and get_memory().enabled):
        return
    queries = [text for one in asked for text in (one, ranking.in_talk(one, scene.before))]
    try:
        found = yield lines.likeness(queries, texts, [*scene.called, scene.name])
    except (MemoryUnavailable, ImproperlyConfigured):
        # By words alone.
        return
    turn.context["likeness"] = {
        one: dict(zip(texts, zip(*found[2 * at : 2 * at + 2], strict=True), strict=True))
        for at, one in enumerate(asked)
    }


def memory_notes(turn: Turn, said: list[Line]) -> list[Note]:
    """Return what comes to mind, each once, but for what stands in the prompt anyway.

    That is lore, what was `said`, what summaries of that tell, and what is known of whom it speaks with.
    """
    # A weak model is shown once more what of the lore in its head may be the answer.
    lore = {item.fits: item.text for item in turn.recalled if item.fits and item.kind == "lore"}
    hint = lore[max(lore)] if lore and turn.asks() and model_facts.is_weak(turn.llm) else ""
    shown = {
        *(line.event_id or line.text for line in said),
        *turn.standing,
        *said_here.waiting(turn),
    } - {"", hint}
    told = [Shown(one.name, one.text, one.timestamp) for one in filter(talk.is_summary, said)]
    told += turn.profiled
    own = [line.text for line in said if line.mine]
    fresh: list[Remembered] = []
    tellers: dict[str, set[str]] = {}
    for item in turn.recalled:
        by, known = item.by, tellers.setdefault(item.text, set())
        # A copy may have lost whom it is from; what two people told counts for more than one's word.
        is_copy = known and (not by or by in known or "" in known)
        # What it means to do for whom it speaks with has a section of its own; its own words stand in the talk.
        is_meant = (item.kind, by) == (promises.OPEN, turn.event.actor_name)
        is_copy = is_copy or is_meant and _are_intentions_shown()
        is_copy = is_copy or item.kind == promises.OPEN and any(item.text in one for one in own)
        is_shown = not shown.isdisjoint((item.event_id, item.text))
        is_shown = is_shown or not item.by and any(item.text in text for text in shown)
        is_shown = is_shown or repetition.is_repeated(item, told, name=turn.name)
        if not (is_copy or is_shown):
            fresh.append(item)
            known.add(by)
    return as_notes(_worth_telling(turn, fresh))


def _worth_telling(turn: Turn, found: list[Remembered]) -> list[Remembered]:
    """Return as much, best first, as the model reads without a wait; without a question only what fits best."""
    fitting = [item for item in found if item.fits]
    if model_facts.is_weak(turn.llm):
        # What is only near confuses it.
        found = fitting[:WEAK_LIMIT]
    if not turn.asks():
        return fitting[:UNASKED_LIMIT]
    speed = base.reading_speed(turn.llm)
    limit = MEMORY_TOKENS
    if speed:
        limit = min(limit, int(speed * READING_SECONDS))
    return passages.fill(found, limit=limit, size=lambda some: sum(map(_size, as_notes(some))))


def _size(note: Note) -> int:
    return tokens.estimate(note.text)


def _are_intentions_shown() -> bool:
    """Return whether a prompt has the section of what is promised; a game may leave it out."""
    return any(path.endswith(".intentions") for path in conf.get("CONTEXT_SECTIONS"))


def _told(item: Remembered) -> dict[str, Any]:
    known = ("text", "by", "kind", "heard", "score", "likeness", "timestamp")
    return {key: getattr(item, key) for key in known}


def note_talk(turn: Turn) -> None:
    """Note for a mind that reads no prompt what was said here so far, and what it answers to."""
    told = said_here.lines(turn)
    if turn.event.channel:
        # What somebody's account is called is for the channel alone.
        told = [structs.replace(line, name=line.called or line.name) for line in told]
    turn.context["conversation"] = [
        {"name": line.name, "text": line.text, "mine": line.mine, "timestamp": line.timestamp}
        for line in told
        if line.kind in (*records.SPOKEN, "pose")
    ]
    turn.context["event"], turn.context["events"] = map(pages.plain, (turn.event, turn.events))
    for one in (*told, *turn.events):
        turn.include(one)


def noted_lately(turn: Turn) -> list[Note]:
    """What it noted lately, for an hour alone."""
    lately = recall_sources.noted_lately(turn.character)
    for entry, _ in lately:
        turn.include(entry)
    return as_notes([memory_ranking.of_entry(*one) for one in lately])
