"""The steps of a night: one for each tick.

The functions above `run_sleep_tick` are steps as SLEEP_STEPS lists them: they take (script, character)
and return a dict of what they did. A dict of nothing but zeros, empty lists, booleans and text says that
nothing was done, and a round of such dicts ends the work of the night.
"""

from __future__ import annotations

from typing import Any

from evennia.utils import logger
from twisted.internet.defer import CancelledError, Deferred, inlineCallbacks, maybeDeferred
from twisted.python import log

from evennia_ai import conf, scheduling
from evennia_ai.core import languages
from evennia_ai.memory import lookup
from evennia_ai.memory import persona as personas
from evennia_ai.memory.state import active_assistants, assistant
from evennia_ai.memory.state import reflection_state as accumulator
from evennia_ai.memory.state import sleep_state
from evennia_ai.sleep import (
    compaction,
    consolidation,
    dreaming,
    people_noticed,
    pruning,
    reflection,
    scoring,
    waking,
)

# Entries that are rated in one request, and memories that are linked, in one tick.
SCORES = 20
LINKS = 5
# Rounds in a row in which nothing was done and something failed, after which the night is over.
FAILED_ROUNDS = 3
# What a step counts that it did not do.
LEFT_UNDONE = ("waiting", "failed")

Counts = dict[str, Any]


def score_pending_entries(script: Any, character: Any) -> Deferred[Counts]:
    """Rate what was noted."""
    return scoring.score_pending_entries(script, character, SCORES)


def run_sleep_consolidation(script: Any, character: Any) -> Deferred[Counts]:
    """Keep for good what was rated."""
    return consolidation.run_sleep_consolidation(script, character, pruning.CONSOLIDATIONS)


def run_dreaming_tick(script: Any, character: Any) -> Any:
    """Link memories that are alike."""
    return dreaming.run_dreaming_tick(script, character, LINKS)


def prune_orphaned_memory_links(script: Any, character: Any) -> Any:
    """Drop links to memories that are gone."""
    return dreaming.prune_orphaned_memory_links(script)


def run_entity_consolidation_batch(script: Any, character: Any) -> Deferred[Counts]:
    """Make lasting knowledge of what was observed of people."""
    return people_noticed.run_entity_consolidation_batch(script, character)


def run_reflection(script: Any, character: Any) -> Deferred[Counts] | Counts:
    """Reflect, when enough has happened."""
    if not accumulator.check_reflection_trigger(script):
        return {}
    return reflection.run_reflection(script, character)


def prune_low_importance_entries(script: Any, character: Any) -> Counts:
    """Forget what hardly mattered."""
    return pruning.prune_low_importance_entries(character)


def clear_stale_conversations(script: Any, character: Any) -> Counts:
    """Let go of conversations that ended long ago."""
    return compaction.clear_stale_conversations(character)


def run_pre_compaction_extraction(script: Any, character: Any) -> Deferred[Counts]:
    """Note what old lines of conversations tell, before they go."""
    return compaction.run_pre_compaction_extraction(script, character)


def compact_conversation_history(script: Any, character: Any) -> Deferred[Counts]:
    """Let summaries take the place of old lines."""
    return compaction.compact_conversation_history(script, character)


def let_insights_age(script: Any, character: Any) -> Deferred[Counts]:
    """Let what was concluded long ago make room in the journal."""
    return pruning.let_insights_age(script, character)


@inlineCallbacks
def run_sleep_tick(script: Any, character: Any):
    """Do one tick of the night's work; return {"phase", "steps": {name: what it did}}.

    A step that fails says {"error"} and keeps no other from running. A mind that is awake, or has
    done its work, does nothing; one that wakes meanwhile does no more.
    """
    script_id, phase = script.id, sleep_state.phase(script)
    results: dict[str, Counts] = {}
    if not _sleeping(script_id, phase) or sleep_state.done(script):
        return {"phase": phase, "steps": results}
    for path in conf.get("SLEEP_STEPS")[phase]:
        if not _sleeping(script_id, phase) or waking.is_called(lookup.script_by_id(script_id)):
            return {"phase": phase, "steps": results}
        name = path.rpartition(".")[2]
        results[path if name in results else name] = yield _run_step(path, script_id)
        # No pass of the reactor is held for longer than one step takes.
        yield scheduling.yield_to_reactor()
    if _sleeping(script_id, phase):
        _go_on(lookup.script_by_id(script_id), phase, results)
    return {"phase": phase, "steps": results}


def _sleeping(script_id: int, phase: str | None) -> bool:
    """Return whether a mind and its body are there, on, asleep, and in this phase still."""
    script = lookup.script_by_id(script_id)
    there = script is not None and script.obj is not None and assistant.is_enabled(script)
    if not there or active_assistants.is_halted():
        return False
    return (
        sleep_state.is_asleep(script) and phase is not None and sleep_state.phase(script) == phase
    )


@inlineCallbacks
def _run_step(path: str, script_id: int):
    """Return what a step did, or {"error": one sentence}."""
    script = lookup.script_by_id(script_id)
    spoken = personas.load_persona(script.obj)["language"]
    try:
        # What it concludes and sums up by rules is for itself to say.
        with languages.reading(personas.language_of(spoken)[0]):
            result = yield maybeDeferred(lambda: conf.load(path)(script, script.obj))
    except CancelledError:
        # The tick was given up, and with it all of its steps.
        raise
    except Exception as error:
        log.err(None, f"evennia_ai: sleep step {path} of script #{script_id} failed")
        return {"error": f"{type(error).__name__}: {error}"}
    return result or {}


def _go_on(script: Any, phase: str, results: dict[str, Counts]) -> None:
    """Decide what comes after this tick: more of the same, the next phase, or rest."""
    if phase == sleep_state.COMPACTING:
        _end_compacting(script, results)
    elif any(map(_changed, results.values())):
        sleep_state.note_answer(script, answered=True)
    elif any(result.get("error") for result in results.values()):
        sleep_state.note_answer(script, answered=False)
        sleep_state.set_done(script, finished=sleep_state.failed_ticks(script) >= FAILED_ROUNDS)
    else:
        sleep_state.set_done(script)


def _end_compacting(script: Any, results: dict[str, Counts]) -> None:
    """Begin to dream when the day is kept, or when it cannot be (a model or a memory is dead).

    A day that is long takes as many ticks as it takes: the bound is for ticks that keep nothing.
    """
    stalled = sleep_state.count_tick(script, progressed=any(map(progressed, results.values())))
    completed = all(result.get("completed", not result.get("error")) for result in results.values())
    gives_up = not completed and stalled >= waking.PATIENT_TICKS
    if gives_up:
        logger.log_warn(
            f"[evennia_ai] {script.obj}(#{script.obj.id}) kept nothing of its day in {stalled} ticks."
        )
    if completed or gives_up:
        sleep_state.set_phase(script, sleep_state.DREAMING, degraded=gives_up)
        sleep_state.note_answer(script, answered=True)


def progressed(result: Counts) -> bool:
    """Return whether a step that keeps the day got on with it."""
    return _changed({key: value for key, value in result.items() if key not in LEFT_UNDONE})


def _changed(result: Counts) -> bool:
    """Return whether a step did anything: a number but 0, or a list with something in it."""
    return any(bool(value) and not isinstance(value, (bool, str)) for value in result.values())
