"""Triggers at work: what an NPC does at an event because its builder wrote so."""

from __future__ import annotations

from typing import Any

from evennia.utils import logger

from evennia_ai import scheduling
from evennia_ai.agent import ingest, speech, turns
from evennia_ai.agent.hearing import presence
from evennia_ai.core import volatile
from evennia_ai.core.records import GAME, Audience, Source
from evennia_ai.domain import audience, reasons
from evennia_ai.domain.memories.news_rules import TRIGGER_TAG
from evennia_ai.domain.trigger_rules import BY_CLOCK, FULL_HOUR, NAME, Trigger
from evennia_ai.life import first_words, occasions
from evennia_ai.memory import identity, lookup, plans, routine, working_memory
from evennia_ai.memory.people import accounts
from evennia_ai.memory.state import active_assistants, assistant, kept_goals, sleep_state

KINDS_OF_SPEECH = {"say": "say", "emote": "pose"}
# Seconds from which it is kept over a restart when something was done last.
LASTING = 3600.0
# Parts of a day by which the clock may go on between two looks; beyond that it has jumped.
JUMP = 4


# {line: when it was done last}
_done = volatile.of_assistants(dict[str, float])
# What the clock of the game showed at its last look.
_looked = volatile.of_assistants(float)


def fire(script: Any, kind: str, actor_id: int, known: Audience) -> None:
    """Do what is written for an event of this kind, which somebody caused, and which these may know of."""
    npc = script.obj
    wanted = [one for one in routine.triggers_of(npc) if one.on == kind and kind not in BY_CLOCK]
    actor = lookup.object_by_id(actor_id) if wanted else None
    if actor is not None and not presence.sees(npc, actor):
        return
    _do_all(script, wanted, actor, known)


def look_at_clock(script: Any) -> None:
    """Do what is written for a time of day, or for each full hour, if it has come since the last look."""
    npc = script.obj
    wanted = [one for one in routine.triggers_of(npc) if one.on in BY_CLOCK]
    if not wanted:
        _looked.pop(npc.id, None)
        return
    day, seconds, length = routine.now()
    moment = day * length + seconds
    before = _looked.get(npc.id, moment)
    _looked[npc.id] = moment
    # After a jump, back or far ahead, only what comes from now on counts.
    if not 0 < moment - before < length / JUMP:
        return
    come = [one for one in wanted if _has_come(one, before, moment, length)]
    _do_all(script, come, None, presence.audience_here(npc))


def _has_come(trigger: Trigger, before: float, moment: float, length: float) -> bool:
    every, at = (3600.0, 0) if trigger.on == FULL_HOUR else (length, trigger.at)
    return (before - at) // every < (moment - at) // every


def _do_all(script: Any, wanted: list[Trigger], actor: Any, known: Audience) -> None:
    npc = script.obj
    for trigger in wanted:
        if not (_minds(script) if trigger.is_inner else _may_show(script, npc, trigger)):
            continue
        if _seconds_since(script, npc, trigger) < trigger.every:
            continue
        # A lock asks somebody; what nobody caused passes none.
        if trigger.only_if and not (actor and routine.passes(npc, actor, trigger.only_if)):
            continue
        _note_done(script, npc, trigger)
        _do(script, npc, actor, trigger, known)


def _may_show(script: Any, npc: Any, trigger: Trigger) -> bool:
    if sleep_state.is_asleep(script) or not turns.is_free(script):
        return False
    # Words of its builder's need no thought: it may have no time for more. An occasion is a turn.
    able = routine.can_cry if trigger.deed in KINDS_OF_SPEECH else routine.can_act
    # Where nobody watches, nobody is asked whether it may be shown.
    return able(npc) and presence.is_watched(npc.location)


def _minds(script: Any) -> bool:
    """Return whether a mind takes in what happens: one that is bound or fights does, one that sleeps does not."""
    is_on = assistant.is_enabled(script) and not active_assistants.is_halted()
    return is_on and not (sleep_state.is_asleep(script) or presence.is_puppeted(script.obj))


def _seconds_since(script: Any, npc: Any, trigger: Trigger) -> float:
    done = _done.get(npc.id, {}).get(trigger.line)
    if done is not None:
        return scheduling.clock().seconds() - done
    kept = assistant.trigger_done(script, trigger.line) if trigger.every >= LASTING else None
    return (scheduling.now() - kept).total_seconds() if kept is not None else float("inf")


def _note_done(script: Any, npc: Any, trigger: Trigger) -> None:
    _done.setdefault(npc.id, {})[trigger.line] = scheduling.clock().seconds()
    if trigger.every >= LASTING:
        lines = [one.line for one in routine.triggers_of(npc) if one.every >= LASTING]
        assistant.note_trigger_done(script, trigger.line, now=scheduling.now(), lines=lines)


def _do(script: Any, npc: Any, actor: Any, trigger: Trigger, known: Audience) -> None:
    name = speech.name_of(actor, npc) if actor is not None else ""
    words = trigger.words.replace(NAME, name)
    if trigger.deed in KINDS_OF_SPEECH:
        first_words.show(npc, KINDS_OF_SPEECH[trigger.deed], words, to=actor)
    elif trigger.is_inner:
        _mind(script, npc, actor, trigger, words, known)
    elif actor is None:
        occasions.begin_with_one(script, npc, reasons.TRIGGER, words)
    elif presence.is_puppeted(actor):
        occasions.begin(script, npc, actor, reasons.TRIGGER, words)


def _mind(script: Any, npc: Any, actor: Any, trigger: Trigger, words: str, known: Audience) -> None:
    """Let it think something, note it, or set out to do it: for those who may know of the event.

    What depends on a lock is for whoever passed it, if nobody else there looks like them without passing.
    """
    who = identity.perceived(npc, actor) if actor is not None else ""
    if trigger.only_if:
        passed = routine.who_pass(npc, {actor, *presence.listeners(npc)}, trigger.only_if) & {who}
        known = audience.intersection([known, sorted({*passed, identity.identity_of(npc)})])
    if trigger.deed == "goal":
        _set_goal(script, npc, words, known)
    elif actor is not None and accounts.is_passing(actor):
        # Who is remembered for their visit only is noted nowhere.
        return
    elif trigger.deed == "memory":
        ingest.add_entry(npc, words, tags=[TRIGGER_TAG], audience=known, source_id=who)
    elif who:
        name = speech.name_of(npc, npc)
        line = working_memory.own_line(
            npc, "thought", words, name=name, audience=known, sources=[Source(GAME, who, known)]
        )
        working_memory.add_line(npc, who, line)


def _set_goal(script: Any, npc: Any, title: str, known: Audience) -> None:
    if any(one.title == title for one in kept_goals.open_goals(script)):
        return
    try:
        plans.set_goal(npc, script, title, audience=known)
    except ValueError as error:
        logger.log_warn(f"evennia_ai: {npc.key}(#{npc.id}) sets no goal by its triggers: {error}")
