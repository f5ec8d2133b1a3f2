"""The day of an NPC: at each tick it is, or goes, where its routine says. No model is asked.

What it does now follows from the clock alone (`memory.routine`), so that neither a restart nor a clock
that jumps loses or doubles anything. What is stored is how far it is with that.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from evennia.utils import logger
from msgspec import structs

from evennia_ai import movement, scheduling
from evennia_ai.agent.hearing import presence
from evennia_ai.core.states import Round
from evennia_ai.domain.days import Begun, Slot
from evennia_ai.life import first_words, occasions, walking
from evennia_ai.life.walking import Went
from evennia_ai.memory import lookup, routine
from evennia_ai.memory.state import assistant, sleep_state
from evennia_ai.memory.state.sleep_state import ASLEEP
from evennia_ai.sleep import falling_asleep, sleep_cycle

GOING, THERE, BLOCKED, MOVED = "going", "there", "blocked", "moved"
# How long somebody sleeps by its routine, should nobody look at that any more.
NIGHT = timedelta(days=1)
BY_ROUTINE = "its day is over"


def live(script: Any, npc: Any, *, is_pushed: bool = False) -> bool:
    """Let an NPC go on with its day; return whether it is on its way.

    One that `is_pushed` by its builder does not stay for a talk.
    """
    now = routine.present(npc)
    if now is None or npc.location is None or movement.is_led(script, npc):
        # Who was led and is left alone goes on with its day, wherever it is by then.
        walking.let_go(npc)
        return False
    if assistant.post(script) is not None:
        assistant.follow(script, None)
        assistant.leave_post(script)
    kept = _kept(script, now)
    walk = walking.walk_of(npc)
    if walk is not None and npc.location.id not in (walk.room, walk.ahead):
        kept = _note(script, kept, GOING if walk.ahead == walking.ANYWHERE else MOVED)
    if is_there(npc, now.slot):
        _arrive(script, npc, now.slot, kept)
        return False
    if walking.is_held(script, npc) and not is_pushed:
        return False
    return _go_on(script, npc, now.slot, kept)


def is_there(npc: Any, slot: Slot) -> bool:
    """Return whether an NPC is where a part of its day wants it to be."""
    if not slot.place:
        return True
    return npc.location is not None and npc.location.id in routine.room_ids(slot.place, slot.zone)


def is_gone(slot: Slot) -> bool:
    """Return whether no room is called any more as a part of the day wants it."""
    return bool(slot.place) and not routine.room_ids(slot.place, slot.zone)


def why_up(script: Any, npc: Any) -> str:
    """Return why an NPC that sleeps should be up by its routine, "" if it need not."""
    if not sleep_state.is_asleep(script) or not routine.slots_of(npc):
        return ""
    now = routine.present(npc)
    if now is None or now.slot.sleeps:
        return ""
    sleeps_by_it = sleep_state.reason(script) == BY_ROUTINE
    is_late = sleep_state.is_nap(script) and not (is_there(npc, now.slot) or is_gone(now.slot))
    return "its day begins" if sleeps_by_it or is_late else ""


def resume(script: Any, npc: Any) -> None:
    """Let an NPC go on with its day at once, whatever kept it."""
    walking.let_go(npc)
    now = routine.present(npc)
    if now is not None:
        assistant.keep_round(script, Round(day=now.day, slot=now.slot.number))


def _kept(script: Any, now: Begun) -> Round:
    """Return how far an NPC is with what it does now."""
    kept = assistant.round_of(script)
    if kept is not None and (kept.day, kept.slot) == (now.day, now.slot.number):
        return kept
    # Where it was not before, it is not yet; staff who were told of it need not be told again.
    begun = Round(day=now.day, slot=now.slot.number)
    if kept is not None:
        begun = structs.replace(begun, since=kept.since, told=kept.told)
    assistant.keep_round(script, begun)
    return begun


def _note(script: Any, kept: Round, state: str, *, told: bool = False) -> Round:
    """Note how far it is, with a write only if that is new."""
    since = 0.0 if state == THERE else kept.since
    if state in (BLOCKED, MOVED) and not since:
        since = _moment()
    is_told = state != THERE and (kept.told or told)
    noted = structs.replace(kept, state=state, since=since, told=is_told)
    if noted != kept:
        assistant.keep_round(script, noted)
    return noted


def _moment() -> float:
    """Return the moment of the game's clock as one number, never 0."""
    day, seconds, length = routine.now()
    return day * length + seconds + 1.0


def _arrive(script: Any, npc: Any, slot: Slot, kept: Round) -> None:
    walking.stand(npc)
    if kept.state != THERE:
        _note(script, kept, THERE)
        if slot.doing and presence.is_watched(npc.location):
            # Whether it may speak is asked before it is seen to do something: others hear that.
            if not assistant.pending_events(script):
                occasions.look(script, npc, has_arrived=True)
            first_words.show(npc, "pose", f"{slot.doing}.")
    if slot.sleeps:
        idle, awake = falling_asleep.idle_seconds(script), sleep_cycle.ticks_awake(script)
        is_fresh = awake is not None and awake < sleep_cycle.schedule_of(script).min_awake_ticks
        if not (is_fresh or falling_asleep.is_kept_awake(script, idle=idle)):
            sleep_cycle.transition_mode(
                script, ASLEEP, BY_ROUTINE, wake_at=scheduling.now() + NIGHT
            )


def _go_on(script: Any, npc: Any, slot: Slot, kept: Round) -> bool:
    """Take the next step; return whether it is on its way."""
    if kept.state == MOVED:
        _go_home_if_stuck(script, npc, kept)
        return False
    ids = sorted(routine.room_ids(slot.place, slot.zone))
    rooms = [room for one in ids if (room := lookup.object_by_id(one)) is not None]
    went = walking.towards(npc, rooms)
    if went is Went.BLOCKED:
        _tell_staff(script, npc, slot, kept)
    elif went is Went.ON:
        if kept.state != GOING:
            kept = _note(script, kept, GOING)
        if is_there(npc, slot):
            _arrive(script, npc, slot, kept)
    return went in (Went.ON, Went.SLOWLY)


def _tell_staff(script: Any, npc: Any, slot: Slot, kept: Round) -> None:
    """Note that no way leads where it should be; staff are told once."""
    if not kept.told:
        logger.log_warn(
            f"evennia_ai: {npc.key}(#{npc.id}) finds no way from {npc.location}"
            f"(#{npc.location.id}) to {slot.place!r}, where its routine wants it at {slot.hour}."
        )
    _go_home_if_stuck(script, npc, _note(script, kept, BLOCKED, told=True))


def _go_home_if_stuck(script: Any, npc: Any, kept: Round) -> None:
    """Put an NPC back where its builder said it is at home: a day has passed, and nobody looks."""
    length = routine.now()[2]
    home, lost = npc.home, _moment() - kept.since
    if lost < 0:
        # The clock was put back.
        assistant.keep_round(script, structs.replace(kept, since=_moment()))
    if lost < length or home is None or home == npc.location:
        return
    if any(presence.is_puppeted(obj) for place in (npc.location, home) for obj in place.contents):
        return
    if npc.move_to(home, quiet=True, move_type="teleport"):
        logger.log_info(f"evennia_ai: {npc.key}(#{npc.id}) was stuck for a day, and is at home.")
        walking.stand(npc)
        assistant.keep_round(script, structs.replace(kept, state=GOING, since=_moment()))
