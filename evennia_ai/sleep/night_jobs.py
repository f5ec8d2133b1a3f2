"""Nights that a worker does: a slice of a mind's sleep, on a copy of the mind.

The worker reads what is stored of a mind, goes through as many ticks of its night as fit into some seconds, and
tells what became of the copy. Only the server writes that down: all of it by one statement, and only if the mind
is still what the copy was made of. Long-term memory is written by the worker, each entry once, as in any night.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Generator

from django.db import InterfaceError, OperationalError
from evennia.utils import logger
from twisted.internet.defer import Deferred, inlineCallbacks
from twisted.internet.task import LoopingCall

from evennia_ai import conf, models, scheduling
from evennia_ai.agent import speech, turns
from evennia_ai.core import volatile
from evennia_ai.exceptions import LLMRefused, TurnEnded
from evennia_ai.llm.wrappers import breaker
from evennia_ai.memory import lookup
from evennia_ai.memory.state import active_assistants, assistant, sleep_state
from evennia_ai.memory.storage import detached, whole_minds
from evennia_ai.semantic.base import get_memory
from evennia_ai.sleep import sleep_slots, steps
from evennia_ai.workers import database, executors, payload
from evennia_ai.workers.executors import Executor
from evennia_ai.workers.payload import Work

# Seconds of a night after which a worker tells what became of it: what it loses if it is killed.
SLICE_SECONDS = 4.0
# Seconds between two looks of a worker whether somebody still wants what it does.
LOOK_SECONDS = 1.0
# Slices of a night in a row of which nothing came, after which the server goes on with it: for the rest of it where no
# worker answered, as each would have to be waited for in vain; where who talks beside the sleeper overtook them, for
# AWAY_SECONDS, and for twice as long each time, up to the longest.
FRUITLESS = 2
AWAY_SECONDS, LONGEST_AWAY_SECONDS = 60.0, 480.0
OURS = "evennia_ai."

Fields = dict[str, Any]


@dataclass(frozen=True)
class _Fruitless:
    """Slices in a row of the night since a moment of which nothing came, and until when none is lent."""

    since: datetime | None
    slices: int = 0
    until: float = 0.0


_fruitless = volatile.of_assistants(_Fruitless)


@inlineCallbacks
def run_night(script: Any, character: Any) -> Generator[Deferred[Any], Any, Any]:
    """Go on with a night: by a tick of it here, or by a slice of it that a worker does.

    Return what a tick returns; `goes_on` says that a slice ended for its time alone, and the next may begin at once.
    """
    script_id, npc_id, phase = script.id, character.id, sleep_state.phase(script)
    executor, since = _executor_for(script, character), sleep_state.last_transition(script)
    fruitless = _fruitless.get(npc_id, _Fruitless(since))
    if fruitless.since != since:
        fruitless = _Fruitless(since)
    if executor is None or scheduling.clock().seconds() < fruitless.until:
        return (yield steps.run_sleep_tick(script, character))
    if sleep_state.done(script) or turns.is_held(script_id):
        return {"phase": phase, "steps": {}}
    asked = {
        "body": character.id,
        "mind": script_id,
        "name": character.key,
        "shown": speech.name_of(character, character),
        "seen": whole_minds.fingerprint(character.id, script_id),
        "memory": _place_of_memory(),
    }
    work = payload.work_of_night(character.id, asked)
    try:
        answer = yield executor.run(work, seconds=sleep_slots.TICK_SECONDS)
        found = payload.read_fields(answer)
    except TurnEnded as error:
        found = {"steps": {payload.NIGHT: {"error": str(error)}}}
    taken = "changes" in found and _take(script_id, character.id, found)
    if taken:
        _fruitless.pop(npc_id, None)
    else:
        _fruitless[npc_id] = _one_more(fruitless, was_answered="seen" in found)
    goes_on = taken and found.get("goes_on", False)
    return {"phase": phase, "steps": found["steps"], "goes_on": goes_on}


def _one_more(before: _Fruitless, *, was_answered: bool) -> _Fruitless:
    """Count one more slice of which nothing came."""
    slices, until = before.slices + 1, 0.0
    if slices >= FRUITLESS:
        away = min(AWAY_SECONDS * 2 ** (slices - FRUITLESS), LONGEST_AWAY_SECONDS)
        until = scheduling.clock().seconds() + away if was_answered else math.inf
    return replace(before, slices=slices, until=until)


def _executor_for(script: Any, character: Any) -> Executor | None:
    """Return who does the nights of a mind, or None: they are done here.

    Steps of a game's own want the game's objects, a model that is left alone here is so by all, and what a worker keeps for good has to be where the server looks for it.
    """
    executor = executors.executor_for(payload.NIGHT)
    if executor is None or breaker.left_alone():
        return None
    memory, phase = get_memory(), sleep_state.phase(script)
    paths = conf.get("SLEEP_STEPS").get(phase, ())
    is_shared = executor.is_here or not memory.enabled or getattr(memory, "is_shared", False)
    return executor if is_shared and all(path.startswith(OURS) for path in paths) else None


def _place_of_memory() -> str:
    """Return where long-term memory is, "" if there is none or nobody can say."""
    memory = get_memory()
    return str(getattr(memory, "place", "")) if memory.enabled else ""


def _take(script_id: int, character_id: int, found: Fields) -> bool:
    """Write down what became of a copy; return False if the mind is not any more what the copy was made of."""
    script, character = lookup.script_by_id(script_id), lookup.object_by_id(character_id)
    if script is None or character is None or not assistant.is_enabled(script):
        return False
    if active_assistants.is_halted() or turns.is_held(script_id):
        return False
    if not whole_minds.take(character, script, found["changes"], seen=found["seen"]):
        return False
    breaker.leave_alone(found["left_alone"])
    return True


@inlineCallbacks
def do(work: Work) -> Generator[Deferred[Any], Any, Fields]:
    """Do a slice of a night on a copy of the mind; return what became of it."""
    asked = json.loads(work.asked)
    if _place_of_memory() != asked["memory"]:
        # Its settings are others: what it keeps for good would be where the server does not look.
        raise LLMRefused("SEMANTIC of a worker is another than that of the server")
    named = {"name": asked["name"], "shown": asked["shown"]}
    body, mind, seen = detached.detach(asked["body"], asked["mind"], **named)
    done: Fields = {"steps": {}, "seen": seen}
    if seen != asked["seen"]:
        # Somebody changed it while this waited: nobody would take what comes of it.
        return done
    looking = LoopingCall(_look, work.key, body, mind)
    looking.clock = scheduling.clock()
    with lookup.standing_in(body, mind):
        looking.start(LOOK_SECONDS, now=False)
        try:
            done["steps"], done["goes_on"] = yield _go_on(mind, body)
        finally:
            looking.stop()
    if body.kept.is_broken or mind.kept.is_broken:
        logger.log_warn(f"evennia_ai: a slice of the night of {body} failed, and is done anew.")
        return done
    done["changes"] = detached.changes(body, mind)
    return {**done, "left_alone": breaker.left_alone()}


@inlineCallbacks
def _go_on(mind: Any, body: Any) -> Generator[Deferred[Any], Any, tuple[Fields, bool]]:
    """Do tick after tick until a slice is over; return what the steps of the last did, and whether it got on."""
    until = scheduling.clock().seconds() + SLICE_SECONDS
    while True:
        phase = sleep_state.phase(mind)
        results: Fields = (yield steps.run_sleep_tick(mind, body))["steps"]
        if any(result.get("error") for result in results.values()):
            # It may have been the database: the next slice is to find it.
            database.mend()
            return results, False
        # What was refused, or failed, is for the next tick.
        gets_on = sleep_state.phase(mind) != phase or any(map(steps.progressed, results.values()))
        if sleep_state.done(mind) or not gets_on or lookup.script_by_id(mind.id) is not mind:
            return results, False
        if scheduling.clock().seconds() >= until:
            return results, True


def _look(key: str, body: Any, mind: Any) -> None:
    """Let a slice end at its next step if nobody wants it any more: it was dropped, or is to be forgotten."""
    try:
        is_wanted = models.Job.objects.filter(key=key, finished=None).exists()
    except (OperationalError, InterfaceError):
        # Nobody can say just now.
        database.mend()
        return
    if not is_wanted:
        lookup.withdraw(body, mind)
