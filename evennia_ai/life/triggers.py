"""What an NPC does at an event of the game because its builder wrote so; by rules, or as an occasion."""

from __future__ import annotations

from typing import Any

from evennia_ai import conf, scheduling
from evennia_ai.agent import speech, turns
from evennia_ai.agent.hearing import presence
from evennia_ai.domain import reasons
from evennia_ai.domain.triggers import Trigger
from evennia_ai.life import first_words, occasions
from evennia_ai.memory import lookup, routine
from evennia_ai.memory.state import assistant

KINDS_OF_SPEECH = {"say": "say", "emote": "pose"}

# Seconds from which it is kept over a restart when something was done last.
LASTING = 3600.0

# (npc id, line) → when it was done last
_done: dict[tuple[int, str], float] = {}


def fire(script: Any, kind: str, actor_id: int) -> None:
    """Do what is written for an event of this kind, which somebody caused."""
    npc = script.obj
    wanted = [one for one in routine.triggers_of(npc) if one.on == kind]
    # Where nobody watches, nobody is asked whether it may be shown.
    if not wanted or not turns.may_think(script) or not presence.is_watched(npc.location):
        return
    actor = lookup.object_by_id(actor_id)
    if actor is not None and not occasions.sees(npc, actor):
        return
    for trigger in wanted:
        if _seconds_since(script, npc, trigger) < trigger.every:
            continue
        # A lock asks somebody; what nobody caused passes none.
        if trigger.only_if and not (actor and routine.passes(npc, actor, trigger.only_if)):
            continue
        _note_done(script, npc, trigger)
        _do(script, npc, actor, trigger)


def forget() -> None:
    """Forget what was done when."""
    _done.clear()


def _seconds_since(script: Any, npc: Any, trigger: Trigger) -> float:
    done = _done.get((npc.id, trigger.line))
    if done is not None:
        return scheduling.clock().seconds() - done
    kept = assistant.trigger_done(script, trigger.line) if trigger.every >= LASTING else None
    return (scheduling.now() - kept).total_seconds() if kept is not None else float("inf")


def _note_done(script: Any, npc: Any, trigger: Trigger) -> None:
    _done[npc.id, trigger.line] = scheduling.clock().seconds()
    if trigger.every >= LASTING:
        lines = [one.line for one in routine.triggers_of(npc) if one.every >= LASTING]
        assistant.note_trigger_done(script, trigger.line, now=scheduling.now(), lines=lines)


def _do(script: Any, npc: Any, actor: Any, trigger: Trigger) -> None:
    name = speech.name_of(actor, npc) if actor is not None else ""
    words = trigger.words.replace("{name}", name)
    if trigger.deed in KINDS_OF_SPEECH:
        kind, hops = KINDS_OF_SPEECH[trigger.deed], conf.get("CROSS_TALK_HOPS")
        first_words.show(npc, kind, words, hops=hops, to=actor)
    elif actor is not None and presence.is_puppeted(actor):
        occasions.begin(script, npc, actor, reasons.TRIGGER, words)
