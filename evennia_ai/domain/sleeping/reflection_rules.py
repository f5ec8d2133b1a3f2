"""Rules of reflection: when enough has happened, and what is looked at."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from msgspec import structs

from evennia_ai.core.records import Audience, Entry, format_time
from evennia_ai.core.states import ReflectionState
from evennia_ai.core.talk import POSE
from evennia_ai.domain import audience as audiences
from evennia_ai.domain.memories.fair_share import least_of_the_greatest
from evennia_ai.domain.memories.memory_ranking import BELIEVED

# Entries that one reflection looks at; a mind that never sleeps must not collect them for ever.
WINDOW = 200

# Entries that make room in a full window at once, so that not each one has to look through it.
ROOM = 20

# Entries that are put before a mind at once, and what matters enough where the window is gone.
LOOKED_AT = 100
WORTH_A_LOOK = 5
# Hours until a reflection that failed is tried again: 1, 2, 4 … up to a day.
LONGEST_WAIT = 24

# What matters so little that nothing follows from it: greetings and chatter, as a mind rates them.
TRIVIAL = 2

SYNTHESIS_TAG = "synthesis"
SYNTHESIS_MARK = "[SYNTHESIS]"
# What another assistant said to somebody else: mostly what was heard before, once more.
ECHO_TAG = "echo"
# What whoever said it has taken back: it comes to mind no more, and nothing is concluded from it.
TAKEN_BACK_TAG = "taken back"
# Nor is anything concluded from what a pose says of whomever.
UNTOLD = frozenset({ECHO_TAG, TAKEN_BACK_TAG, POSE})


def add(state: ReflectionState, importance: float, entry_id: int) -> ReflectionState:
    """Return the state after one more entry."""
    return structs.replace(
        state,
        cumulative_importance=state.cumulative_importance + importance,
        entries_since_reflection=(*state.entries_since_reflection, entry_id)[-WINDOW:],
    )


def adjust(state: ReflectionState, difference: float, entry_id: int) -> ReflectionState:
    """Return the state after an entry was rated anew; one outside the window changes nothing."""
    if entry_id not in state.entries_since_reflection:
        return state
    total = state.cumulative_importance + difference
    return structs.replace(state, cumulative_importance=total)


def due(state: ReflectionState, *, now: datetime | None = None) -> bool:
    """Return whether enough has happened, and no attempt has failed just before `now`."""
    enough = state.cumulative_importance >= state.threshold
    return enough and not (now and waits_until(state, now=now))


def waits_until(state: ReflectionState, *, now: datetime) -> str:
    """Return until when a reflection that failed is not tried again; "" if it may be tried."""
    return state.retry_at if state.retry_at > format_time(now) else ""


def put_off(state: ReflectionState, *, now: datetime) -> ReflectionState:
    """Return the state after a reflection that failed: all is kept, and it waits ever longer."""
    hours = min(LONGEST_WAIT, 2 ** min(state.failures, 10))
    retry_at = format_time(now + timedelta(hours=hours))
    return structs.replace(state, failures=state.failures + 1, retry_at=retry_at)


def reset(state: ReflectionState, *, now: datetime, later: Iterable[Entry] = ()) -> ReflectionState:
    """Return the state after a reflection; the threshold stays as it was set.

    `later` are entries that it did not get to, or that came meanwhile: they still wait.
    """
    after = ReflectionState(
        threshold=state.threshold,
        last_reflection_time=format_time(now),
        reflection_count=state.reflection_count + 1,
    )
    for entry in later:
        after = add(after, entry.importance, entry.id)
    return after


def select_window(entries: Iterable[Entry], ids: Iterable[int]) -> list[Entry]:
    """Return what to reflect on, oldest first: of the window the most important, then the newest.

    Whoever told most makes room first: nobody's chatter keeps a mind from thinking of the others.

    If nothing of the window is left, it is what happened lately and matters. `entries` are all of
    the journal, oldest first.
    """
    wanted = set(ids)
    open_to_it = [entry for entry in entries if is_evidence(entry)]
    window = [entry for entry in open_to_it if entry.id in wanted]
    if not window:
        return [one for one in open_to_it if one.importance >= WORTH_A_LOOK][-LOOKED_AT:]
    return without_crowd(window, len(window) - LOOKED_AT)


def without_crowd(entries: Iterable[Entry], count: int) -> list[Entry]:
    """Return entries without so many of them, by id: of whoever told most, what matters least and is oldest."""
    known = list(entries)
    left_out = least_of_the_greatest(
        known,
        count,
        by=lambda entry: entry.said_by or entry.source_entity.casefold(),
        worth=lambda entry: (entry.importance, entry.timestamp, entry.id),
    )
    gone = {entry.id for entry in left_out}
    return sorted((one for one in known if one.id not in gone), key=lambda one: one.id)


def plan_groups(entries: Iterable[Entry], *, private: int) -> list[tuple[Audience, list[Entry]]]:
    """Return the entries by who may know them: the public ones, then the weightiest others.

    What a mind makes of one group is for the ears of that group. What nobody may know is left out.
    """
    groups = [(known, items) for known, items in audiences.divided(entries) if known]
    public = [group for group in groups if group[0] == audiences.PUBLIC]
    others = [group for group in groups if group[0] != audiences.PUBLIC]
    # Of two that weigh the same the one that began first, whatever those are called who may know it.
    others.sort(key=lambda group: (-sum(one.importance for one in group[1]), group[1][0].id))
    return [*public, *others[:private]]


def counts(entry: Entry) -> bool:
    """Return whether an entry is reflected upon: two assistants in one room echo all that is said."""
    return UNTOLD.isdisjoint(entry.tags) and not is_synthesis(entry)


def may_be_told(entry: Entry) -> bool:
    """Return whether an entry is still somebody's word, that they have not taken back."""
    return TAKEN_BACK_TAG not in entry.tags and not is_synthesis(entry)


def is_evidence(entry: Entry) -> bool:
    """Return whether something may be concluded from an entry: not from a rumour, nor from a greeting."""
    return counts(entry) and entry.source_trust >= BELIEVED and entry.importance > TRIVIAL


def is_synthesis(entry: Entry) -> bool:
    """Return whether an entry was made of other entries: it is not reflected upon again."""
    return SYNTHESIS_TAG in entry.tags or entry.content.startswith(SYNTHESIS_MARK)
