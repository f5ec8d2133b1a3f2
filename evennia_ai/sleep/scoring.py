"""Scoring of importance: a model rates again what rules rated when it was noted.

One request rates all entries of a tick. It is answered with numbers alone, so that entries of
different audiences may share it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any

from twisted.internet.defer import inlineCallbacks

from evennia_ai import prompts_asleep, scheduling
from evennia_ai.core.records import Entry
from evennia_ai.domain.sleeping import importance, rating_rules
from evennia_ai.exceptions import BudgetExceeded, LLMUnavailable
from evennia_ai.llm.base import get_llm
from evennia_ai.memory import episodic, journal, lookup
from evennia_ai.memory import persona as personas
from evennia_ai.memory import repository
from evennia_ai.memory.state import reflection_state, sleep_state
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
# Tokens of an answer: for each entry, and the least.
TOKENS_PER_ENTRY, LEAST_TOKENS = 20, 300


@inlineCallbacks
def score_pending_entries(script: Any, character: Any, max_per_tick: int = 3):
    """Let the mind rate entries that only rules have rated; return {"scored", "failed"}.

    The first `max_per_tick` in the order of the journal go into one request. What it does not rate
    keeps the score of the rules and waits; "error" says why, if no answer came.
    """
    greetings, pending = _pending(script, character, max_per_tick)
    asked = [_shown(character, entry) for entry in pending]
    # Only ids from here on: the mind may think for long.
    script_id, character_id, name = script.id, character.id, character.key
    scored = _apply(script_id, character_id, dict.fromkeys(greetings, importance.LOWEST), RULES)
    if not asked:
        return {"scored": scored, "failed": 0}
    try:
        scores, rated_by = yield _rate(script_id, name, asked)
    except (BudgetExceeded, LLMUnavailable) as error:
        _note(script_id, answered=False)
        return {"scored": scored, "failed": len(asked), "error": str(error)}
    _note(script_id, answered=bool(scores))
    # To rate them has taken long enough, where the mind is ours.
    yield scheduling.yield_to_reactor()
    scored += _apply(script_id, character_id, scores, rated_by)
    return {"scored": scored, "failed": len(asked) - len(scores)}


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
    scores, rated_by = yield _rate(script_id, name, [_shown(character, entry)])
    score = scores.get(entry_id)
    if score is None or not _apply(script_id, character_id, scores, rated_by):
        return None
    return score


def _pending(script: Any, character: Any, size: int) -> tuple[list[int], list[Entry]]:
    """Return (ids of greetings, the entries of one request), from no more pages of the journal than
    they lie on. Nobody has to be asked how much a greeting matters.
    """
    by_model = get_llm("score", assistant_id=character.id).is_model
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
def _rate(script_id: int, name: str, asked: list[dict[str, Any]]):
    """Return ({id: score}, who rated)."""
    script = lookup.script_by_id(script_id)
    persona = personas.load_persona(script.obj)["description"] if script and script.obj else ""
    answer = yield ask(
        script_id,
        "score",
        messages=prompts_asleep.rating(name=name, entries=asked, persona=persona),
        context={"entries": asked},
        answer=_answer_shape(),
        max_tokens=max(LEAST_TOKENS, TOKENS_PER_ENTRY * len(asked)),
    )
    given = [{"id": rated.id, "score": rated.score} for rated in answer.scores]
    scores = rating_rules.parse_scores(given, ids=[entry["id"] for entry in asked])
    return scores, OFFLINE if answer.by == rating_rules.OFFLINE else MODEL


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


def _ask_for_all(schema: dict[str, Any]) -> None:
    schema["required"] = list(schema["properties"])
    schema["properties"]["score"].pop("default", None)


@cache
def _answer_shape() -> Any:
    """Return the shape of an answer; what a score may be is looked at one by one."""
    from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema
    from pydantic.json_schema import SkipJsonSchema

    whole_number = WithJsonSchema({"type": "integer"})

    class Rated(BaseModel):
        id: Annotated[Any, whole_number]
        # It is asked for; what has none waits, and takes nothing from the others.
        score: Annotated[Any, whole_number] = Field(default=None)
        model_config = ConfigDict(json_schema_extra=_ask_for_all)

    class Ratings(BaseModel):
        scores: list[Rated]
        # Only the offline mind says so, also where it answers for a model that fails.
        by: SkipJsonSchema[str] = ""

    return Ratings
