"""The sections of the prompt that we ship: each a function of the turn.

A section returns text, or a list of lines of which the budget may cut some, or None. What it knows
as data it also puts into `turn.context`, for minds that read no prompt.
"""

from __future__ import annotations

from typing import Any, TypeVar

from msgspec import structs
from twisted.internet.defer import inlineCallbacks

from evennia_ai import conf, prompts, prompts_life
from evennia_ai.agent import speech
from evennia_ai.agent.hearing import presence
from evennia_ai.agent.prompting import recall_sources, said_here, surroundings
from evennia_ai.agent.prompting.recall import as_lines, how_long_ago, recall, standing_lore
from evennia_ai.agent.revising import spoken_corrections
from evennia_ai.agent.turn import Turn
from evennia_ai.core import records
from evennia_ai.core.talk import Line
from evennia_ai.domain import audience, statements
from evennia_ai.domain.memories import conversation as talk
from evennia_ai.domain.memories import memory_ranking, promises, relationship
from evennia_ai.domain.memories.profile import is_claim
from evennia_ai.domain.memories.remembered import Remembered
from evennia_ai.domain.model_text import repetition
from evennia_ai.domain.model_text.repetition import Shown
from evennia_ai.memory import lookup
from evennia_ai.memory import persona as personas
from evennia_ai.memory import routine, working_memory
from evennia_ai.memory.people import entity_profiles, promised
from evennia_ai.memory.state import assistant, sleep_state
from evennia_ai.memory.storage import pages
from evennia_ai.tools import world

# Observations of the speaker that one prompt gets at most.
OBSERVATION_LIMIT = 8
# Things to do for the speaker that one prompt gets at most.
INTENTION_LIMIT = 5
# Memories that a mind is shown that answers by rules: what may be the answer, and what is only near.
ANSWER_LIMIT, NEAR_LIMIT = 6, 12
# Characters of a room's description.
DESCRIPTION_LENGTH = 600

Kept = TypeVar("Kept", bound=records.Record)


def instructions(turn: Turn) -> str:
    """What the model is here, and what has authority."""
    code, name = personas.language_of(personas.load_persona(turn.character)["language"])
    write = prompts.instructions if turn.reason.speaks else prompts_life.alone
    return write(name=turn.name, language="" if code == "en" else name)


def persona(turn: Turn) -> str:
    """Who the assistant is."""
    written = personas.load_persona(turn.character)
    code, _ = personas.language_of(written["language"])
    turn.context["npc"] = {
        **written,
        "name": turn.name,
        "called": speech.name_of(turn.character, turn.speaker) if turn.speaker else "",
        "aliases": turn.character.aliases.all(),
        "persona": written["description"],
        "language": code,
    }
    return prompts.persona(name=turn.name, persona=written, manner="")


def lore(turn: Turn) -> list[str]:
    """What its builder wrote for everybody, as long as that is little; else the best comes to mind."""
    turn.standing = standing_lore(turn.character)
    return prompts.lore(facts=turn.standing)


def place(turn: Turn) -> str | None:
    """Where it is, who and what is there, what it has with it, and whom it speaks with."""
    npc, speaker = turn.character, turn.speaker
    turn.context["speaker"] = {
        "name": turn.event.name,
        "identity": turn.event.said_by,
        "state": relationship.STRANGER,
    }
    if turn.event.channel:
        return _channel(turn)
    turn.context["present"] = present = [
        surroundings.described(npc, obj) for obj in surroundings.in_reach(npc)
    ]
    room = npc.location
    if room is None:
        return None
    surroundings.note(turn)
    turn.context["place"] = speech.name_of(room, npc)
    turn.context["time"] = world.time_in_words()
    names = {
        kind: [one["name"] for one in present if one["kind"] == kind] for kind in surroundings.KINDS
    }
    text = prompts.place(
        name=speech.name_of(room, npc),
        desc=surroundings.description(room)[:DESCRIPTION_LENGTH],
        time=turn.context["time"],
        date=routine.date(),
        people={one["name"]: one["looks"] for one in present if one["identity"]},
        things=names["object"],
        exits=names["exit"],
    )
    leader = lookup.object_by_id(assistant.following(turn.script)) if turn.script else None
    followed = speech.name_of(leader, npc) if leader else ""
    held = {
        speech.name_of(obj, npc): surroundings.looks(obj)
        for obj in npc.contents[: surroundings.LOOKED_AT]
        if surroundings.is_seen(npc, obj)
    }
    turn.context["more_to_see"] = surroundings.has_more_to_see(npc)
    body = prompts.body(carried=turn.context["carried"], leader=followed, looks=held)
    lines = [text, body]
    return "\n".join(lines if speaker is None else [*lines, _speaker(turn)])


def _channel(turn: Turn) -> str:
    # Who is where it is, is nothing that the whole game needs to hear.
    turn.context["present"] = []
    turn.context["time"] = world.time_in_words()
    text = prompts.channel(name=turn.event.channel, time=turn.context["time"], date=routine.date())
    return f"{text}\n{_speaker(turn)}"


def _speaker(turn: Turn) -> str:
    who = turn.event.said_by
    # What was said long ago is let go; that they talked is not.
    met = entity_profiles.find_profile(turn.character, who) if who else None
    known = bool(met and met.relationship.interaction_count)
    if who and not known:
        known = any(line.mine for line in working_memory.lines_with(turn.character, who))
    is_mind = turn.speaker is not None and presence.is_mind(turn.speaker)
    return prompts.speaker(name=turn.event.name, known=known, is_mind=is_mind)


def profile(turn: Turn) -> str | None:
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
    shown += [(statements.words_of(one.content), _told_as(one, who)) for one in seen]
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
    return prompts.profile(
        name=turn.event.name,
        manner=manner,
        **{how: [text for text, told_as in shown if told_as == how] for how in _TOLD_AS},
    )


_TOLD_AS = ("facts", "claims", "secrets")


def _told_as(one: records.EntityAttribute | records.Observation, who: str) -> str:
    """Return under which title of the profile it stands what is known of somebody."""
    if audience.is_confidence(one.audience):
        return "secrets"
    return "claims" if is_claim(one, who) else "facts"


def intentions(turn: Turn) -> str | None:
    """What it talks about with whom it speaks with, and what it means to do for them."""
    who = turn.event.said_by
    kept = working_memory.get_conversation_context(turn.character, who) if who else None
    if kept is None:
        return None
    topic = kept.topic if audience.may_know(kept.topic_audience, turn.hearers) else ""
    if topic:
        turn.include(kept.topic_audience)
    meant = _tellable(turn, working_memory.still_pending(kept)[:INTENTION_LIMIT])
    actions = [one.action for one in meant]
    turn.context["intentions"] = actions
    # What they promise just now stands there in their own words.
    now = {event.timestamp for event in turn.events}
    before = [one for one in promised.expected(turn.character, who) if one.created not in now]
    theirs = _tellable(turn, before)
    return prompts.intentions(
        name=turn.event.name,
        topic=topic,
        actions={one.action: _said(one.created) for one in meant},
        kept=_kept_now(turn, who),
        expected={one.action: prompts_life.due(one.due_day, routine.now()[0]) for one in theirs},
    )


def _said(created: str) -> str:
    """Return since when it means to do something, "" if it does since today: "tomorrow" was said then."""
    when = how_long_ago(created).lower()
    return "" if when in ("just now", "earlier today") else f" (said {when})"


def _kept_now(turn: Turn, who: str) -> list[str]:
    """Return what somebody promised to bring, and gives it now."""
    given = " ".join(event.text for event in turn.events if event.kind == "give")
    over = promised.settled(turn.character, who) if given else []
    done = [one for one in over[:1] if one.ended == promises.THEIRS_KEPT]
    return [one.action for one in _tellable(turn, done) if promises.names(one.action, given)]


def _tellable(turn: Turn, known: list[Kept]) -> list[Kept]:
    told = audience.select_tellable(known, turn.hearers)
    for one in told:
        turn.include(one.audience)
    return told


@inlineCallbacks
def memories(turn: Turn):
    """What comes to mind, best first."""
    query = " ".join(event.text for event in turn.events)
    found = yield recall(turn, query, line=query)
    # A mind that reads no prompt is shown only what may be the answer.
    fitting = sorted((item for item in found if item.fits), key=lambda item: -item.fits)
    near = [item for item in found if not item.fits and item.kind != "lore"]
    turn.context["memories"] = list(map(_told, fitting[:ANSWER_LIMIT]))
    turn.context["near"] = list(map(_told, near[:NEAR_LIMIT]))
    if turn.character is None:
        return []
    surroundings.note_knowledge(turn, query)
    turn.recalled = found
    return memory_lines(turn, said_here.lines(turn))


def memory_lines(turn: Turn, said: list[Line]) -> list[str]:
    """Return what comes to mind, each once, but for what stands in the prompt anyway.

    That is lore, what was `said`, what summaries of that tell, and what is known of whom it speaks with.
    """
    shown = {
        *(line.event_id or line.text for line in said),
        *turn.standing,
        *said_here.waiting(turn),
    } - {""}
    told = [Shown(one.name, one.text, one.timestamp) for one in filter(talk.is_summary, said)]
    told += turn.profiled
    promised_here, own = _promised(turn), [line.text for line in said if line.mine]
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
        others = [*told, *promised_here] if item.kind in _THEIR_WORDS else told
        is_shown = is_shown or repetition.is_repeated(item, others, name=turn.name)
        if not (is_copy or is_shown):
            fresh.append(item)
            known.add(by)
    return as_lines(fresh) or [prompts.NOTHING_ELSE]


_THEIR_WORDS = (memory_ranking.SAID, promises.OWED)


def _promised(turn: Turn) -> list[Shown]:
    """Return what whom it speaks with has promised: it has a section of its own, or is done and no promise more."""
    npc, who = turn.character, turn.event.said_by
    if npc is None or not who or not _are_intentions_shown():
        return []
    kept = [one for one in promised.settled(npc, who) if one.ended == promises.THEIRS_KEPT]
    made = audience.select_tellable([*promised.expected(npc, who), *kept], turn.hearers)
    return [Shown(turn.event.actor_name, one.action, one.created) for one in made]


def _are_intentions_shown() -> bool:
    """Return whether a prompt has the section of what is promised; a game may leave it out."""
    return any(path.endswith(".intentions") for path in conf.get("CONTEXT_SECTIONS"))


def _told(item: Remembered) -> dict[str, Any]:
    known = ("text", "by", "kind", "heard", "score", "timestamp")
    return {key: getattr(item, key) for key in known}


def conversation(turn: Turn) -> list[str]:
    """What was said here so far, by those who are present, oldest first."""
    told = said_here.lines(turn)
    turn.shown_lines.update(map(said_here.key, told))
    for line in told:
        turn.include(line.audience)
    if turn.event.channel:
        # What somebody's account is called is for the channel alone.
        told = [structs.replace(line, name=line.called or line.name) for line in told]
    turn.context["conversation"] = [
        {"name": line.name, "text": line.text, "mine": line.mine, "timestamp": line.timestamp}
        for line in told
        if line.kind in (*records.SPOKEN, "pose")
    ]
    if turn.llm.is_model:
        told = talk.without_detours(line for line in told if not line.by_rules)
    names = {line.said_by: line.name for line in told if not line.mine}
    shown: list[str] = []
    before, woke = None, sleep_state.woke_at(turn.script)
    for line, after in zip(told, [*told[1:], turn.event], strict=False):
        if line.mine and line.kind == "whisper" and (name := _unasked(line, before, names)):
            shown.append(prompts.to_one(name=name))
        before = line
        said = prompts.spoken_line(
            name=line.name,
            text=line.text,
            kind=line.kind,
            mine=line.mine,
            overheard=line.overheard,
        )
        said.told = line
        shown.append(said)
        passed = talk.pause(line, after, speed=routine.speed())
        slept = bool(woke) and line.timestamp < woke <= after.timestamp
        if passed or slept:
            shown.append(prompts.later(passed, slept=slept))
    return shown


def _unasked(line: Line, before: Line | None, names: dict[str, str]) -> str:
    """Return to whom it whispered, if they had not whispered just before; "" if that is clear."""
    [whom] = line.about or [""]
    is_clear = before and (before.mine or before.said_by == whom) and before.kind == "whisper"
    return "" if is_clear else names.get(whom, "")


def event(turn: Turn) -> str:
    """What the assistant answers to."""
    turn.context["event"], turn.context["events"] = map(pages.plain, (turn.event, turn.events))
    turn.context["corrected"] = spoken_corrections.is_corrected(turn.character, turn.events)
    for one in turn.events:
        turn.include(one.audience)
    lines = [prompts.event(event=one) for one in turn.events]
    if not turn.reason.speaks:
        now = prompts.moment(time=world.time_in_words(), date=routine.date())
        noted = recall_sources.noted_lately(turn.character)
        told = as_lines(noted, title="What you noted lately:")
        return "\n".join([now, *lines, *told])
    if turn.event.channel or turn.is_for_few():
        kind = "channel" if turn.event.channel else turn.event.kind
        lines.insert(0, prompts.whose_ears(name=turn.event.name, kind=kind))
    return "\n".join(lines)
