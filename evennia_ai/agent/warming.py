"""Prompt cache warm-up: a local server reads an NPC's prompt when a player comes near, before they speak."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from twisted.internet.defer import inlineCallbacks, maybeDeferred
from twisted.python import log

from evennia_ai import scheduling
from evennia_ai.agent import context, own_model, speech, turns
from evennia_ai.agent.turn import Turn
from evennia_ai.core import records, volatile
from evennia_ai.exceptions import TurnEnded
from evennia_ai.llm import base, ledger, model_facts
from evennia_ai.llm.wrappers.budget import Budget
from evennia_ai.memory import identity, lookup
from evennia_ai.memory.state import active_assistants

# Seconds until the same NPC is warmed up again.
EVERY = 300.0


@dataclass
class _State:
    # npc id → when it was warmed up
    warmed: dict[int, float] = field(default_factory=dict)
    is_busy: bool = False


_state = volatile.keep(_State)


def warm(script: Any, who: int) -> None:
    """Warm up the server of an NPC's model for the player with the id `who`, if that server is local and nothing is under way.

    One NPC at a time: where ten stand in a room, nine warm-ups would delay the first answer.
    """
    npc, now = script.obj, scheduling.clock().seconds()
    is_player = active_assistants.script_id_of(who) is None
    is_local = getattr(base.bare(own_model.llm_of(npc)), "is_local", False)
    is_due = now - _state.warmed.get(npc.id, now - EVERY) >= EVERY
    if is_player and is_local and is_due and not _state.is_busy and turns.may_think(script):
        _state.warmed[npc.id], _state.is_busy = now, True
        scheduling.call_soon(_begin, script.id, who)


def warm_again(turn: Turn | None) -> None:
    """Warm up every NPC once more when a player comes near, and the NPC of `turn` at once."""
    _state.warmed.clear()
    if turn and turn.script and turn.speaker:
        warm(turn.script, turn.speaker.id)


def _begin(script_id: int, who: int) -> None:
    reading = maybeDeferred(_read, lookup.script_by_id(script_id), lookup.object_by_id(who))
    reading.addErrback(lambda failure: failure.trap(TurnEnded))
    reading.addErrback(log.err, "evennia_ai: a warm-up failed")
    reading.addBoth(lambda _: setattr(_state, "is_busy", False))


@inlineCallbacks
def _read(script, player):
    npc = script.obj if script else None
    room = player.location if player else None
    if room is None or npc is None or npc.location != room or not turns.may_think(script):
        return
    event = records.new_event(
        "arrive",
        "",
        event_id="",
        now=scheduling.now(),
        said_by=identity.perceived(npc, player),
        actor_id=player.id,
        actor_name=speech.name_of(player, npc),
        location_id=room.id,
    )
    turn = Turn(script, [event])
    # Nobody has said anything yet.
    turn.events = []
    # Forgetting waits for running turns, so it waits for this one, too.
    if not turns.occupy(script.id):
        return
    try:
        messages = yield context.build(turn)
    finally:
        turns.leave(script.id)
    if messages and turn.character is not None:
        alias = own_model.alias_of(turn.character)
        backend = Budget(ledger.Ledger(base.bare(turn.llm), alias=alias), alias=alias)
        # As a probe it lets replies go first.
        yield backend.complete(replace(turn.request(messages), job=model_facts.JOB, max_tokens=1))
