"""Scheduling of turns: one at a time for an assistant, a bounded number for the server, by priority.

What waits for an answer is stored on the script; what is kept here is only who is at it. A reload
drops it together with the coroutines, so nobody stays mute.
"""

from __future__ import annotations

import heapq
import itertools
from dataclasses import dataclass, field
from typing import Any

from twisted.internet.defer import CancelledError, TimeoutError, inlineCallbacks, maybeDeferred
from twisted.python import log
from twisted.python.failure import Failure

from evennia_ai import conf, prompts, scheduling
from evennia_ai.agent import answer, context, ingest, loop, trace, wishes
from evennia_ai.agent.hearing import presence
from evennia_ai.agent.turn import Turn
from evennia_ai.core import records, volatile
from evennia_ai.core.records import Event
from evennia_ai.domain.offline import mind
from evennia_ai.exceptions import BudgetExceeded, StepLimitExceeded, TurnEnded
from evennia_ai.experience import turn_decisions
from evennia_ai.llm import measure, model_facts
from evennia_ai.llm.base import Backend, get_alias
from evennia_ai.memory import lookup, repository, routine
from evennia_ai.memory.state import active_assistants, assistant, sleep_state

# Seconds between being spoken to and starting to think, so that two lines in one breath are one turn.
DELAY = 0.3
# Turns under way in the whole server; more wait, by priority.
AT_ONCE = 64


@dataclass
class _State:
    # script id → the turn under way
    running: dict[int, Turn | None] = field(default_factory=dict)
    # script id → how many let it begin no turn
    held: dict[int, int] = field(default_factory=dict)
    # script id → the call that will queue it, or None while it waits in the queue
    requested: dict[int, Any] = field(default_factory=dict)
    queue: list[tuple[int, int, int]] = field(default_factory=list)

    def end(self) -> None:
        """Give up the calls that would begin a turn."""
        for call in self.requested.values():
            if call is not None and call.active():
                call.cancel()


_state = volatile.keep(_State)
_order = itertools.count()


def request(script_id: int, *, delay: float | None = None, priority: int = 5) -> None:
    """Let an assistant have a turn after `delay` seconds, else DELAY; asked for twice, it has one."""
    if script_id not in _state.running and script_id not in _state.requested:
        seconds = DELAY if delay is None else delay
        _state.requested[script_id] = scheduling.clock().callLater(
            seconds, _enqueue, script_id, priority
        )


def hold(script_id: int) -> None:
    """Let an assistant begin no turn until it is released; what was asked of it waits."""
    _state.held[script_id] = _state.held.get(script_id, 0) + 1


def release(script_id: int) -> None:
    """Let an assistant have turns again."""
    _state.held[script_id] = _state.held.get(script_id, 1) - 1
    if _state.held[script_id] > 0:
        return
    del _state.held[script_id]
    script = lookup.script_by_id(script_id)
    if script and assistant.pending_events(script):
        request(script_id)


def is_held(script_id: int) -> bool:
    """Return whether an assistant may begin no turn."""
    return script_id in _state.held


def is_running(script_id: int) -> bool:
    """Return whether an assistant is thinking just now."""
    return script_id in _state.running


def running() -> int:
    """Return how many turns are under way."""
    return len(_state.running)


def event_waits(script: Any, event: Event) -> None:
    """Ask for a turn that answers an event, and show meanwhile that it was heard."""
    request(script.id, priority=event.priority)
    if script.id not in _state.running and may_think(script):
        answer.acknowledge(script.obj, event)


def _enqueue(script_id: int, priority: int) -> None:
    _state.requested[script_id] = None
    heapq.heappush(_state.queue, (-priority, next(_order), script_id))
    _start_waiting()


def _start_waiting() -> None:
    while _state.queue and running() < AT_ONCE:
        _, _, script_id = heapq.heappop(_state.queue)
        _state.requested.pop(script_id, None)
        _state.running[script_id] = None
        scheduling.call_soon(_start, script_id)


def _start(script_id: int) -> None:
    turned = maybeDeferred(_begin, script_id)
    turned.addErrback(_failed, script_id).addBoth(lambda _: leave(script_id))


def _begin(script_id: int) -> Any:
    script = lookup.script_by_id(script_id)
    batch = _batch(script) if script and may_think(script) else []
    if not batch:
        return None
    turn = _state.running[script_id] = Turn(script, batch)
    # In a slice after this turn: nobody waits for it.
    return run_turn(turn).addCallback(
        lambda _: scheduling.call_soon(_learn_profile, turn.llm, turn)
    )


def _failed(failure: Any, script_id: int) -> None:
    """Let go of what waits where a turn could neither begin nor end: it would begin for ever."""
    log.err(failure, f"evennia_ai: a turn of script #{script_id} could not begin or end")
    script = lookup.script_by_id(script_id)
    if script:
        assistant.count(script, "failures")
        assistant.remove_pending(script, [event.id for event in assistant.pending_events(script)])


def may_think(script: Any) -> bool:
    """Return whether an assistant may have a turn: awake, and able to do what it decides."""
    return not sleep_state.is_asleep(script) and can_act(script)


def can_act(script: Any) -> bool:
    """Return whether what an assistant decides can be done: on, embodied, not played by anybody."""
    return is_free(script) and routine.can_act(script.obj)


def is_free(script: Any) -> bool:
    """Return whether nothing of ours keeps an assistant from doing something, whatever the game says."""
    npc = script.obj
    return bool(
        not active_assistants.is_closing()
        and not active_assistants.is_halted()
        and assistant.is_enabled(script)
        and script.id not in _state.held
        and npc is not None
        and not presence.is_puppeted(npc)
    )


def _batch(script: Any) -> list[Event]:
    """Return the events of the next turn; what came too long ago is only remembered."""
    waiting, now = assistant.pending_events(script), scheduling.now()
    limit = records.EVENT_MAX_AGE
    stale = [event for event in waiting if records.age_seconds(event.timestamp, now=now) > limit]
    if stale:
        assistant.remove_pending(script, [event.id for event in stale])
        for event in stale:
            trace.note_ignored(script.obj.id, event, "it had waited for too long")
    fresh = [event for event in waiting if event not in stale]
    # Whoever has waited for as long as a turn may take goes before the more pressing, so that nobody
    # can keep others from being answered.
    patience = conf.get("TURN_DEADLINE")
    overdue = [one for one in fresh if records.age_seconds(one.timestamp, now=now) > patience]
    main = records.main_event(overdue[:1] or fresh) if fresh else None
    return [event for event in fresh if records.answered_together(main, event)]


def occupy(script_id: int) -> bool:
    """Count as a running turn until `leave` is called; False if a turn is running or about to begin."""
    is_free = script_id not in _state.running and script_id not in _state.requested
    if is_free:
        _state.running[script_id] = None
    return is_free


def leave(script_id: int) -> None:
    """End a running turn, and begin the next one if events wait."""
    _state.running.pop(script_id, None)
    script = lookup.script_by_id(script_id)
    if script and assistant.pending_events(script) and may_think(script):
        request(script_id)
    _start_waiting()


def learn_profiles() -> None:
    """Find out what the models of the settings can do, as far as that is not known."""
    for alias in conf.get("LLM"):
        _learn_profile(get_alias(alias))


def _learn_profile(llm: Backend, turn: Turn | None = None) -> None:
    from evennia_ai.agent import warming  # it needs this module

    if model_facts.is_due(llm):
        alias = getattr(llm, "alias", "default")
        learning = model_facts.learn(llm, alias, is_busy=running)
        learning.addCallback(lambda _: measure.judge(llm, alias))
        # A weak model has another prompt.
        learning.addCallback(lambda _: warming.warm_again(turn) if model_facts.is_weak(llm) else 0)
        learning.addErrback(
            log.err, f"evennia_ai: {llm.name} could not be asked whether it uses tools"
        )


@inlineCallbacks
def run_turn(turn: Turn):
    """Think about the events of a turn and answer; whatever fails, the assistant is not mute."""
    thinking = answer.think_aloud_later(turn)
    trace.keep(turn)
    try:
        said = yield _thought(turn)
        if said is not None:
            yield answer.give(turn, said)
    except BudgetExceeded as error:
        yield answer.excuse(turn, error, lines="budget_lines")
    except (TurnEnded, TimeoutError, CancelledError) as error:
        yield answer.excuse(turn, error, lines="fallback_lines")
    except Exception:
        # The one place where a turn may fail in a way that nobody foresaw: logged with its
        # traceback, counted, and whoever waits for an answer has one.
        log.err(None, f"evennia_ai: a turn of {turn.name}(#{turn.character_id}) failed")
        if turn.script:
            assistant.count(turn.script, "failures")
        failed = TurnEnded("it failed; the server log has the traceback")
        yield answer.excuse(turn, failed, lines="fallback_lines")
    finally:
        trace.end(turn)
        if thinking.active():
            thinking.cancel()
        # In a slice of its own: nobody waits for what is learned from it.
        scheduling.call_soon(_learn, turn)


def _learn(turn: Turn) -> Any:
    """Note that it had a turn, that they talked, and what came of it."""
    npc, script = turn.character, turn.script
    if npc is None or script is None:
        return None
    with repository.together(npc, script):
        if turn.is_over:
            assistant.count(script, "turns")
            sleep_state.count_activity(script)
        if not turn.reason.speaks:
            return None
        if turn.exchanged:
            ingest.note_exchange(npc, turn.event)
        settled = turn_decisions.take_settled_with(script, turn.event.said_by)
        # That they talked is kept, whatever fails in what a game rewards or measures.
        noted = maybeDeferred(turn_decisions.note_turn, turn, settled)
        return noted.addErrback(log.err, f"evennia_ai: what {turn.name} decided could not be noted")


def _thought(turn: Turn):
    thought, timers = _think(turn), []

    def look():
        left = turn.remaining()
        if timers and left < 0.01:
            thought.cancel()
        else:
            # Again, if the deadline has moved on: it does while the model is busy with others.
            timers[:] = [scheduling.clock().callLater(max(0.1, left), look)]

    def ended(result):
        if timers[0].active():
            timers[0].cancel()
        elif isinstance(result, Failure) and result.check(CancelledError):
            raise TimeoutError("no answer before the deadline")
        return result

    look()
    return thought.addBoth(ended)


@inlineCallbacks
def _think(turn: Turn):
    yield wishes.fulfil(turn)
    if not (turn.reason.speaks or turn.shown_tools()):
        # It could neither note nor plan anything.
        turn.finish()
        return None
    messages = yield context.build(turn)
    if not messages:
        return None
    # To write the prompt and to send it off are each the work of a slice.
    yield scheduling.yield_to_reactor(first=True)
    turn.record.messages, turn.record.begun = messages, len(messages)
    if turn.is_coached() and (turn.context.get("wished") or mind.is_sure(turn.context)):
        loop.answer_by_rules(turn, "they are surer than a weak model")
    try:
        said = yield loop.run_agent(turn, messages, max_steps=turn.reason.steps or None)
    except StepLimitExceeded:
        if turn.reason.speaks:
            raise
        # What it has noted by then is what it found.
        turn.finish()
        return None
    if answer.is_repeat(turn, said):
        if not turn.is_coached():
            messages += [{"role": "user", "content": prompts.say_it_differently(text=said.text)}]
            said = yield loop.run_agent(turn, messages, max_steps=1)
        if answer.is_repeat(turn, said):
            if turn.event.kind == records.OCCASION:
                raise TurnEnded("the model has no other words than those that it said a moment ago")
            loop.answer_by_rules(turn, "it said that a moment ago")
            said = yield loop.run_agent(turn, messages, max_steps=1)
    return said
