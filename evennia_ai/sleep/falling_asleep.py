"""Falling asleep: by the mind's own wish, by its hours, or because enough has happened."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from evennia.utils import logger

from evennia_ai import conf, scheduling
from evennia_ai.agent import turns
from evennia_ai.agent.hearing import presence
from evennia_ai.core import records, volatile
from evennia_ai.memory import journal, lookup
from evennia_ai.memory.state import assistant, reflection_state, sleep_state
from evennia_ai.memory.state.sleep_state import ASLEEP
from evennia_ai.semantic.base import get_memory
from evennia_ai.sleep import sleep_cycle

# Seconds after which the wish to sleep has passed, if it was kept awake.
WISH_SECONDS = 900

# Seconds between two looks at how much there is to think about: what an idle mind does costs the
# whole server, and while nobody talks with it hardly anything is added.
LOOK_SECONDS = 60


@dataclass
class _State:
    # script id → when we last looked
    looked: dict[int, float] = field(default_factory=dict)
    # script id → when something last wanted an answer, when somebody talked with it, and when a player
    # did; and since when we look
    addressed: dict[int, float] = field(default_factory=dict)
    talked: dict[int, float] = field(default_factory=dict)
    player_talked: dict[int, float] = field(default_factory=dict)
    since: dict[int, float] = field(default_factory=dict)


_state = volatile.keep(_State)
# What is a talk: a game's own event wants an answer, and holds nobody.
TALK = (*records.SPOKEN, "pose", "give")


def fall_asleep_if_due(script: Any) -> bool:
    """Let a mind that is awake fall asleep if it is time and nobody keeps it awake.

    Return whether it fell asleep.
    """
    idle = idle_seconds(script)
    if is_kept_awake(script, idle=idle):
        return False
    return _as_it_asked(script) or _by_schedule(script) or _for_a_nap(script, idle=idle)


def is_kept_awake(script: Any, *, idle: float) -> bool:
    """Return whether something goes on that a mind should not sleep through."""
    return bool(
        idle < conf.get("ENGAGED_SECONDS")
        or turns.is_running(script.id)
        or presence.is_puppeted(script.obj)
        or assistant.pending_events(script)
    )


def idle_seconds(script: Any) -> float:
    """Return for how long nothing has wanted an answer of an assistant, as far back as we know.

    After a restart that is not far; it is not worth a write for each line.
    """
    now = scheduling.clock().seconds()
    since = _state.since.setdefault(script.id, now)
    return now - _state.addressed.get(script.id, since)


def is_talking(script: Any) -> bool:
    """Return whether somebody talked with an assistant a moment ago, or waits for its answer."""
    is_answering = turns.is_running(script.id) or bool(assistant.pending_events(script))
    return is_answering or _is_within(_state.talked.get(script.id), conf.get("ENGAGED_SECONDS"))


def has_player_talked(script: Any, *, seconds: float) -> bool:
    """Return whether a player talked with an assistant in the last seconds."""
    return _is_within(_state.player_talked.get(script.id), seconds)


def note_event(script: Any, event: records.Event) -> None:
    """Note that something wants an answer, so that it does not nap just now; a talk holds it here."""
    _state.addressed[script.id] = now = scheduling.clock().seconds()
    if event.kind not in TALK:
        return
    _state.talked[script.id] = now
    speaker = lookup.object_by_id(event.actor_id)
    if speaker is not None and presence.is_puppeted(speaker):
        _state.player_talked[script.id] = now


def end_talk(script: Any) -> None:
    """Note that a talk is over: who asked to be done something for wants it to go."""
    _state.talked.pop(script.id, None)
    _state.player_talked.pop(script.id, None)


def _is_within(moment: float | None, seconds: float) -> bool:
    return moment is not None and scheduling.clock().seconds() - moment < seconds


def _as_it_asked(script: Any) -> bool:
    wish = sleep_state.requested(script)
    if wish is None:
        return False
    if records.age_seconds(wish.at, now=scheduling.now()) > WISH_SECONDS or _cools_down(script):
        sleep_state.drop_request(script)
        return False
    # Why is not logged: the words are a model's, and may speak of what was whispered.
    logger.log_info(f"evennia_ai: {script.obj} wanted to sleep")
    wake_at: datetime = scheduling.now() + timedelta(hours=wish.hours)
    return sleep_cycle.transition_mode(
        script, ASLEEP, "it wanted to", wake_at=wake_at, depth=wish.depth
    )


def _by_schedule(script: Any) -> bool:
    should_change, mode, reason = sleep_cycle.check_sleep_schedule(script)
    return should_change and sleep_cycle.transition_mode(script, mode, reason)


def _for_a_nap(script: Any, *, idle: float) -> bool:
    if not conf.get("NAP_WHEN_IDLE") or idle < conf.get("NAP_IDLE_SECONDS"):
        return False
    now = scheduling.clock().seconds()
    if now - _state.looked.get(script.id, float("-inf")) < LOOK_SECONDS:
        return False
    _state.looked[script.id] = now
    if _cools_down(script):
        return False
    if reflection_state.check_reflection_trigger(script):
        return sleep_cycle.transition_mode(script, ASLEEP, "it has much to think about")
    if get_memory().enabled and journal.wants_sleep(script.obj):
        return sleep_cycle.transition_mode(script, ASLEEP, "its journal is full")
    return False


def _cools_down(script: Any) -> bool:
    until = sleep_state.cooldown_until(script)
    return until is not None and scheduling.now() < until
