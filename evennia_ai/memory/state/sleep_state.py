"""The state of sleep, in one record on the script.

Awake, nothing of it is stored but when it woke, how long it may not ask to sleep, and its counter.
"""

from __future__ import annotations

from datetime import datetime

from evennia.typeclasses.models import TypedObject
from msgspec import structs

from evennia_ai.core.records import format_time, parse_time
from evennia_ai.core.states import Sleep, SleepWish
from evennia_ai.memory import kinds, repository
from evennia_ai.memory.state import npc_settings

# Hours after which a sleep ends that no schedule ends; an assistant may ask for twice as many.
NAP_HOURS = 2.0
AWAKE, ASLEEP = "awake", "sleep"
COMPACTING, DREAMING = "compacting", "dreaming"
LIGHT, DEEP = "light", "deep"


def mode(script: TypedObject) -> str:
    """Return "awake" or "sleep"; a mind that never slept, or was told nonsense, is awake."""
    return ASLEEP if kept(script).mode == ASLEEP else AWAKE


def is_asleep(script: TypedObject) -> bool:
    return mode(script) == ASLEEP


def last_transition(script: TypedObject) -> datetime | None:
    """Return when it last fell asleep or woke, if it ever did."""
    return _time(kept(script).last_transition)


def woke_at(script: TypedObject | None) -> str:
    """Return when a mind that is awake woke last, "" if it never did."""
    known = kept(script) if script is not None else None
    return (known.last_transition or "") if known and known.mode != ASLEEP else ""


def begin(
    script: TypedObject,
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
    before = kept(script)
    sleep = Sleep(
        mode=ASLEEP,
        phase=COMPACTING,
        depth=depth,
        started_at=format_time(now),
        wake_at=format_time(wake_at),
        reason=reason,
        is_nap=nap,
        is_schedule_suspended=suspends,
        last_transition=format_time(now),
        cooldown_until=before.cooldown_until,
        activity=before.activity,
        last_compaction=before.last_compaction,
    )
    repository.save(script, kinds.SLEEP, sleep)


def end(script: TypedObject, *, now: datetime, cooldown_until: datetime) -> None:
    """Note that a mind wakes: what was true of this night alone goes, its schedule holds again.

    It may ask for no sleep before `cooldown_until`; its doings are counted from here.
    """
    awake = Sleep(
        last_transition=format_time(now),
        cooldown_until=format_time(cooldown_until),
        last_compaction=kept(script).last_compaction,
    )
    repository.save(script, kinds.SLEEP, awake)


def phase(script: TypedObject) -> str | None:
    """Return "compacting" or "dreaming"; None for a mind that is awake."""
    return kept(script).phase


def set_phase(script: TypedObject, new_phase: str, *, degraded: bool = False) -> None:
    """Go on to a phase; `degraded` if the work of the one before was given up."""
    note(script, phase=new_phase, is_degraded=degraded)


def is_degraded(script: TypedObject) -> bool:
    """Return whether the day could not be kept as it should: no mind answered."""
    return kept(script).is_degraded


def count_tick(script: TypedObject, *, progressed: bool) -> int:
    """Count one more tick of keeping the day; return how many in a row kept nothing of it."""
    stalled = 0 if progressed else kept(script).stalled_ticks + 1
    note(script, ticks=ticks(script) + 1, stalled_ticks=stalled)
    return stalled


def ticks(script: TypedObject) -> int:
    """Return for how many ticks it has been keeping the day this night."""
    return kept(script).ticks


def done(script: TypedObject) -> bool:
    """Return whether nothing of the work of this night is left."""
    return kept(script).is_done


def set_done(script: TypedObject, *, finished: bool = True) -> None:
    """Note whether anything of the work of this night is left."""
    if done(script) != finished:
        note(script, is_done=finished)


def note_answer(script: TypedObject, *, answered: bool) -> None:
    """Note whether the mind did what this tick asked of it."""
    failures = 0 if answered else failed_ticks(script) + 1
    if failures != failed_ticks(script):
        note(script, failed_ticks=failures)


def failed_ticks(script: TypedObject) -> int:
    """Return how many ticks in a row the mind did nothing of what was asked."""
    return kept(script).failed_ticks


def tokens(script: TypedObject) -> int:
    """Return the tokens that models have taken for this night so far."""
    return kept(script).tokens


def spend(script: TypedObject, count: int) -> None:
    """Add tokens to what this night has cost."""
    note(script, tokens=tokens(script) + count)


def depth(script: TypedObject) -> str:
    """Return how fast asleep it is: "light" (an urgent event wakes it) or "deep"."""
    return DEEP if kept(script).depth == DEEP else LIGHT


def reason(script: TypedObject) -> str:
    """Return why it sleeps, in a few words."""
    return kept(script).reason


def is_nap(script: TypedObject) -> bool:
    """Return whether this sleep ends when its work is done."""
    return kept(script).is_nap


def wake_at(script: TypedObject) -> datetime | None:
    """Return when this sleep ends at the latest."""
    return _time(kept(script).wake_at)


def request(script: TypedObject, wish: SleepWish) -> None:
    """Keep that the assistant wants to sleep."""
    note(script, requested=wish)


def requested(script: TypedObject) -> SleepWish | None:
    """Return what `request` kept, if it was not carried out yet."""
    return kept(script).requested


def drop_request(script: TypedObject) -> None:
    """The assistant does not want to sleep any more."""
    if requested(script) is not None:
        note(script, requested=None)


def is_schedule_suspended(script: TypedObject) -> bool:
    """Return whether the schedule rests, while the assistant sleeps as long as it asked to."""
    return kept(script).is_schedule_suspended


def activity(script: TypedObject) -> int:
    """Return how many turns it had since it woke."""
    return kept(script).activity


def count_activity(script: TypedObject) -> None:
    """Count one more turn since it woke."""
    note(script, activity=activity(script) + 1)


def own_schedule(script: TypedObject) -> object:
    """Return what a builder wrote as this mind's own schedule, whatever that is."""
    return npc_settings.of_mind(script).get(npc_settings.SCHEDULE)


def cooldown_until(script: TypedObject) -> datetime | None:
    """Return until when the assistant may not ask to sleep."""
    return _time(kept(script).cooldown_until)


def kept(script: TypedObject) -> Sleep:
    return repository.load(script, kinds.SLEEP) or Sleep()


def note(script: TypedObject, **fields: object) -> None:
    """Change fields of what is kept."""
    repository.save(script, kinds.SLEEP, structs.replace(kept(script), **fields))


def _time(text: str | None) -> datetime | None:
    """Return a stored time; what cannot be read counts as none."""
    try:
        return parse_time(text) if text else None
    except ValueError:
        return None
