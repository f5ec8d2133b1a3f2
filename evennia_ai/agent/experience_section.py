"""The section of past experience: what was done in situations like this, and how it went."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ImproperlyConfigured
from evennia.utils import logger
from twisted.internet.defer import inlineCallbacks

from evennia_ai import prompts_life, scheduling
from evennia_ai.agent.turn import Turn
from evennia_ai.core.decisions import Example, Lessons, Situation
from evennia_ai.domain.choices import replay
from evennia_ai.experience import turn_decisions
from evennia_ai.experience.base import experience_of
from evennia_ai.memory import persona
from evennia_ai.semantic.memory_thread import RECALL_SECONDS, MemoryUnavailable

# Actions that tell nothing by their name.
PLAIN = ("say", "whisper", "tell")
# Earlier decisions that one prompt gets at most.
LIMIT = 3


@inlineCallbacks
def experience(turn: Turn):
    """What it did in like situations, best first, with what people said of it."""
    taught = yield _looked_up(turn, turn_decisions.situation(turn))
    found, failed = taught
    for one in (*found, *failed):
        turn.include(one.audience, one.decision.sources)
    setbacks = list(dict.fromkeys(one.decision.action_type for one in failed))
    # What people have called bad is shown with what they said, and first.
    shown = [*[one for one in failed if one.feedback][:1], *found][:LIMIT]
    # That something was said, and nothing came of it that anybody spoke of, is no example.
    telling = [one for one in shown if one.feedback or one.decision.action_type not in PLAIN]
    tried = [replay.in_words(action) for action in setbacks if action not in PLAIN]
    return [*map(_as_line, telling), *([prompts_life.went_wrong(actions=tried)] if tried else [])]


def _as_line(example: Example) -> str:
    result = said = ""
    if example.decision.reward is not None:
        result = f"It went {'well' if replay.went_well(example) else 'badly'}."
    if given := example.feedback:
        said = prompts_life.rated(rating=given.overall_effectiveness, note=replay.note_of(example))
    return prompts_life.went_before(**replay.in_short(example), result=result, rated=said)


@inlineCallbacks
def _looked_up(turn: Turn, given: Situation):
    """Return the lessons that all who hear the answer, and the assistant, may know."""
    npc = turn.character
    search = experience_of(turn.script, npc).lessons(
        given.conflict_title,
        LIMIT,
        # A group shares experience; what somebody told one of it in confidence it does not.
        hearers={*turn.hearers, turn.identity},
        words=given.words,
        background=given.background,
        # The words in which its trade stands, if it has one.
        roles=" ".join(
            [npc.key, *npc.aliases.all(), str(persona.load_persona(npc)["description"])]
        ),
    )
    try:
        search.addTimeout(RECALL_SECONDS, scheduling.clock(), onTimeoutCancel=_too_slow)
        return (yield search)
    except (MemoryUnavailable, ImproperlyConfigured) as error:
        # A search that could not run is not an empty one: staff must know.
        logger.log_warn(f"evennia_ai: {turn.name} could not look up its experience: {error}")
        return Lessons([], [])


def _too_slow(result: Any, seconds: float) -> Any:
    raise MemoryUnavailable(f"it did not answer within {seconds:g} seconds")
