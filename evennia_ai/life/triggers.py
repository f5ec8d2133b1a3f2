"""What an NPC does at an event of the game because its builder wrote so; by rules, or as an occasion."""

from __future__ import annotations

from typing import Any

from evennia_ai import conf, scheduling
from evennia_ai.agent import speech, turns
from evennia_ai.agent.hearing import presence
from evennia_ai.domain.triggers import Trigger
from evennia_ai.life import first_words, occasions
from evennia_ai.memory import lookup, routine

KINDS_OF_SPEECH = {"say": "say", "emote": "pose"}

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
        key, now = (npc.id, trigger.line), scheduling.clock().seconds()
        if now - _done.get(key, float("-inf")) < trigger.every:
            continue
        # A lock asks somebody; what nobody caused passes none.
        if trigger.only_if and not (actor and routine.passes(npc, actor, trigger.only_if)):
            continue
        _done[key] = now
        _do(script, npc, actor, trigger)


def forget() -> None:
    """Forget what was done when."""
    _done.clear()


def _do(script: Any, npc: Any, actor: Any, trigger: Trigger) -> None:
    name = speech.name_of(actor, npc) if actor is not None else ""
    words = trigger.words.replace("{name}", name)
    if trigger.deed in KINDS_OF_SPEECH:
        first_words.show(
            npc, KINDS_OF_SPEECH[trigger.deed], words, hops=conf.get("CROSS_TALK_HOPS")
        )
    elif actor is not None and presence.is_puppeted(actor):
        occasions.begin(script, npc, actor, occasions.TRIGGER, words)
