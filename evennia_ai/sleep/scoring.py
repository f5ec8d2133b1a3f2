"""Scoring of importance: a model rates again what rules rated when it was noted.

Each entry is a request of its own, of few tokens beside what a server keeps: asked for several at once, a
small model gives all of them the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from twisted.internet.defer import inlineCallbacks

from evennia_ai import prompts_asleep, scheduling
from evennia_ai.core.records import Entry
from evennia_ai.domain import audience
from evennia_ai.domain.sleeping import importance, rating_rules
from evennia_ai.exceptions import BudgetExceeded, LLMBadReply, LLMUnavailable
from evennia_ai.llm.base import get_llm
from evennia_ai.memory import episodic, journal, lookup
from evennia_ai.memory import persona as personas
from evennia_ai.memory import repository
from evennia_ai.memory.state import reflection_state, sleep_state
from evennia_ai.sleep import answers
from evennia_ai.sleep.sleep_llm import ask

# How it is noted who rated: (method, by whom). A model that comes later looks again at OFFLINE only.
MODEL, OFFLINE, RULES = ("llm", ""), ("heuristic", rating_rules.OFFLINE), ("heuristic", "")
# Characters of an entry by which it is rated.
SHOWN_LENGTH = 400
# What of an entry the mind is shown.
SHOWN = (
    "id",
    "content",
    "source_entity",
    "source_type",
    "source_trust",
    "importance",
    "audience",
    "tags",
)


@inlineCallbacks
def score_pending_entries(script: Any, character: Any, max_per_tick: int = 3):
    """Let the mind rate entries that only rules have rated; return {"scored", "failed"}.

    They are the first `max_per_tick` in the order of the journal. What it does not rate keeps the
    score of the rules and waits; "error" says why, if no answer came.
    """
    greetings, pending = _pending(script, character, max_per_tick)
    asked = [_shown(character, entry) for entry in pending]
    # Only ids from here on: the mind may think for long.
    script_id, character_id, name = script.id, character.id, character.key
    scored = _apply(script_id, character_id, dict.fromkeys(greetings, importance.LOWEST), RULES)
    if not asked:
        return {"scored": scored, "failed": 0}
    answered, error = 0, ""
    for place, shown in enumerate(asked, 1):
        try:
            score, rated_by = yield _rate(script_id, name, asked[:place])
        except LLMBadReply as bad:
            error = str(bad)
            continue
        except (BudgetExceeded, LLMUnavailable) as stop:
            error = str(stop)
            break
        if score is not None:
            answered += 1
            scored += _apply(script_id, character_id, {shown["id"]: score}, rated_by)
        # To rate it has taken long enough, where the mind is ours.
        yield scheduling.yield_to_reactor()
    _note(script_id, answered=bool(answered))
    counts = {"scored": scored, "failed": len(asked) - answered}
    return counts if answered or not error else {**counts, "error": error}


@inlineCallbacks
def score_importance_llm(script: Any, character: Any, entry_id: int):
    """Let the mind rate one entry, and return how much it matters: 1 to 10.

    None if the entry is not there any more, was rated by hand, or the mind did not say.

    Raises:
        BudgetExceeded: The tokens of this night or day are spent.
        LLMUnavailable: No answer came.
    """
    entry = journal.get_entry(character, entry_id)
    if entry is None:
        return None
    script_id, character_id, name = script.id, character.id, character.key
    score, rated_by = yield _rate(script_id, name, [_shown(character, entry)])
    if score is None or not _apply(script_id, character_id, {entry_id: score}, rated_by):
        return None
    return score


def _pending(script: Any, character: Any, size: int) -> tuple[list[int], list[Entry]]:
    """Return (ids of greetings, the entries of one tick), from no more pages of the journal than
    they lie on. Nobody has to be asked how much a greeting matters.
    """
    by_model = get_llm("score").is_model
    failures = sleep_state.failed_ticks(script)
    kinds = ("unrated", "offline") if by_model else ("unrated",)
    # After failures it looks further on, among all that wait.
    entries = journal.entries_with(character, *kinds, at_least=None if failures else size)
    pending = rating_rules.select_pending(entries, by_model=by_model)
    names = [character.key, *character.key.split()]
    greetings = [
        one.id for one in pending if by_model and rating_rules.is_greeting(one, names=names)
    ]
    others = [one for one in pending if one.id not in greetings]
    return greetings, rating_rules.batch(others, size=size, failures=failures)


def _shown(npc: Any, entry: Entry) -> dict[str, Any]:
    known = {key: getattr(entry, key) for key in SHOWN}
    asked = episodic.asked_of(npc, entry)
    return {**known, "content": entry.content[:SHOWN_LENGTH], "asked": asked}


@inlineCallbacks
def _rate(script_id: int, name: str, shown: list[dict[str, Any]]):
    """Return (score, who rated) of the last of some entries; the score is None where the mind did not say."""
    script = lookup.script_by_id(script_id)
    persona = personas.load_persona(script.obj)["description"] if script and script.obj else ""
    entry = shown[-1]
    answer = yield ask(
        script_id,
        "score",
        messages=prompts_asleep.rating(name=name, entry=entry, persona=persona),
        context={"entries": shown},
        answer=answers.shapes().Rating,
        schema=answers.rating(),
    )
    score = rating_rules.score_of(
        answer.worth, in_confidence=audience.is_confidence(entry["audience"])
    )
    return score, OFFLINE if answer.by == rating_rules.OFFLINE else MODEL


def _apply(
    script_id: int, character_id: int, scores: Mapping[int, int], rated_by: tuple[str, str]
) -> int:
    """Write scores to entries as they are now; return how many were there, and not rated by hand."""
    script, character = lookup.script_by_id(script_id), lookup.object_by_id(character_id)
    if script is None or character is None or not scores:
        return 0
    method, scored_by = rated_by
    # What the entries are worth and what has happened in all belong together, also after a crash.
    with repository.together(script, character):
        more = journal.rescore(character, scores, method, scored_by=scored_by)
        reflection_state.adjust_reflection_state(script, more)
    return len(more)


def _note(script_id: int, *, answered: bool) -> None:
    script = lookup.script_by_id(script_id)
    if script is not None:
        sleep_state.note_answer(script, answered=answered)
