"""The day of an NPC: at each tick it is, or goes, where its routine says. No model is asked.

What it does now follows from the clock alone (`memory.routine`), so that neither a restart nor a clock
that jumps loses or doubles anything. What is stored is how far it is with that.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from evennia.utils import logger
from msgspec import structs

from evennia_ai import scheduling
from evennia_ai.agent.hearing import presence
from evennia_ai.core import volatile
from evennia_ai.core.states import Round
from evennia_ai.domain.days import Begun, Slot
from evennia_ai.life import first_words, occasions
from evennia_ai.memory import lookup, routine
from evennia_ai.memory.state import assistant, sleep_state
from evennia_ai.memory.state.sleep_state import ASLEEP
from evennia_ai.sleep import falling_asleep, modes
from evennia_ai.tools import walking

GOING, THERE, BLOCKED, MOVED = "going", "there", "blocked", "moved"
# Seconds that an exit may take before it counts as one that let nobody through.
SLOW_EXIT = 120.0
# Seconds after which a way is looked for again, the first time and at most.
FIRST_RETRY, LAST_RETRY = 15.0, 600.0
# Seconds for which a player's words hold it, however long a talk has lasted.
PLAYER_SECONDS = 60.0
# Where an NPC may be that takes a way which is no exit.
ANYWHERE = -1
# How long somebody sleeps by its routine, should nobody look at that any more.
NIGHT = timedelta(days=1)
BY_ROUTINE = "its day is over"


@dataclass
class _Steps:
    """How an NPC walks: from which room, where it is `ahead` of it and since when, when it tries again.

    Since `held_since` a talk has held it, 0 if none does.
    """

    room: int
    ahead: int | None = None
    set_off: float = 0.0
    retry_at: float = 0.0
    delay: float = FIRST_RETRY
    held_since: float = 0.0


@dataclass
class _State:
    # npc id → how it walks
    walks: dict[int, _Steps] = field(default_factory=dict)


_state = volatile.keep(_State)


def live(script: Any, npc: Any, *, is_pushed: bool = False) -> bool:
    """Let an NPC go on with its day; return whether it is on its way.

    One that `is_pushed` by its builder does not stay for a talk.
    """
    now = routine.present(npc)
    if now is None or npc.location is None:
        let_go(npc)
        return False
    if walking.is_led(script, npc):
        # Left alone it goes on with its day, wherever it is by then.
        let_go(npc)
        return False
    if assistant.post(script) is not None:
        assistant.follow(script, None)
        assistant.leave_post(script)
    kept = _kept(script, now)
    steps, here = _state.walks.get(npc.id), npc.location.id
    if steps is not None and here not in (steps.room, steps.ahead):
        kept = _note(script, kept, GOING if steps.ahead == ANYWHERE else MOVED)
    if steps is None or here != steps.room:
        _state.walks[npc.id] = _Steps(here, held_since=steps.held_since if steps else 0.0)
    if is_there(npc, now.slot):
        _arrive(script, npc, now.slot, kept)
        return False
    if _is_held(script, _state.walks[npc.id]) and not is_pushed:
        return False
    return _go_on(script, npc, now.slot, kept)


def let_go(npc: Any) -> None:
    """Take an NPC as it is at the next look: it was played, led, or could not act."""
    _state.walks.pop(npc.id, None)


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
    let_go(npc)
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


def _is_held(script: Any, steps: _Steps) -> bool:
    """Return whether a talk keeps it: for ever only if it is a player's."""
    clock = scheduling.clock().seconds()
    if not falling_asleep.is_talking(script):
        steps.held_since = 0.0
        return False
    steps.held_since = steps.held_since or clock
    if clock - steps.held_since < LAST_RETRY:
        return True
    return falling_asleep.has_player_talked(script, seconds=PLAYER_SECONDS)


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
    _state.walks[npc.id] = _Steps(npc.location.id)
    if kept.state != THERE:
        _note(script, kept, THERE)
        if slot.doing and presence.is_watched(npc.location):
            # Whether it may speak is asked before it is seen to do something: others hear that.
            if not assistant.pending_events(script):
                occasions.look(script, npc, has_arrived=True)
            first_words.show(npc, "pose", f"{slot.doing}.")
    if slot.sleeps:
        idle, awake = falling_asleep.idle_seconds(script), modes.ticks_awake(script)
        is_fresh = awake is not None and awake < modes.schedule_of(script).min_awake_ticks
        if not (is_fresh or falling_asleep.is_kept_awake(script, idle=idle)):
            modes.transition_mode(script, ASLEEP, BY_ROUTINE, wake_at=scheduling.now() + NIGHT)


def _go_on(script: Any, npc: Any, slot: Slot, kept: Round) -> bool:
    """Take the next step; return whether it is on its way."""
    if kept.state == MOVED:
        _go_home_if_stuck(script, npc, kept)
        return False
    steps, clock = _state.walks[npc.id], scheduling.clock().seconds()
    if steps.set_off and clock - steps.set_off < SLOW_EXIT:
        return True
    if clock < steps.retry_at:
        return False
    ids = sorted(routine.room_ids(slot.place, slot.zone))
    rooms = [room for one in ids if (room := lookup.object_by_id(one)) is not None]
    way = walking.way_to(npc, rooms) if rooms else None
    if way is None:
        _wait(script, npc, slot, kept)
        return False
    return _step(script, npc, slot, way, kept)


def _step(script: Any, npc: Any, slot: Slot, way: Any, kept: Round) -> bool:
    steps, before = _state.walks[npc.id], npc.location
    # An exit may be gone once somebody went through it.
    ahead = getattr(way, "destination", None)
    is_open = walking.go_through(npc, way)
    if npc.location is None or not npc.pk:
        return False
    if npc.location != before:
        # Who leaves is missed only by those who saw that they were there.
        presence.look_around(npc)
        _state.walks[npc.id] = _Steps(npc.location.id, held_since=steps.held_since)
        if kept.state != GOING:
            kept = _note(script, kept, GOING)
        if is_there(npc, slot):
            _arrive(script, npc, slot, kept)
        return True
    if steps.set_off or not is_open:
        _wait(script, npc, slot, kept)
        return False
    # Some exits take their time.
    steps.ahead = ahead.id if ahead is not None else ANYWHERE
    steps.set_off = scheduling.clock().seconds()
    return True


def _wait(script: Any, npc: Any, slot: Slot, kept: Round) -> None:
    """Look for a way again later, each time after twice as long; staff are told once."""
    steps = _state.walks[npc.id]
    _state.walks[npc.id] = _Steps(
        npc.location.id,
        # A slow exit may still let it through.
        ahead=steps.ahead,
        retry_at=scheduling.clock().seconds() + steps.delay,
        delay=min(steps.delay * 2, LAST_RETRY),
        held_since=steps.held_since,
    )
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
        _state.walks[npc.id] = _Steps(home.id)
        assistant.keep_round(script, structs.replace(kept, state=GOING, since=_moment()))
