"""Decisions of turns: the situation each is found by, and its reward when it is known what came of it.

A turn that ended in an excuse decided nothing. What is not rewarded yet waits on the script, where a reload finds it
again: it is settled when whoever was answered speaks again, or after a while. Nothing here holds a turn up.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec
from evennia.typeclasses.models import TypedObject
from evennia.utils import logger
from msgspec import structs
from twisted.internet.defer import Deferred, maybeDeferred, succeed
from twisted.python import log
from twisted.python.failure import Failure

from evennia_ai import conf, scheduling
from evennia_ai.core import records, volatile
from evennia_ai.core.decisions import Metrics, Situation
from evennia_ai.core.states import RecentDecision
from evennia_ai.domain import sentiment
from evennia_ai.domain.choices import decision_rules
from evennia_ai.domain.model_text import reply
from evennia_ai.experience.base import experience_of, is_enabled
from evennia_ai.experience.decision_records import OutcomeFeedback
from evennia_ai.experience.rewards import Outcome
from evennia_ai.memory import kinds, lookup, repository, working_memory
from evennia_ai.memory.people import entity_profiles
from evennia_ai.memory.state import kept_goals
from evennia_ai.semantic.memory_thread import MemoryUnavailable

# Seconds after which nothing more is waited for.
PATIENCE = 600
# How whoever was given something took it, by handing over something in return.
GIFT_TONE = 0.5
# Characters of a note to a rating, and of the game's reason for a reward.
NOTE_LENGTH = 200
# Categories of tools by which a turn acts.
ACTING = ("terminal", "dangerous")
# Tools by which it only speaks: they did nothing if nothing was spoken.
SPEECH = ("say", "share")
SILENCE = "noop"
# Decisions that are kept; the oldest goes first.
KEPT = 20

# Seconds of the clock before which nothing of it is due.
_quiet_until = volatile.of_assistants(float)


def situation(turn: Any) -> Situation:
    """Return what a turn is about: it is told once, when the prompt is written, and stays so."""
    if "situation" not in turn.context:
        turn.context["situation"] = Situation(
            conflict_title=decision_rules.title(turn.context, event=turn.event),
            words=decision_rules.heard(turn.event),
            background=decision_rules.background(turn.context, event=turn.event),
            metrics=_metrics(turn),
        )
    return turn.context["situation"]


def note_turn(turn: Any, settled: Iterable[RecentDecision] = ()) -> Deferred[Any] | None:
    """Reward the decisions that are settled by it, and keep this turn's."""
    script, npc = turn.script, turn.character
    if script is None or npc is None:
        return None
    for record in settled:
        settle(script, npc, record)
    action = _action(turn)
    if not action:
        return None
    if not is_enabled():
        return None
    given = situation(turn)
    decision = RecentDecision(
        id=str(uuid.uuid4()),
        turn=turn.id,
        actor=turn.event.said_by,
        at=records.format_time(scheduling.now()),
        action=action,
        title=given.conflict_title,
        favorability=favorability(npc, turn.event.said_by),
        goal_progress=kept_goals.progress(script),
    )
    wait_for(script, npc, decision)
    stored = experience_of(script, npc).store_decision(
        given.conflict_title,
        action,
        decision_rules.target_domain(
            turn.context, event=turn.event, tools=[name for name, _ in turn.used]
        ),
        None,
        # Metrics of the game may come in late.
        dict(given.metrics),
        _reasoning(turn),
        decision_id=decision.id,
        episode_id=turn.id,
        source_id=turn.event.said_by,
        sources=turn.origins(),
        words=given.words if turn.may_keep() else "",
        background=given.background,
    )
    return stored.addErrback(_not_stored, turn, decision.id)


def recent(script: TypedObject) -> list[RecentDecision]:
    """Return the last decisions, oldest first."""
    return repository.load(script, kinds.DECISIONS) or []


def keep_decision(script: TypedObject, decision: RecentDecision) -> list[RecentDecision]:
    """Keep one more; return those that had to go."""
    with repository.edit(script, kinds.DECISIONS, default=list) as kept:
        kept.append(decision)
        gone = kept[:-KEPT]
        del kept[:-KEPT]
    return gone


def drop_decision(script: TypedObject, decision_id: str) -> None:
    """Keep one no longer."""
    kept = [one for one in recent(script) if one.id != decision_id]
    repository.save(script, kinds.DECISIONS, kept)


def change_decision(
    script: TypedObject, decision_id: str, **fields: object
) -> RecentDecision | None:
    """Change fields of one decision and return it; None if it is not kept any more."""
    kept = recent(script)
    for place, one in enumerate(kept):
        if one.id == decision_id:
            kept[place] = changed = structs.replace(one, **fields)
            repository.save(script, kinds.DECISIONS, kept)
            return changed
    return None


def favorability(npc: Any, who: str) -> float:
    """Return how somebody is regarded, 0 to 1; 0 for whom it does not know."""
    known = entity_profiles.find_profile(npc, who) if who else None
    return known.relationship.favorability if known else 0.0


def wait_for(script: Any, npc: Any, record: RecentDecision) -> None:
    """Wait for what comes of a decision; of those that have waited longest it is known by then."""
    for gone in keep_decision(script, record):
        if not gone.settled:
            _reward(script, npc, gone.id, _outcome_reward(script, npc, gone))


def take_settled_with(script: Any, who: str) -> list[RecentDecision]:
    """Return what waits for somebody, who was just dealt with again; it does not wait any longer.

    That is noted before `settle` asks what it was worth: a reward that cannot be told must not be
    asked for again and again.
    """
    waits = [
        record for record in recent(script) if who and record.actor == who and not record.settled
    ]
    for record in waits:
        change_decision(script, record.id, settled=True)
    return waits


def settle(script: Any, npc: Any, record: RecentDecision) -> None:
    """Reward a decision by what came of it."""
    settled = _outcome_reward(script, npc, record)
    if settled != record.reward:
        change_decision(script, record.id, reward=settled)
    _reward(script, npc, record.id, decision_rules.rated(settled, record.rating))


def settle_due(script: Any, npc: Any) -> None:
    """Settle what has waited long enough."""
    now = scheduling.clock().seconds()
    if now < _quiet_until.get(npc.id, 0.0):
        return
    waits = [record for record in recent(script) if not record.settled]
    ages = {record.id: records.age_seconds(record.at, now=scheduling.now()) for record in waits}
    _quiet_until[npc.id] = (
        now + PATIENCE - max((age for age in ages.values() if age < PATIENCE), default=0.0)
    )
    for record in waits:
        if ages[record.id] >= PATIENCE:
            change_decision(script, record.id, settled=True)
            settle(script, npc, record)


def reward(script: Any, amount: float, *, reason: str = "") -> bool:
    """Add the game's own reward to the last decision; False if there is none to reward."""
    kept, npc = recent(script), script.obj
    if not kept or npc is None:
        return False
    note = reply.printable(reason, max_length=NOTE_LENGTH)
    logger.log_info(f"evennia_ai: {npc.key} got {amount:+g} for {kept[-1].action!r}: {note}")
    _add(script, npc, kept[-1], amount)
    return True


def _add(script: Any, npc: Any, record: RecentDecision, amount: float) -> None:
    if not record.settled:
        change_decision(script, record.id, given=record.given + amount)
        return
    settled = decision_rules.clamped(record.reward + amount)
    change_decision(script, record.id, reward=settled)
    _reward(script, npc, record.id, decision_rules.rated(settled, record.rating))


def rate(
    script: Any,
    npc: Any,
    record: RecentDecision,
    *,
    rating: int,
    note: str = "",
    better: Sequence[str] = (),
    worse: Sequence[str] = (),
    hours: float = 0.0,
) -> Deferred[Any]:
    """Keep what somebody says of a decision, 0 to 10, what became better and worse by it, and how long it took.

    Fails with MemoryUnavailable.
    """
    verdict = OutcomeFeedback(
        episode_id=record.turn,
        submitted_at=scheduling.now(),
        overall_effectiveness=rating,
        domains_improved=list(better),
        domains_worsened=list(worse),
        resolution_time_hours=hours,
        unexpected_effects=reply.printable(note, max_length=NOTE_LENGTH),
    )
    kept = experience_of(script, npc).store_feedback(verdict)
    return kept.addCallback(_rated, script.id, record.id, rating)


def _rated(_: Any, script_id: int, decision_id: str, rating: int) -> Deferred[Any]:
    script = lookup.script_by_id(script_id)
    npc = script and script.obj
    record = npc and change_decision(script, decision_id, rating=rating)
    if not record:
        return succeed(None)
    known = record.reward if record.settled else record.given
    worth = decision_rules.rated(decision_rules.clamped(known), rating)
    return experience_of(script, npc).set_reward(decision_id, worth)


def _outcome_reward(script: Any, npc: Any, record: RecentDecision) -> float:
    turn, outcome = msgspec.to_builtins(record), _outcome(script, npc, record)
    told: list[float] = []
    for path in conf.get("REWARDS"):
        _ask(
            "reward",
            path,
            lambda worth: told.append(decision_rules.clamped(float(worth))),
            turn,
            outcome,
        )
    return decision_rules.clamped(sum(told) + record.given)


def _ask(what: str, path: str, take: Callable[[Any], object], *given: object) -> None:
    """Let a function that the settings name tell something; one that fails tells nothing, and the log says so."""
    told = maybeDeferred(lambda: conf.load(path)(*given)).addCallback(take)
    told.addErrback(_not_told, what, path)


def _not_told(failure: Failure, what: str, path: str) -> None:
    log.err(failure, f"evennia_ai: the {what} {path} failed")


def _outcome(script: Any, npc: Any, record: RecentDecision) -> Outcome:
    """Return how things are now, and what whoever was answered did next."""
    who = record.actor
    lines = working_memory.lines_with(npc, who) if who else []
    theirs = [line for line in lines if not line.mine]
    since = [line for line in theirs if line.timestamp > record.at]
    before = [line.text for line in theirs if line.timestamp <= record.at][-1:]
    kind, words = (since[0].kind, since[0].text) if since else ("", "")
    sounds = GIFT_TONE if kind == "give" else 0.0
    if kind in records.SPOKEN:
        sounds = sentiment.of_words(words, names=[npc.key])
    return {
        "favorability": favorability(npc, who),
        "goal_progress": kept_goals.progress(script),
        "kind": kind,
        "words": words,
        "before": "".join(before),
        "tone": sounds,
        "seconds": records.age_seconds(record.at, now=scheduling.now()),
    }


def _reward(script: Any, npc: Any, decision_id: str, worth: float) -> None:
    stored = experience_of(script, npc).set_reward(decision_id, worth)
    stored.addErrback(_not_kept, npc.key)


def _not_kept(failure: Any, name: str) -> None:
    failure.trap(MemoryUnavailable)
    logger.log_warn(f"evennia_ai: {name} could not keep what came of a decision: {failure.value}")


def _action(turn: Any) -> str:
    """Return what a turn did, "" if nothing."""
    if turn.excused:
        return ""
    acted = [name for name, category in turn.used if category in ACTING]
    done = [name for name in acted if turn.spoken or name not in SPEECH]
    if done and done != [SILENCE]:
        return next(name for name in reversed(done) if name != SILENCE)
    if done:
        # Not to answer somebody is a decision; to let them go is none.
        return SILENCE if turn.event.kind in records.SPOKEN else ""
    if not turn.spoken:
        return ""
    return "whisper" if turn.private else "say"


def _reasoning(turn: Any) -> str:
    if not turn.may_keep():
        return ""
    return decision_rules.reasoning(turn.spoken)


def _metrics(turn: Any) -> Metrics:
    """Return the state of things as numbers."""
    known: Metrics = {}
    if turn.event.said_by:
        speaker = turn.context.get("speaker") or {}
        known["favorability"] = round(100 * speaker.get("favorability", 0.0), 2)
    if kept_goals.open_goals(turn.script):
        known["goal_progress"] = kept_goals.progress(turn.script)
    for path in conf.get("EXPERIENCE_METRICS"):
        _ask("metrics", path, known.update, turn)
    return known


def _not_stored(failure: Any, turn: Any, decision_id: str) -> None:
    """Wait for nothing that comes of a decision that is not kept."""
    if turn.script is not None:
        drop_decision(turn.script, decision_id)
    failure.trap(MemoryUnavailable)
    logger.log_warn(f"evennia_ai: {turn.name} could not keep what it decided: {failure.value}")
