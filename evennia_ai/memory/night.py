"""What a mind keeps of its sleep, in one record on its script.

Awake, nothing of it is stored but when it woke, how long it may not ask to sleep, and its counter.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from evennia_ai.core.records import format_time, parse_time
from evennia_ai.memory import kinds, mind_settings, repository

AWAKE, ASLEEP = "awake", "sleep"
COMPACTING, DREAMING = "compacting", "dreaming"
LIGHT, DEEP = "light", "deep"

MODE = "operating_mode"
TRANSITION = "last_transition"
PHASE = "sleep_phase"
DEPTH = "sleep_depth"
STARTED = "sleep_started_at"
WAKE_AT = "sleep_wake_at"
REASON = "sleep_reason"
NAP = "sleep_is_nap"
DEGRADED = "sleep_degraded"
TICKS = "sleep_ticks"
STALLED = "sleep_stalled_ticks"
DONE = "sleep_work_done"
TOKENS = "sleep_tokens"
FAILED = "sleep_failed_ticks"
REQUESTED = "sleep_requested"
SUSPENDED = "schedule_suspended_by_tool"
COOLDOWN = "sleep_cooldown_until"
ACTIVITY = "activity_counter"

# What is true of one night, and gone with it.
OF_ONE_NIGHT = (
    PHASE,
    DEPTH,
    STARTED,
    WAKE_AT,
    REASON,
    NAP,
    SUSPENDED,
    DEGRADED,
    TICKS,
    STALLED,
    DONE,
    TOKENS,
    FAILED,
    REQUESTED,
)

# All that is kept of sleep, by night and by day.
FIELDS = (*OF_ONE_NIGHT, MODE, TRANSITION, COOLDOWN, ACTIVITY)


def mode(script: Any) -> str:
    """Return "awake" or "sleep"; a mind that never slept, or was told nonsense, is awake."""
    return ASLEEP if _load(script, MODE) == ASLEEP else AWAKE


def is_asleep(script: Any) -> bool:
    """Return whether a mind sleeps."""
    return mode(script) == ASLEEP


def last_transition(script: Any) -> datetime | None:
    """Return when it last fell asleep or woke, if it ever did."""
    return _time(script, TRANSITION)


def begin(
    script: Any,
    *,
    now: datetime,
    wake_at: datetime,
    depth: str,
    reason: str,
    nap: bool = False,
    suspends: bool = False,
) -> None:
    """Note how a sleep begins: with the work of keeping the day.

    A nap ends when that work is done. A sleep that `suspends` the schedule is not ended by it.
    """
    beginning = {
        MODE: ASLEEP,
        TRANSITION: format_time(now),
        PHASE: COMPACTING,
        DEPTH: depth,
        STARTED: format_time(now),
        WAKE_AT: format_time(wake_at),
        REASON: reason,
        NAP: nap,
        SUSPENDED: suspends,
    }
    _save_all(script, beginning, removed=set(OF_ONE_NIGHT) - beginning.keys())


def end(script: Any, *, now: datetime, cooldown_until: datetime) -> None:
    """Note that a mind wakes: what was true of this night alone goes, its schedule holds again.

    It may ask for no sleep before `cooldown_until`; its doings are counted from here.
    """
    waking = {
        COOLDOWN: format_time(cooldown_until),
        ACTIVITY: 0,
        MODE: AWAKE,
        TRANSITION: format_time(now),
    }
    _save_all(script, waking, removed=OF_ONE_NIGHT)


def phase(script: Any) -> str | None:
    """Return "compacting" or "dreaming"; None for a mind that is awake."""
    return _load(script, PHASE)


def set_phase(script: Any, new_phase: str, *, degraded: bool = False) -> None:
    """Go on to a phase; `degraded` if the work of the one before was given up."""
    _save_all(script, {PHASE: new_phase, DEGRADED: degraded})


def is_degraded(script: Any) -> bool:
    """Return whether the day could not be kept as it should: no mind answered."""
    return bool(_load(script, DEGRADED))


def count_tick(script: Any, *, progressed: bool) -> int:
    """Count one more tick of keeping the day; return how many in a row kept nothing of it."""
    stalled = 0 if progressed else (_load(script, STALLED) or 0) + 1
    _save_all(script, {TICKS: ticks(script) + 1, STALLED: stalled})
    return stalled


def ticks(script: Any) -> int:
    """Return for how many ticks it has been keeping the day this night."""
    return _load(script, TICKS) or 0


def done(script: Any) -> bool:
    """Return whether nothing of the work of this night is left."""
    return bool(_load(script, DONE))


def set_done(script: Any, *, finished: bool = True) -> None:
    """Note whether anything of the work of this night is left."""
    if done(script) != finished:
        _save_all(script, {DONE: finished})


def note_answer(script: Any, *, answered: bool) -> None:
    """Note whether the mind did what this tick asked of it."""
    failures = 0 if answered else failed_ticks(script) + 1
    if failures != failed_ticks(script):
        _save_all(script, {FAILED: failures})


def failed_ticks(script: Any) -> int:
    """Return how many ticks in a row the mind did nothing of what was asked."""
    return _load(script, FAILED) or 0


def tokens(script: Any) -> int:
    """Return the tokens that models have taken for this night so far."""
    return _load(script, TOKENS) or 0


def spend(script: Any, count: int) -> None:
    """Add tokens to what this night has cost."""
    note(script, **{TOKENS: tokens(script) + count})


def depth(script: Any) -> str:
    """Return how fast asleep it is: "light" (an urgent event wakes it) or "deep"."""
    return DEEP if _load(script, DEPTH) == DEEP else LIGHT


def reason(script: Any) -> str:
    """Return why it sleeps, in a few words."""
    return _load(script, REASON) or ""


def is_nap(script: Any) -> bool:
    """Return whether this sleep ends when its work is done."""
    return bool(_load(script, NAP))


def started_at(script: Any) -> datetime | None:
    """Return when this sleep began."""
    return _time(script, STARTED)


def wake_at(script: Any) -> datetime | None:
    """Return when this sleep ends at the latest."""
    return _time(script, WAKE_AT)


def request(script: Any, wish: dict[str, Any]) -> None:
    """Keep that the assistant wants to sleep: {"depth", "hours", "reason", "at"}."""
    note(script, **{REQUESTED: wish})


def requested(script: Any) -> dict[str, Any] | None:
    """Return what `request` kept, if it was not carried out yet."""
    return _load(script, REQUESTED)


def drop_request(script: Any) -> None:
    """The assistant does not want to sleep any more."""
    if requested(script) is not None:
        _save_all(script, {}, removed=[REQUESTED])


def is_schedule_suspended(script: Any) -> bool:
    """Return whether the schedule rests, while the assistant sleeps as long as it asked to."""
    return bool(_load(script, SUSPENDED))


def activity(script: Any) -> int:
    """Return how many turns it had since it woke."""
    return _load(script, ACTIVITY) or 0


def count_activity(script: Any) -> None:
    """Count one more turn since it woke."""
    _save_all(script, {ACTIVITY: activity(script) + 1})


def own_schedule(script: Any) -> Any:
    """Return what a builder wrote as this mind's own schedule, whatever that is."""
    return mind_settings.load(script).get(mind_settings.SCHEDULE)


def cooldown_until(script: Any) -> datetime | None:
    """Return until when the assistant may not ask to sleep."""
    return _time(script, COOLDOWN)


def kept(script: Any) -> dict[str, Any]:
    """Return all that is kept, by the names of FIELDS."""
    return repository.load(script, kinds.SLEEP) or {}


def note(script: Any, **fields: Any) -> None:
    """Keep some of FIELDS as they are given."""
    _save_all(script, fields)


def _load(script: Any, key: str) -> Any:
    return kept(script).get(key)


def _time(script: Any, key: str) -> datetime | None:
    """Return a stored time; what cannot be read counts as none."""
    try:
        return parse_time(_load(script, key))
    except (TypeError, ValueError):
        return None


def _save_all(script: Any, values: dict[str, Any], *, removed: Any = ()) -> None:
    gone = set(removed)
    after = {key: value for key, value in {**kept(script), **values}.items() if key not in gone}
    repository.save(script, kinds.SLEEP, after)
