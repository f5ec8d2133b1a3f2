"""The state of reflection: what has happened since the last one; kept on the script."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from evennia.typeclasses.models import TypedObject
from msgspec import structs

from evennia_ai import scheduling
from evennia_ai.core.records import Entry
from evennia_ai.core.states import ReflectionState
from evennia_ai.domain.sleeping import reflection_rules
from evennia_ai.memory import journal, kinds, repository

# Importance that has to add up before an assistant reflects on what happened.
THRESHOLD = 150


def reflection_state(script: TypedObject) -> ReflectionState:
    """Return the state of the accumulator."""
    kept = repository.load(script, kinds.REFLECTION)
    return kept or ReflectionState(threshold=THRESHOLD)


def update_reflection_state(script: TypedObject, importance: float, entry_id: int) -> None:
    """Add one entry of the journal to what has happened."""
    _save(script, reflection_rules.add(reflection_state(script), importance, entry_id))


def note_entry(script: TypedObject, entry: Entry) -> None:
    """Add an entry to what has happened, if it is one that is reflected upon."""
    if not reflection_rules.counts(entry):
        return
    state = reflection_state(script)
    known = state.entries_since_reflection
    if script.obj and len(known) >= reflection_rules.WINDOW:
        # Whoever talks without an end must not keep it from thinking of what others told.
        there = journal.get_entries(script.obj, known).values()
        surplus = len(there) + reflection_rules.ROOM - reflection_rules.WINDOW
        left = reflection_rules.without_crowd(there, surplus)
        state = structs.replace(state, entries_since_reflection=tuple(one.id for one in left))
    _save(script, reflection_rules.add(state, entry.importance, entry.id))


def adjust_reflection_state(script: TypedObject, differences: Mapping[int, float]) -> None:
    """Correct the sum after entries were rated anew, by their id, while they wait for the next reflection."""
    before = after = reflection_state(script)
    for entry_id, difference in differences.items():
        after = reflection_rules.adjust(after, difference, entry_id)
    if after != before:
        _save(script, after)


def check_reflection_trigger(script: TypedObject) -> bool:
    """Return whether enough has happened to reflect on it, and no attempt has just failed."""
    return reflection_rules.due(reflection_state(script), now=scheduling.now())


def put_off_reflection(script: TypedObject) -> None:
    """Keep all that waits, and try again later: an attempt to reflect on it has failed."""
    _save(script, reflection_rules.put_off(reflection_state(script), now=scheduling.now()))


def reset_reflection_state(script: TypedObject, *, later: Iterable[Entry] = ()) -> None:
    """Begin anew after a reflection; the journal notes when that was.

    `later` are entries of the journal that wait for the next one.
    """
    now = scheduling.now()
    _save(script, reflection_rules.reset(reflection_state(script), now=now, later=later))
    if script.obj:
        journal.note_reflection(script.obj, now=now)


def _save(script: TypedObject, state: ReflectionState) -> None:
    repository.save(script, kinds.REFLECTION, state)
