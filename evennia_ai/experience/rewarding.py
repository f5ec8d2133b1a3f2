"""Rewards of decisions: settled when whoever was answered speaks again, or after a while.

Until then it waits on the script, where a reload finds it again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evennia.utils import logger
from twisted.internet.defer import Deferred, maybeDeferred, succeed
from twisted.python import log

from evennia_ai import conf, scheduling
from evennia_ai.core import records, volatile
from evennia_ai.core.states import Decision
from evennia_ai.core.talk import Expected
from evennia_ai.domain import sentiment
from evennia_ai.domain.choices import decision_rules
from evennia_ai.domain.model_text import reply
from evennia_ai.experience.base import experience_of
from evennia_ai.experience.decision_records import OutcomeFeedback
from evennia_ai.memory import lookup, working_memory
from evennia_ai.memory.people import entity_profiles
from evennia_ai.memory.state import kept_goals
from evennia_ai.memory.state import recent_decisions as recent_decisions
from evennia_ai.memory.storage import pages
from evennia_ai.semantic.memory_thread import MemoryUnavailable

# Seconds after which nothing more is waited for.
PATIENCE = 600
# How whoever was given something took it, by handing over something in return.
GIFT_TONE = 0.5
# What it is worth that somebody kept what they promised; as much is lost if they break it.
PROMISE = 0.5
# Characters of a note to a rating, and of the game's reason for a reward.
NOTE_LENGTH = 200


# Seconds of the clock before which nothing of it is due.
_quiet_until = volatile.of_assistants(float)


def favorability(npc: Any, who: str) -> float:
    """Return how somebody is regarded, 0 to 1; 0 for whom it does not know."""
    known = entity_profiles.find_profile(npc, who) if who else None
    return known.relationship.favorability if known else 0.0


def wait_for(script: Any, npc: Any, record: Decision) -> None:
    """Wait for what comes of a decision; of those that have waited longest it is known by then."""
    for gone in recent_decisions.add(script, record):
        if not gone.settled:
            _reward(script, npc, gone.id, _outcome_reward(script, npc, gone))


def take_settled_with(script: Any, who: str) -> list[Decision]:
    """Return what waits for somebody, who was just dealt with again; it does not wait any longer.

    That is noted before `settle` asks what it was worth: a reward that cannot be told must not be
    asked for again and again.
    """
    waits = [
        record
        for record in recent_decisions.recent(script)
        if who and record.actor == who and not record.settled
    ]
    for record in waits:
        recent_decisions.change(script, record.id, settled=True)
    return waits


def settle(script: Any, npc: Any, record: Decision) -> None:
    """Reward a decision by what came of it."""
    settled = _outcome_reward(script, npc, record)
    if settled != record.reward:
        recent_decisions.change(script, record.id, reward=settled)
    _reward(script, npc, record.id, decision_rules.rated(settled, record.rating))


def settle_due(script: Any, npc: Any) -> None:
    """Settle what has waited long enough."""
    now = scheduling.clock().seconds()
    if now < _quiet_until.get(npc.id, 0.0):
        return
    waits = [record for record in recent_decisions.recent(script) if not record.settled]
    ages = {record.id: records.age_seconds(record.at, now=scheduling.now()) for record in waits}
    _quiet_until[npc.id] = (
        now + PATIENCE - max((age for age in ages.values() if age < PATIENCE), default=0.0)
    )
    for record in waits:
        if ages[record.id] >= PATIENCE:
            recent_decisions.change(script, record.id, settled=True)
            settle(script, npc, record)


def reward(script: Any, amount: float, *, reason: str = "") -> bool:
    """Add the game's own reward to the last decision; False if there is none to reward."""
    kept, npc = recent_decisions.recent(script), script.obj
    if not kept or npc is None:
        return False
    note = reply.printable(reason, max_length=NOTE_LENGTH)
    logger.log_info(f"evennia_ai: {npc.key} got {amount:+g} for {kept[-1].action!r}: {note}")
    _add(script, npc, kept[-1], amount)
    return True


def reward_promise(script: Any, npc: Any, promised: Expected, who: str, *, is_kept: bool) -> None:
    """Reward what was done for somebody last before they promised something, now that it was kept or broken."""
    kept = recent_decisions.recent(script) if script is not None else []
    before = [one for one in kept if one.actor == who and one.at <= promised.created]
    if before:
        _add(script, npc, before[-1], PROMISE if is_kept else -PROMISE)


def _add(script: Any, npc: Any, record: Decision, amount: float) -> None:
    if not record.settled:
        recent_decisions.change(script, record.id, given=record.given + amount)
        return
    settled = decision_rules.clamped(record.reward + amount)
    recent_decisions.change(script, record.id, reward=settled)
    _reward(script, npc, record.id, decision_rules.rated(settled, record.rating))


def rate(
    script: Any,
    npc: Any,
    record: Decision,
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
    record = npc and recent_decisions.change(script, decision_id, rating=rating)
    if not record:
        return succeed(None)
    known = record.reward if record.settled else record.given
    worth = decision_rules.rated(decision_rules.clamped(known), rating)
    return experience_of(script, npc).set_reward(decision_id, worth)


def _outcome_reward(script: Any, npc: Any, record: Decision) -> float:
    turn, outcome = pages.plain(record), _outcome(script, npc, record)
    told = [_told(path, turn, outcome) for path in conf.get("REWARDS")]
    return decision_rules.clamped(sum(told) + record.given)


def _told(path: str, turn: dict[str, Any], outcome: dict[str, Any]) -> float:
    """Return what one of the REWARDS says, within its bounds; one that fails says nothing, and the log says so."""
    said = [0.0]
    told = maybeDeferred(lambda: conf.load(path)(turn, outcome))
    told.addCallback(lambda worth: said.append(decision_rules.clamped(float(worth))))
    told.addErrback(log.err, f"evennia_ai: the reward {path} failed")
    return said[-1]


def _outcome(script: Any, npc: Any, record: Decision) -> dict[str, Any]:
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
