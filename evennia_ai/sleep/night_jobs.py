"""Nights that a worker does: a slice of a mind's sleep, on a copy of the mind.

The worker reads what is stored of a mind, goes through as many ticks of its night as fit into some seconds, and
tells what became of the copy. Only the server writes that down: all of it in one transaction, and only if the mind
is still what the copy was made of. Long-term memory is written by the worker, each entry once, as in any night.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generator

from django.db import InterfaceError, OperationalError
from evennia.utils import logger
from twisted.internet.defer import Deferred, inlineCallbacks
from twisted.internet.task import LoopingCall

from evennia_ai import conf, models, scheduling
from evennia_ai.agent import speech, turns
from evennia_ai.core import volatile
from evennia_ai.exceptions import TurnEnded
from evennia_ai.llm import base
from evennia_ai.llm.wrappers import breaker
from evennia_ai.memory import kinds, lookup, repository
from evennia_ai.memory.state import active_assistants, assistant, sleep_state
from evennia_ai.memory.storage import detached
from evennia_ai.memory.storage.detached import Change
from evennia_ai.semantic.base import get_memory
from evennia_ai.sleep import steps
from evennia_ai.workers import database, executors, payload
from evennia_ai.workers.executors import Executor
from evennia_ai.workers.payload import Work

# Seconds of a night after which a worker tells what became of it: what it loses if it is killed.
SLICE_SECONDS = 4.0
# Seconds between two looks of a worker whether somebody still wants what it does.
LOOK_SECONDS = 1.0
# Slices of a night in a row of which nothing came, after which the server does the rest of it: each would have to be
# waited for in vain where no worker lives, and who talks beside the sleeper would overtake each.
FRUITLESS = 2
OURS = "evennia_ai."

Fields = dict[str, Any]


@dataclass
class _State:
    # script id → since when it sleeps, slices of that night in a row of which nothing came
    fruitless: dict[int, tuple[datetime | None, int]] = field(default_factory=dict)


_state = volatile.keep(_State)


@inlineCallbacks
def run_night(script: Any, character: Any) -> Generator[Deferred[Any], Any, Any]:
    """Go on with a night: by a tick of it here, or by a slice of it that a worker does."""
    script_id, phase = script.id, sleep_state.phase(script)
    executor, since = _executor_for(script, character), sleep_state.last_transition(script)
    night, fruitless = _state.fruitless.get(script_id, (since, 0))
    if night != since:
        fruitless = 0
    if executor is None or fruitless >= FRUITLESS:
        return (yield steps.run_sleep_tick(script, character))
    if sleep_state.done(script) or turns.is_held(script_id):
        return {"phase": phase, "steps": {}}
    asked = {
        "body": character.id,
        "mind": script_id,
        "name": character.key,
        "shown": speech.name_of(character, character),
        "seen": detached.fingerprint(character.id, script_id),
    }
    work = payload.work_of_night(character.id, asked)
    try:
        answer = yield executor.run(work, seconds=conf.get("SLEEP_TICK_TIMEOUT"))
        found = payload.read_fields(answer)
    except TurnEnded as error:
        found = {"steps": {payload.NIGHT: {"error": str(error)}}}
    taken = "changes" in found and _take(script_id, character.id, found)
    if taken:
        _state.fruitless.pop(script_id, None)
    else:
        _state.fruitless[script_id] = (since, fruitless + 1)
    return {"phase": phase, "steps": found["steps"]}


def _executor_for(script: Any, character: Any) -> Executor | None:
    """Return who does the nights of a mind, or None: they are done here.

    Steps of a game's own want the game's objects, a mind that was lent thinks here, a model that is left alone
    here is so by all, and what a worker keeps for good has to be where the server looks for it.
    """
    executor = executors.executor_for(payload.NIGHT)
    if executor is None or base.has_loan(character.id) or breaker.left_alone():
        return None
    memory, phase = get_memory(), sleep_state.phase(script)
    paths = conf.get("SLEEP_STEPS").get(phase, ())
    is_shared = executor.is_here or not memory.enabled or getattr(memory, "is_shared", False)
    return executor if is_shared and all(path.startswith(OURS) for path in paths) else None


def _take(script_id: int, character_id: int, found: Fields) -> bool:
    """Write down what became of a copy; return False if the mind is not any more what the copy was made of."""
    script, character = lookup.script_by_id(script_id), lookup.object_by_id(character_id)
    if script is None or character is None or not assistant.is_enabled(script):
        return False
    if active_assistants.is_halted() or turns.is_held(script_id):
        return False
    if detached.fingerprint(character_id, script_id) != found["seen"]:
        return False
    of_body, of_mind = found["changes"]
    with repository.together(character, script):
        for obj, place, changes in (
            (character, kinds.BODY, of_body),
            (script, kinds.MIND, of_mind),
        ):
            values, gone = detached.read_changes(place, [Change(*one) for one in changes])
            repository.save_all(obj, values, removed=gone)
        for key, shown in found["shown"].items():
            repository.show(character, key, shown)
    breaker.leave_alone(found["left_alone"])
    return True


@inlineCallbacks
def do(work: Work) -> Generator[Deferred[Any], Any, Fields]:
    """Do a slice of a night on a copy of the mind; return what became of it."""
    asked = json.loads(work.asked)
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
            done["steps"] = yield _go_on(mind, body)
        finally:
            looking.stop()
    if body.kept.is_broken or mind.kept.is_broken:
        logger.log_warn(f"evennia_ai: a slice of the night of {body} failed, and is done anew.")
        return done
    done["changes"] = [body.kept.changes(), mind.kept.changes()]
    return {**done, "shown": body.kept.shown, "left_alone": breaker.left_alone()}


@inlineCallbacks
def _go_on(mind: Any, body: Any) -> Generator[Deferred[Any], Any, Fields]:
    """Do tick after tick until a slice is over; return what the steps of the last one did."""
    until = scheduling.clock().seconds() + SLICE_SECONDS
    while True:
        results: Fields = (yield steps.run_sleep_tick(mind, body))["steps"]
        if any(result.get("error") for result in results.values()):
            # It may have been the database: the next slice is to find it.
            database.mend()
            return results
        is_over = sleep_state.done(mind) or not results or lookup.script_by_id(mind.id) is not mind
        if is_over or scheduling.clock().seconds() >= until:
            return results


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
