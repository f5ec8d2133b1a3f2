"""Occasions: what lets an NPC speak first. Each is an event in its queue, with a reason.

There is none where nobody watches, while others talk, or beyond OCCASIONS; so a room of NPCs costs nothing
by itself. Nobody's account pays for what they did not ask for. A reminder that is due is told to whom it is for, or kept
until they come.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from typing import Any

from evennia_ai import rate_limits, scheduling
from evennia_ai.agent import speech, turns
from evennia_ai.agent.hearing import addressing, perception, presence
from evennia_ai.core import records, volatile
from evennia_ai.core.records import Audience, Reminder
from evennia_ai.domain import audience
from evennia_ai.domain.memories import promises
from evennia_ai.domain.reasons import DUE, MET, QUIET, REFLECT, ROUTINE
from evennia_ai.llm import model_facts
from evennia_ai.llm.base import get_llm
from evennia_ai.memory import identity, lookup, routine, working_memory
from evennia_ai.memory.people import accounts
from evennia_ai.memory.state import assistant, kept_goals, npc_settings
from evennia_ai.rate_limits import Limit

DAY = 86_400.0
# Seconds for which somebody has just come in, where something keeps an NPC from speaking to them.
WELCOME = 120.0
# How much one presses, of 10: whoever asks something comes first.
PRIORITY = 2
# How much it presses, of 10.
REMINDER_PRIORITY = working_memory.PRESSING


@dataclass
class _Look:
    """Where an NPC was at its last look, which players were `there`, and when who of them came in."""

    room: int
    there: frozenset[int]
    came: dict[int, float] = field(default_factory=dict)


_looks = volatile.of_assistants(_Look)


def look(script: Any, npc: Any, *, has_arrived: bool = False) -> None:
    """Let an NPC that nobody asks anything speak first, if there is a reason and nothing against it.

    It `has_arrived` where its day wants it.
    """
    room = npc.location
    if room is None:
        return
    silence = presence.silence(room.id)
    players = [
        one for one in room.contents if presence.is_puppeted(one) and presence.sees(npc, one)
    ]
    came = _newcomers(npc, players)
    if not presence.is_watched(room):
        _reflect_if_due(script, npc)
        return
    for player in _ears(room):
        if player.id in came and _welcome(script, npc, player):
            came.pop(player.id)
            return
    if npc_settings.talkative(npc) != "chatty":
        return
    if has_arrived:
        begin_with_one(script, npc, ROUTINE, _doing(npc))
    elif silence >= presence.unprompted_limits()["quiet"]:
        begin_with_one(script, npc, QUIET, "")


def _welcome(script: Any, npc: Any, player: Any) -> bool:
    """Speak of the NPC's own promise to somebody who has just come in."""
    promise = _left_open(npc, player)
    return promise is not None and begin(
        script, npc, player, MET, promise.action, known=promise.audience
    )


def begin(
    script: Any,
    npc: Any,
    player: Any,
    reason: str,
    text: str,
    *,
    known: Audience = audience.PUBLIC,
) -> bool:
    """Let an NPC speak to a player of itself, if the limits allow it; return whether it may."""
    room, who = npc.location, identity.perceived(npc, player)
    if turns.is_running(script.id) or not may_begin(npc, player, who):
        return False
    event = records.new_event(
        records.OCCASION,
        text,
        event_id=uuid.uuid4().hex,
        now=scheduling.now(),
        reason=reason,
        audience=known,
        addressed=True,
        priority=PRIORITY,
        said_by=who,
        actor_id=player.id,
        actor_name=speech.name_of(player, npc),
        location_id=room.id,
        # What nobody asked for no other assistant answers: one line is one line.
        hops=addressing.HOPS,
        payer=0,
    )
    assistant.add_pending(script, event)
    turns.event_waits(script, event)
    # The others who are there wait until it has spoken.
    presence.note_spoken(room.id)
    return True


def may_begin(npc: Any, player: Any, who: str) -> bool:
    """Return whether an NPC may speak to a player of itself now, and count it against the limits."""
    limits, room = presence.unprompted_limits(), npc.location
    # Nobody is interrupted.
    if not _may_be_spoken_to(npc, player) or presence.silence(room.id) < limits["pause"]:
        return False
    return rate_limits.take(
        Limit(("pair", npc.id, who), 1, limits["pair"]),
        Limit(("room", room.id), limits["room"]),
        Limit(("player", accounts.payer_of(player)), limits["player"]),
    )


def _reflect_if_due(script: Any, npc: Any) -> None:
    """Let an NPC that nobody watches think by itself, if a model does and the game wants it."""
    often, last = presence.unprompted_limits()["reflect"], assistant.thought_alone(npc)
    now = scheduling.now()
    if often <= 0 or (last is not None and (now - last).total_seconds() < DAY / often):
        return
    llm = get_llm("reflect")
    # To think by itself is to use tools.
    if turns.is_running(script.id) or not (llm.is_model and model_facts.uses_tools(llm)):
        return
    if kept_goals.planned(script):
        # Who is on an errand has something to do.
        return
    # It is noted first: what fails is not tried again at each tick.
    assistant.note_thought_alone(npc, now=now)
    event = quiet_hour(npc)
    assistant.add_pending(script, event)
    turns.event_waits(script, event)


def quiet_hour(npc: Any) -> records.Event:
    """Return the occasion in which an NPC thinks by itself."""
    return records.new_event(
        records.OCCASION,
        "",
        event_id=uuid.uuid4().hex,
        now=scheduling.now(),
        reason=REFLECT,
        priority=PRIORITY,
        location_id=npc.location.id if npc.location else 0,
        payer=0,
    )


def begin_with_one(script: Any, npc: Any, reason: str, text: str) -> None:
    """Let an NPC speak to the first of those who are there to whom it may."""
    any(begin(script, npc, player, reason, text) for player in _ears(npc.location))


def _newcomers(npc: Any, players: list[Any]) -> dict[int, float]:
    """Return which of the players came in lately, and were not yet spoken to, and when."""
    place, clock = npc.location.id, scheduling.clock().seconds()
    there, before = frozenset(one.id for one in players), _looks.get(npc.id)
    # Who comes somewhere finds people there; they have not come in.
    if before is None or before.room != place:
        now = _Look(place, there)
    else:
        since = {**dict.fromkeys(there - before.there, clock), **before.came}
        came = {one: at for one, at in since.items() if one in there and clock - at < WELCOME}
        now = _Look(place, there, came)
    _looks[npc.id] = now
    return now.came


def _ears(room: Any) -> list[Any]:
    """Return the players in a room, first those who did something lately."""
    players = [one for one in room.contents if presence.is_puppeted(one)]
    return sorted(players, key=lambda one: not presence.is_anybody_active([one]))


def _may_be_spoken_to(npc: Any, player: Any) -> bool:
    """Return whether somebody is there who is not hidden, and neither they nor its builder object."""
    return (
        player is not npc
        and npc.location is not None
        and player.location == npc.location
        and npc_settings.talkative(npc) != "never"
        and presence.sees(npc, player)
        and not assistant.is_quiet_for(npc, player)
    )


def _left_open(npc: Any, player: Any) -> Any:
    """Return what an NPC means to do for a player, the most pressing that they may know of, None without any."""
    who = identity.perceived(npc, player)
    kept = working_memory.get_conversation_context(npc, who)
    meant = working_memory.still_pending(kept) if kept else []
    return next(iter(audience.select_tellable(meant, [who])), None)


def _doing(npc: Any) -> str:
    now = routine.present(npc)
    return now.slot.doing if now is not None else ""


def remind(npc: Any, reminder: Reminder) -> None:
    """Let an NPC know that something is due; whoever it is for hears it now, or as they come in."""
    person = lookup.object_by_id(reminder.actor_id) if reminder.actor_id else None
    if reminder.said_by and not _is_beside(npc, person, reminder.said_by):
        _keep_reminder(npc, reminder)
        return
    perception.perceive(
        npc,
        "reminder",
        reminder.text,
        person,
        audience=reminder.audience,
        payer=reminder.payer,
        reason=DUE,
    )


def _is_beside(npc: Any, person: Any, who: str) -> bool:
    """Return whether somebody is beside an NPC, not hidden, hears it, and is taken for whom they were then."""
    if person is None or npc.location is None or person.location != npc.location:
        return False
    is_there = presence.can_hear(person) and presence.sees(npc, person)
    return is_there and identity.perceived(npc, person) == who


def _keep_reminder(npc: Any, reminder: Reminder) -> None:
    """Keep it as what the NPC means to do for somebody, unless it means to do that anyway."""
    kept = working_memory.get_conversation_context(npc, reminder.said_by)
    meant = working_memory.still_pending(kept) if kept else []
    if not any(promises.is_same(reminder.text, one.action) for one in meant):
        working_memory.add_pending_action(
            npc,
            reminder.said_by,
            reminder.text,
            REMINDER_PRIORITY,
            audience=reminder.audience,
            sources=reminder.origins,
        )
