"""Waking: what wakes a mind, what waits, and what happens when somebody speaks to a sleeper."""

from __future__ import annotations

from typing import Any

from evennia_ai import scheduling
from evennia_ai.agent import answer, turns
from evennia_ai.agent.hearing import presence
from evennia_ai.core import records
from evennia_ai.core.records import Event, parse_time
from evennia_ai.domain.classification import CONVERSATION, PRIORITIES
from evennia_ai.domain.sleeping import schedule
from evennia_ai.memory import lookup
from evennia_ai.memory.state import assistant, sleep_state
from evennia_ai.memory.state.sleep_state import AWAKE, COMPACTING, LIGHT
from evennia_ai.sleep import sleep_cycle, sleep_slots

# Ticks in which nothing of the day was rated or kept (a model is dead), after which that is given up for this
# night; and ticks of keeping a long day for which whoever calls has to wait.
PATIENT_TICKS = 30
# Who may call from anywhere: the lowest rank of staff.
STAFF = "Builder"


def check_wake_conditions(script: Any, also: str = "") -> tuple[bool, str, bool]:
    """Return (whether it should wake now, why, whether it should but has to wait).

    `also` is a reason that nothing of its sleep tells, "" if there is none.

    It waits while the day is being kept, for PATIENT_TICKS at most, and while a step of sleep
    is under way.
    """
    if not sleep_state.is_asleep(script):
        return False, "it is awake", False
    reason = _reason_to_wake(script) or also
    if not reason:
        return False, "nothing wakes it", False
    if _keeps_its_day(script) or sleep_slots.is_working(script.id):
        return False, reason, True
    return True, reason, False


def perform_wake_transition(script: Any, reason: str) -> bool:
    """Wake a mind, whatever it is about; return False if it is awake. The one way to wake.

    What waited for it is answered.
    """
    if not sleep_state.is_asleep(script):
        return False
    sleep_cycle.transition_mode(script, AWAKE, reason)
    if assistant.pending_events(script):
        turns.request(script.id)
    return True


def wake_if_due(script: Any, also: str = "") -> bool:
    """Wake a mind that should and need not wait; return whether it woke."""
    should_wake, reason, _ = check_wake_conditions(script, also)
    return should_wake and perform_wake_transition(script, reason)


def is_called(script: Any) -> bool:
    """Return whether a sleep tick should leave the rest of its steps to the next one."""
    if not sleep_state.is_asleep(script):
        return True
    return not _keeps_its_day(script) and bool(_reason_to_wake(script))


def _keeps_its_day(script: Any) -> bool:
    """Return whether it is busy with the day; what of a very long one is left waits for another night."""
    return sleep_state.phase(script) == COMPACTING and sleep_state.ticks(script) < PATIENT_TICKS


def _reason_to_wake(script: Any) -> str:
    if sleep_cycle.is_over(script):
        return "its hours of sleep are over"
    if sleep_state.is_nap(script) and sleep_state.done(script):
        return "the work of sleep is done"
    if script.obj is not None and presence.is_puppeted(script.obj):
        return "somebody plays it"
    if any(_is_from_staff(event) for event in assistant.pending_events(script)):
        return "staff want something of it"
    if sleep_state.depth(script) != LIGHT:
        return ""
    if any(_is_urgent(event) for event in assistant.pending_events(script)):
        return "somebody wants something of it"
    due = [parse_time(reminder.due) <= scheduling.now() for reminder in assistant.reminders(script)]
    return "it has a promise to keep" if any(due) else ""


def _is_from_staff(event: Event) -> bool:
    """Return whether staff called from wherever they are: that wakes even from a deep sleep."""
    if event.kind != "tell" or not _is_urgent(event):
        return False
    caller = lookup.object_by_id(event.actor_id)
    return caller is not None and bool(caller.check_permstring(STAFF))


def _is_urgent(event: Event) -> bool:
    age = records.age_seconds(event.timestamp, now=scheduling.now())
    return schedule.is_urgent(event) and age <= records.EVENT_MAX_AGE


def spoken_to(script: Any, event: Event) -> None:
    """Wake at an urgent event, or sleep on: whoever spoke sees which."""
    if wake_if_due(script):
        return
    npc = script.obj
    # Nobody expects a sleeper to join in a greeting of the room.
    if event.priority >= PRIORITIES[CONVERSATION] and turns.can_act(script):
        answer.sleep_talk(npc, event)
    _, _, deferred = check_wake_conditions(script)
    if not deferred:
        assistant.remove_pending(script, [event.id])
