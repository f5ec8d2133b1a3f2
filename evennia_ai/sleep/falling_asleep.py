"""Falling asleep: by the mind's own wish, by its hours, or because enough has happened."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from evennia.utils import logger

from evennia_ai import scheduling
from evennia_ai.agent import turns
from evennia_ai.agent.hearing import addressing, presence
from evennia_ai.core import records, volatile
from evennia_ai.memory import journal, lookup
from evennia_ai.memory.state import assistant, reflection_state, sleep_state
from evennia_ai.memory.state.sleep_state import ASLEEP
from evennia_ai.semantic.base import get_memory
from evennia_ai.sleep import sleep_cycle

# Seconds for which nobody has talked with an assistant before it falls asleep by itself.
IDLE_SECONDS = 600
# Seconds after which the wish to sleep has passed, if it was kept awake.
WISH_SECONDS = 900

# Seconds between two looks at how much there is to think about: what an idle mind does costs the
# whole server, and while nobody talks with it hardly anything is added.
LOOK_SECONDS = 60


# What is a talk: a game's own event wants an answer, and holds nobody.
TALK = (*records.SPOKEN, "pose", "give")
LONG_AGO = float("-inf")


@dataclass
class _Last:
    """When something last wanted an answer, or since when we look; when somebody talked with it, and a player did.

    And when we last looked whether there is much to think about.
    """

    addressed: float
    talked: float = LONG_AGO
    player_talked: float = LONG_AGO
    looked: float = LONG_AGO


_last = volatile.of_assistants(_Last)


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
        idle < addressing.ENGAGED_SECONDS
        or turns.is_running(script.id)
        or presence.is_puppeted(script.obj)
        or assistant.pending_events(script)
    )


def idle_seconds(script: Any) -> float:
    """Return for how long nothing has wanted an answer of an assistant, as far back as we know.

    After a restart that is not far; it is not worth a write for each line.
    """
    return scheduling.clock().seconds() - _last_of(script).addressed


def is_talking(script: Any) -> bool:
    """Return whether somebody talked with an assistant a moment ago, or waits for its answer."""
    is_answering = turns.is_running(script.id) or bool(assistant.pending_events(script))
    return is_answering or _is_within(_last_of(script).talked, addressing.ENGAGED_SECONDS)


def has_player_talked(script: Any, *, seconds: float) -> bool:
    """Return whether a player talked with an assistant in the last seconds."""
    return _is_within(_last_of(script).player_talked, seconds)


def note_event(script: Any, event: records.Event) -> None:
    """Note that something wants an answer, so that it does not nap just now; a talk holds it here."""
    last = _last_of(script)
    last.addressed = now = scheduling.clock().seconds()
    if event.kind not in TALK:
        return
    last.talked = now
    speaker = lookup.object_by_id(event.actor_id)
    if speaker is not None and presence.is_puppeted(speaker):
        last.player_talked = now


def end_talk(script: Any) -> None:
    """Note that a talk is over: who asked to be done something for wants it to go."""
    last = _last_of(script)
    last.talked = last.player_talked = LONG_AGO


def _last_of(script: Any) -> _Last:
    last = _last.get(script.db_obj_id)
    if last is None:
        last = _last[script.db_obj_id] = _Last(addressed=scheduling.clock().seconds())
    return last


def _is_within(moment: float, seconds: float) -> bool:
    return bool(scheduling.clock().seconds() - moment < seconds)


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
    if idle < IDLE_SECONDS:
        return False
    last = _last_of(script)
    if _is_within(last.looked, LOOK_SECONDS):
        return False
    last.looked = scheduling.clock().seconds()
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
