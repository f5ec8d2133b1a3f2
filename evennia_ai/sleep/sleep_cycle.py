"""The cycle of sleep and waking: from one mode to the other, and by what hours."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from typing import Any

from django.db import transaction
from django.utils.timezone import get_default_timezone
from evennia.utils import gametime, logger
from evennia.utils.dbserialize import deserialize

from evennia_ai import conf, scheduling
from evennia_ai.core import volatile
from evennia_ai.domain.sleeping import schedule
from evennia_ai.domain.sleeping.schedule import Schedule
from evennia_ai.memory.state import active_assistants, npc_settings, sleep_state
from evennia_ai.memory.state.sleep_state import ASLEEP, AWAKE, LIGHT

# Seconds after waking in which an assistant may not ask to sleep again.
COOLDOWN_SECONDS = 3600
# What was wrong with its schedule when staff were told: once is enough.
_complained = volatile.of_assistants(str)


def transition_mode(
    script: Any,
    target_mode: str,
    reason: str,
    *,
    wake_at: datetime | None = None,
    depth: str = LIGHT,
) -> bool:
    """Let a mind fall asleep or wake; return False if it already is as it should be.

    It is ticked at the rate of that mode from now on. A sleep ends at `wake_at`; without it, at the
    end of the hours of its schedule, and outside of them it is a nap: until the work of sleep is
    done, at most NAP_HOURS. The body is told by its hook `at_mode_change(mode, reason)`, if it has one.

    To wake it there is `waking.perform_wake_transition`, which also sees to what waited.

    Raises:
        ValueError: There is no such mode.
    """
    if target_mode not in (AWAKE, ASLEEP):
        raise ValueError(f"there is no mode {target_mode!r}: a mind is {AWAKE!r} or in {ASLEEP!r}.")
    if sleep_state.mode(script) == target_mode:
        return False
    # Killed in between, it would be neither asleep nor awake.
    with transaction.atomic():
        if target_mode == ASLEEP:
            _begin(script, reason, wake_at=wake_at, depth=depth)
        else:
            now = scheduling.now()
            until = now + timedelta(seconds=COOLDOWN_SECONDS)
            sleep_state.end(script, now=now, cooldown_until=until)
        if script.obj and active_assistants.script_id_of(script.obj.id) == script.id:
            script.keep_pulse()
    _tell(script, target_mode, reason)
    return True


def check_sleep_schedule(script: Any) -> tuple[bool, str, str]:
    """Return (whether to change the mode, the mode that should be, why), by the schedule alone."""
    plan = schedule_of(script)
    if sleep_state.is_schedule_suspended(script):
        return False, sleep_state.mode(script), "it sleeps for as long as it asked to"
    if sleep_state.is_asleep(script):
        if is_over(script):
            return True, AWAKE, "its hours of sleep are over"
        return False, ASLEEP, "its hours of sleep are not over"
    if not plan.enabled:
        return False, AWAKE, "it has no hours of sleep"
    if window_end(plan) is None:
        return False, AWAKE, "these are not its hours of sleep"
    ticks = ticks_awake(script)
    if ticks is not None and ticks < plan.min_awake_ticks:
        return False, AWAKE, f"it woke {ticks} ticks ago, less than {plan.min_awake_ticks}"
    return True, ASLEEP, "these are its hours of sleep"


def is_over(script: Any) -> bool:
    """Return whether a sleep has lasted as long as it should."""
    wake_at = sleep_state.wake_at(script)
    if wake_at is not None:
        return scheduling.now() >= wake_at
    # Somebody put it to sleep by hand, and said nothing of its end.
    plan = schedule_of(script)
    return plan.enabled and window_end(plan) is None


def ticks_awake(script: Any) -> int | None:
    """Return how many ticks a mind has been awake for, or None if it never slept."""
    since = sleep_state.last_transition(script)
    if since is None:
        return None
    return int((scheduling.now() - since).total_seconds() // tick_rate(script))


def tick_rate(script: Any) -> int:
    """Return the seconds between two ticks; what a builder set wrong counts as not set."""
    if sleep_state.is_asleep(script):
        return int(schedule_of(script).tick_rate_sleep)
    rate = npc_settings.of_mind(script).get(npc_settings.TICK_RATE)
    fits = isinstance(rate, (int, float)) and rate >= 1
    return int(rate) if fits else conf.get("TICK_RATE")


def schedule_of(script: Any) -> Schedule:
    """Return the schedule of a mind: SLEEP_SCHEDULE, with what its builder set otherwise.

    One that makes no sense counts as switched off; staff are told once.
    """
    own = sleep_state.own_schedule(script)
    try:
        if not isinstance(own or {}, dict):
            raise ValueError(f"a schedule is a dict, not {own!r}.")
        return schedule.read_schedule({**conf.get("SLEEP_SCHEDULE"), **(own or {})})
    except ValueError as error:
        if _complained.get(script.db_obj_id) != str(error):
            _complained[script.db_obj_id] = str(error)
            logger.log_warn(f"evennia_ai: no hours of sleep for {script.obj}: {error}")
        return Schedule()


def check_schedule(value: Any) -> None:
    """Raise a ValueError with one clear sentence if `value` cannot be a mind's own schedule."""
    known = conf.get("SLEEP_SCHEDULE")
    if not isinstance(value, Mapping):
        raise ValueError("sleep_schedule is written as {enabled: true, sleep_start_hour: 22}.")
    unknown = sorted(str(key) for key in value if key not in known)
    if unknown:
        raise ValueError(f"a schedule has no {', '.join(unknown)}: it has {', '.join(known)}.")
    schedule.read_schedule({**known, **value})


def choose_schedule(script: Any, value: Any) -> None:
    """Give a mind a schedule of its own in place of the one that it has; None takes it back.

    Raises:
        ValueError: It makes no sense, and the mind keeps the one that it has.
    """
    given = deserialize(value)
    if given is not None:
        check_schedule(given)
    npc_settings.choose_for_mind(script, sleep_schedule=given and dict(given))


def window_end(plan: Schedule) -> datetime | None:
    """Return when the hours of sleep end that it is now, or None outside of them."""
    if not plan.enabled:
        return None
    moment, seconds = _moment(plan.clock)
    window = schedule.window_at(moment, plan)
    if window is None:
        return None
    left = (window[1] - moment.astimezone(timezone.utc)).total_seconds()
    return scheduling.now() + timedelta(seconds=left * seconds)


def _begin(script: Any, reason: str, *, wake_at: datetime | None, depth: str) -> None:
    now, end = scheduling.now(), wake_at or window_end(schedule_of(script))
    sleep_state.begin(
        script,
        now=now,
        wake_at=end or now + timedelta(hours=sleep_state.NAP_HOURS),
        depth=depth,
        reason=reason,
        nap=end is None,
        suspends=wake_at is not None,
    )


def _moment(clock: str) -> tuple[datetime, float]:
    """Return what a clock shows, and the real seconds in one of its seconds."""
    if clock == "game":
        shown = datetime.fromtimestamp(gametime.gametime(absolute=True), tz=timezone.utc)
        return shown, 1 / gametime.TIMEFACTOR
    return scheduling.now().astimezone(get_default_timezone()), 1.0


def _tell(script: Any, mode: str, reason: str) -> None:
    npc = script.obj
    does = "falls asleep" if mode == ASLEEP else "wakes"
    logger.log_info(f"evennia_ai: {npc}(#{npc.id if npc else 0}) {does}: {reason}.")
    if npc is not None and hasattr(npc, "at_mode_change"):
        npc.at_mode_change(mode, reason)
