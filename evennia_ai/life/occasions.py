"""Occasions: what lets an NPC speak first. Each is an event in its queue, with a reason.

There is none where nobody watches, while others talk, or beyond OCCASIONS; so a room of NPCs costs nothing
by itself. Nobody's account pays for what they did not ask for.
"""

from __future__ import annotations

import uuid
from collections import defaultdict, deque
from typing import Any

from evennia_ai import conf, scheduling
from evennia_ai.agent import speech, turns
from evennia_ai.agent.hearing import presence, scenes
from evennia_ai.core import records
from evennia_ai.core.records import Audience
from evennia_ai.domain import audience
from evennia_ai.memory import identity, routine, working_memory
from evennia_ai.memory.people import accounts
from evennia_ai.memory.state import assistant, npc_settings

MET, QUIET, ROUTINE = "met", "quiet", "routine"
HOUR = 3600.0
# How much one presses, of 10: whoever asks something comes first.
PRIORITY = 2

# (npc id, what is limited) → when there were occasions
_times: defaultdict[tuple[str, object], deque[float]] = defaultdict(lambda: deque(maxlen=60))
# npc id → ids of the players who were there at the last look, and since when it is where it is
_present: dict[int, tuple[int, frozenset[int]]] = {}


def look(script: Any, npc: Any, *, has_arrived: bool = False) -> None:
    """Let an NPC that nobody asks anything speak first, if there is a reason and nothing against it.

    It `has_arrived` where its day wants it.
    """
    room, manner = npc.location, npc_settings.talkative(npc)
    if room is None or manner == "never":
        return
    silence = scenes.silence(room.id)
    players = [one for one in room.contents if presence.is_puppeted(one)]
    now = frozenset(one.id for one in players)
    place, before = _present.get(npc.id, (0, now))
    _present[npc.id] = (room.id, now)
    # Who comes somewhere finds people there; they have not come in.
    came = now - before if place == room.id else frozenset()
    ears = [one for one in players if _may_be_spoken_to(npc, one)]
    if not ears or not presence.is_watched(room):
        return
    for player in ears:
        if player.id in came and (promise := _left_open(npc, player)) is not None:
            begin(script, npc, player, MET, promise.action, known=promise.audience)
            return
    if manner != "chatty":
        return
    if has_arrived:
        begin(script, npc, ears[0], ROUTINE, _doing(npc))
    elif silence >= conf.get("OCCASIONS")["quiet"]:
        begin(script, npc, ears[0], QUIET, "")


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
    limits, room = conf.get("OCCASIONS"), npc.location
    # Nobody is interrupted.
    if scenes.silence(room.id) < limits["pause"] or turns.is_running(script.id):
        return False
    who = identity.perceived(npc, player)
    pair: tuple[str, object] = ("pair", (npc.id, who))
    hourly: dict[tuple[str, object], int] = {
        ("room", room.id): limits["room"],
        ("player", accounts.payer_of(player)): limits["player"],
    }
    if _count(pair, limits["pair"]) or any(_count(key, HOUR) >= n for key, n in hourly.items()):
        return False
    for key in (pair, *hourly):
        _times[key].append(scheduling.clock().seconds())
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
        hops=conf.get("CROSS_TALK_HOPS"),
        payer=0,
    )
    assistant.add_pending(script, event, limit=conf.get("PENDING_EVENTS"))
    turns.event_waits(script, event)
    return True


def forget() -> None:
    """Forget who was there, and how often somebody spoke first."""
    _times.clear()
    _present.clear()


def _count(key: tuple[str, object], seconds: float) -> int:
    since = scheduling.clock().seconds() - seconds
    return sum(moment > since for moment in _times[key]) if key in _times else 0


def _may_be_spoken_to(npc: Any, player: Any) -> bool:
    return player is not npc and not assistant.is_quiet_for(npc, identity.identity_of(player))


def _left_open(npc: Any, player: Any) -> Any:
    """Return what an NPC means to do for a player, the most pressing, None without any."""
    kept = working_memory.get_conversation_context(npc, identity.perceived(npc, player))
    return next(iter(working_memory.still_pending(kept)), None) if kept else None


def _doing(npc: Any) -> str:
    now = routine.present(npc)
    return now.slot.doing if now is not None else ""
