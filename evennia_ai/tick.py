"""The clockwork: one pulse for all assistants of an interval, and what one of them does at it.

Evennia's ticker waits for each subscriber in turn, so a pulse starts the work and returns at once.
What subscribes is `at_repeat` of a script (`typeclasses/pulses`), never a function of ours: at a start
without this package a ticker of a function would take all tickers of the game with it.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from django.db import InterfaceError, OperationalError
from evennia.scripts.models import ScriptDB
from evennia.scripts.tickerhandler import TICKER_HANDLER
from evennia.server.models import ServerConfig
from evennia.utils import logger
from evennia.utils.create import create_script
from twisted.internet.defer import CancelledError, Deferred, maybeDeferred
from twisted.python import log

from evennia_ai import movement, scheduling
from evennia_ai.agent import ingest, turns
from evennia_ai.agent.hearing import perception, presence
from evennia_ai.agent.revising import making_room
from evennia_ai.core import volatile
from evennia_ai.experience import turn_decisions
from evennia_ai.life import day, news, occasions, running_errands, triggers, walking
from evennia_ai.memory import lookup
from evennia_ai.memory.state import active_assistants, assistant, sleep_state
from evennia_ai.memory.storage import readahead
from evennia_ai.sleep import compaction, falling_asleep, night_jobs, sleep_slots, waking
from evennia_ai.workers import database

# Seconds after which the work of one tick is given up.
TIMEOUT = 60
IDSTRING = "evennia_ai"
PULSE = "evennia_ai.typeclasses.pulses.Pulse"
# Parts of a second over which the assistants of one pulse are spread.
PARTS_PER_SECOND = 4
# Of so many ticks an assistant has one that had nothing to do at its last, while no player is with it.
IDLE_EVERY = 6


@dataclass
class _State:
    subscribed: set[int] = field(default_factory=set)
    # interval → how many pulses it had
    pulses: Counter[int] = field(default_factory=Counter)


_state = volatile.keep(_State)
# In which room it found nothing to do at its last tick.
_idle = volatile.of_assistants(int)


def join(script: Any, rate: int) -> None:
    """Let an assistant be ticked every `rate` seconds, in place of any other interval."""
    active_assistants.join(script, rate)
    ensure_pulses()


def leave(script: Any) -> None:
    """Tick an assistant no more."""
    active_assistants.leave(script)
    ensure_pulses()


def ensure_pulses() -> None:
    """Subscribe to the intervals that are in use, and to no others.

    Not to be called in a hook of AT_SERVER_STARTSTOP_MODULE: Evennia has not read its saved tickers
    by then, and adding one would wipe them.
    """
    wanted = active_assistants.rates()
    for rate in wanted - _state.subscribed:
        # A ticker that a deleted script left behind would tick, too.
        _unsubscribe(rate)
        TICKER_HANDLER.add(rate, _script_of(rate).at_repeat, IDSTRING, True)
    for rate in _state.subscribed - wanted:
        _unsubscribe(rate)
        _scripts_of(rate).delete()
    _state.subscribed.clear()
    _state.subscribed.update(wanted)


def resume() -> None:
    """Have all minds ticked; for a step of the start of the server, by which Evennia has read its saved tickers.

    It has not if the database went away in the middle of its start, and would save at its stop that there are none.
    """
    if active_assistants.rates() <= subscribed_rates():
        return
    if not TICKER_HANDLER.ticker_storage:
        logger.log_warn(
            "evennia_ai: Evennia did not end its start, and had no tickers: they tick now. What else it does there "
            "(timers of scripts, delays, sessions) is done at the next `evennia reload`."
        )
        # By this Evennia tells a reload from a cold start, and deletes it at the end.
        mode = ServerConfig.objects.conf("server_restart_mode")
        TICKER_HANDLER.restore(mode == "reload")
    ensure_pulses()


def subscribed_rates() -> set[int]:
    """Return the intervals at which Evennia's ticker calls a pulse."""
    return {key[3] for key in _tickers()}


def lose(rate: int) -> None:
    """Subscribe anew to an interval whose script was deleted, if it is still in use."""
    _state.subscribed.discard(rate)
    scheduling.call_soon(ensure_pulses)


def _tickers() -> list[tuple[Any, ...]]:
    return [key for key in TICKER_HANDLER.ticker_storage if key[4] == IDSTRING]


def _unsubscribe(rate: int) -> None:
    for key in _tickers():
        if key[3] == rate:
            TICKER_HANDLER.remove(store_key=key)


def _scripts_of(rate: int) -> Any:
    return ScriptDB.objects.filter(db_typeclass_path=PULSE, db_key=f"{IDSTRING}_pulse_{rate}")


def _script_of(rate: int) -> Any:
    return _scripts_of(rate).first() or create_script(PULSE, key=f"{IDSTRING}_pulse_{rate}")


def pulse(rate: int) -> None:
    """Start the tick of each assistant of an interval, spread over it; return None at once."""
    members = active_assistants.members(rate)
    if not members:
        # A ticker that outlived its last assistant, in a crash or a removed game.
        _state.subscribed.add(rate)
        scheduling.call_soon(ensure_pulses)
        return
    _state.pulses[rate] += 1
    parts = max(1, min(rate * PARTS_PER_SECOND, len(members)))
    size = math.ceil(len(members) / parts)
    for part in range(parts):
        chunk = members[part * size : (part + 1) * size]
        if chunk:
            scheduling.clock().callLater(
                part * rate / parts, _start_ticks, chunk, _state.pulses[rate]
            )


def _start_ticks(script_ids: list[int], number: int) -> None:
    for script_id in script_ids:
        if (script_id + number) % IDLE_EVERY == 0 or not _is_idle(script_id):
            scheduling.call_soon(_start_tick, script_id)


def _is_idle(script_id: int) -> bool:
    """Return whether nothing waits for an assistant, nobody is there to see, and it is where it had nothing to do."""
    script = lookup.script_by_id(script_id)
    place = script and _idle.get(script.db_obj_id)
    if place is None or script.obj is None or assistant.pending_events(script):
        return False
    room = script.obj.location
    return room is not None and room.id == place and not presence.is_any_puppeted(room)


def _start_tick(script_id: int) -> None:
    script = lookup.script_by_id(script_id)
    # The tick of one assistant may still be under way.
    if script is None or not scheduling.begin("tick", script_id):
        return
    ticked: Deferred = maybeDeferred(run_tick, script)
    if not sleep_state.is_asleep(script):
        # A sleeper may have to wait its turn; its work has a timeout of its own.
        ticked.addTimeout(TIMEOUT, scheduling.clock())
    ticked.addErrback(_failed, script_id)
    ticked.addBoth(lambda _: scheduling.end("tick", script_id))


def _failed(failure: Any, script_id: int) -> None:
    if failure.check(CancelledError) and active_assistants.is_closing():
        # The server stops, and waits for nothing more; the next goes on with it.
        return
    if failure.check(OperationalError, InterfaceError) and database.mend():
        # Evennia does not look after it, and each statement from here on would fail.
        logger.log_warn(f"evennia_ai: the database was away at a tick of script #{script_id}.")
        return
    log.err(failure, f"evennia_ai: a tick of script #{script_id} failed")
    script = lookup.script_by_id(script_id)
    if script:
        assistant.count(script, "failures")


def run_tick(script: Any) -> Deferred[Any] | None:
    """Do what an assistant has to do: look around, keep its promises, pick up what is left; sleep.

    Return a Deferred of what was done in its sleep or for a full journal, None if there is nothing.
    """
    npc = script.obj
    _idle.pop(script.db_obj_id, None)
    if npc is None or active_assistants.is_halted():
        return None
    readahead.read_for_tick(npc, script)
    if not assistant.is_enabled(script):
        return None
    script.at_tick()
    triggers.look_at_clock(script)
    perception.notice_presence(npc)
    ingest.forget_departed_guests(npc, script)
    turn_decisions.settle_due(script, npc)
    if sleep_state.is_asleep(script) and not waking.wake_if_due(script, _why_up(script, npc)):
        slept = sleep_slots.work(script.id, partial(_sleep_on, script.id))
        return slept.addBoth(_slept_on, script.id)
    kept = making_room.make_room(script, npc) if making_room.is_needed(npc) else None
    if not turns.may_think(script):
        # Promises and events wait until somebody else stops playing it, or it can act again.
        walking.let_go(npc)
        return kept
    for reminder in assistant.take_due_reminders(script, now=scheduling.now()):
        occasions.remind(npc, reminder)
    if compaction.needs_compaction(script, npc):
        compaction.compact_in_background(script, npc)
    waits = bool(assistant.pending_events(script))
    if waits:
        turns.request(script.id, delay=0)
    # What waits holds it no longer than a talk does.
    is_on_way = running_errands.live(script, npc) or day.live(script, npc)
    if not (waits or is_on_way or movement.go_home_if_due(script, npc)):
        occasions.look(script, npc)
        # What takes some milliseconds more is the work of a slice each.
        scheduling.call_soon(_meet, script.id)
        scheduling.call_soon(_lie_down, script.id)
        if kept is None and npc.location is not None:
            _idle[npc.id] = npc.location.id
    return kept


def _why_up(script: Any, npc: Any) -> str:
    return day.why_up(script, npc) or running_errands.why_up(script)


def _meet(script_id: int) -> None:
    script = lookup.script_by_id(script_id)
    if script is not None and script.obj is not None and script.obj.location is not None:
        news.meet(script, script.obj)


def _lie_down(script_id: int) -> None:
    script = lookup.script_by_id(script_id)
    if script is None or script.obj is None or not assistant.is_enabled(script):
        return
    if falling_asleep.fall_asleep_if_due(script):
        # Its night is no idleness, in which most ticks are left out.
        _idle.pop(script.db_obj_id, None)


def _sleep_on(script_id: int) -> Any:
    """Do the work of one tick of sleep, unless there was a reason to wake while it waited."""
    script = lookup.script_by_id(script_id)
    if (
        script is None
        or script.obj is None
        or active_assistants.is_halted()
        or active_assistants.is_closing()
    ):
        return None
    if not assistant.is_enabled(script) or not sleep_state.is_asleep(script):
        return None
    return night_jobs.run_night(script, script.obj)


def _slept_on(result: Any, script_id: int) -> Any:
    """Wake if somebody called while a step was under way, or the work is done; else go on at once with what may."""
    script = lookup.script_by_id(script_id)
    if script is not None and script.obj is not None and not active_assistants.is_closing():
        is_awake = waking.wake_if_due(script)
        if isinstance(result, dict) and result.get("goes_on") and not is_awake:
            scheduling.call_soon(_start_tick, script_id)
    return result
