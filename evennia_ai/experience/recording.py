"""Recording of decisions: what of a turn is kept, and the situation by which it is found again.

A turn that ended in an excuse decided nothing. Nothing here holds a turn up: it is over by then.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from typing import Any

from evennia.utils import logger
from twisted.internet.defer import Deferred, maybeDeferred
from twisted.python import log

from evennia_ai import conf, scheduling
from evennia_ai.core import records
from evennia_ai.core.states import Decision
from evennia_ai.domain import audience
from evennia_ai.domain.choices import decision_rules
from evennia_ai.experience import rewarding
from evennia_ai.experience.base import experience_of, is_enabled
from evennia_ai.memory.state import kept_goals, recent_decisions
from evennia_ai.semantic.memory_thread import MemoryUnavailable

# Categories of tools by which a turn acts.
ACTING = ("terminal", "dangerous")
# Tools by which it only speaks: they did nothing if nothing was spoken.
SPEECH = ("say", "whisper", "emote", "share")
SILENCE = "noop"


def situation(turn: Any) -> dict[str, Any]:
    """Return what a turn is about, as the arguments by which decisions are stored and found.

    It is told once, when the prompt is written, and stays so.
    """
    if "situation" not in turn.context:
        turn.context["situation"] = {
            "conflict_title": decision_rules.title(turn.context, event=turn.event),
            "words": decision_rules.heard(turn.event),
            "background": decision_rules.background(turn.context, event=turn.event),
            "metrics": _metrics(turn),
            "personality_type": decision_rules.sort_of(turn.context, event=turn.event),
        }
    return turn.context["situation"]


def note_turn(turn: Any, settled: Iterable[Decision] = ()) -> Deferred[Any] | None:
    """Reward the decisions that are settled by it, and keep this turn's."""
    script, npc = turn.script, turn.character
    if script is None or npc is None:
        return None
    for record in settled:
        rewarding.settle(script, npc, record)
    action = _action(turn)
    if not action:
        return None
    if not is_enabled():
        return None
    given = situation(turn)
    decision = Decision(
        id=str(uuid.uuid4()),
        turn=turn.id,
        actor=turn.event.said_by,
        at=records.format_time(scheduling.now()),
        action=action,
        title=given["conflict_title"],
        favorability=rewarding.favorability(npc, turn.event.said_by),
        goal_progress=kept_goals.progress(script),
    )
    rewarding.wait_for(script, npc, decision)
    stored = experience_of(script, npc).store_decision(
        given["conflict_title"],
        action,
        decision_rules.target_domain(
            turn.context, event=turn.event, tools=[name for name, _ in turn.used]
        ),
        None,
        dict(given["metrics"]),
        _reasoning(turn),
        decision_id=decision.id,
        episode_id=turn.id,
        personality_type=given["personality_type"],
        source_id=turn.event.said_by,
        audience=audience.intersection([turn.audience, *(one.audience for one in turn.events)]),
        words=given["words"] if turn.may_keep() else "",
        background=given["background"],
        in_own_words=action == turn.approach and not turn.by_rules,
    )
    return stored.addErrback(_not_kept, turn, decision.id)


def _action(turn: Any) -> str:
    """Return what a turn did, "" if nothing."""
    if turn.excused:
        return ""
    acted = [name for name, category in turn.used if category in ACTING]
    if turn.spoken and turn.approach:
        return turn.approach
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
    if turn.because:
        return turn.because
    return decision_rules.reasoning(turn.spoken)


def _metrics(turn: Any) -> dict[str, float]:
    """Return the state of things as numbers."""
    known: dict[str, float] = {}
    if turn.event.said_by:
        speaker = turn.context.get("speaker") or {}
        known["favorability"] = round(100 * speaker.get("favorability", 0.0), 2)
    if kept_goals.open_goals(turn.script):
        known["goal_progress"] = kept_goals.progress(turn.script)
    for path in conf.get("EXPERIENCE_METRICS"):
        told = maybeDeferred(lambda path=path: conf.load(path)(turn)).addCallback(known.update)
        told.addErrback(log.err, f"evennia_ai: the metrics {path} failed")
    return known


def _not_kept(failure: Any, turn: Any, decision_id: str) -> None:
    """Wait for nothing that comes of a decision that is not kept."""
    if turn.script is not None:
        recent_decisions.remove(turn.script, decision_id)
    failure.trap(MemoryUnavailable)
    logger.log_warn(f"evennia_ai: {turn.name} could not keep what it decided: {failure.value}")
