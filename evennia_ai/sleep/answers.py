"""Answer formats of the night's jobs: JSON schemas for the server, and pydantic models that read the answers.

A schema names what may be answered: of whom, of which lines, how much. What a shape reads may be looser, since
not every server has a grammar; pydantic is read when the first is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from types import SimpleNamespace
from typing import Any

from evennia_ai.domain.sleeping.rating_rules import WORTH

Schema = dict[str, Any]

# Words for what is known of somebody.
TYPES = "name home occupation family preference fear wish skill belongings promise trait".split()
# Parts of one answer at most, and characters of one.
MOST_ATTRIBUTES, MOST_SENTENCES, MOST_CITED = 6, 8, 5
LENGTH = 160


def rating() -> Schema:
    """Schema of the word that says how important an entry is."""
    return _held("Rating", worth=_one_of(WORTH))


def attributes(ids: Iterable[int], known: Sequence[int]) -> Schema:
    """Schema of a person's attributes; an attribute may replace one of the `known` ones."""
    parts = {
        "evidence": _several(_one_of(ids), MOST_CITED, least=1),
        "value": _words(),
        "type": _one_of(TYPES),
    }
    if known:
        parts["replaces"] = _several(_one_of(known), len(known))
    return _held("Attributes", attributes=_several(_held("", **parts), MOST_ATTRIBUTES))


def questions(count: int) -> Schema:
    """Schema of reflection questions."""
    return _held("Questions", questions=_several(_words(), count, least=1))


def insights(count: int, notes: int, before: int) -> Schema:
    """Schema of insights from a number of notes, and of earlier insights that no longer hold."""
    numbers = range(1, notes + 1)
    cited = _several(_one_of(numbers), MOST_CITED, least=1)
    found = _several(_held("", evidence=cited, insight=_words()), count)
    if not before:
        return _held("Insights", insights=found)
    outdated = _held("", number=_one_of(range(1, before + 1)), evidence=cited)
    return _held("Insights", insights=found, outdated=_several(outdated, before))


def sentences(title: str, *, least: int = 0) -> Schema:
    """Schema of the sentences of a "Summary" of a conversation, or of the "Facts" in it."""
    return _held(title, **{title.casefold(): _several(_words(), MOST_SENTENCES, least=least)})


@cache
def shapes() -> Any:
    """Pydantic models of the answers, by the titles of their schemas."""
    from pydantic import BaseModel, ValidationError, field_validator

    class Answer(BaseModel):
        # Whether no model gave it.
        by_rules: bool = False

    class Rating(Answer):
        worth: str | int | float
        # Only the offline mind says so, also where it answers for a model that fails.
        by: str = ""

    class Attribute(BaseModel):
        type: str
        value: str
        evidence: list[int]
        replaces: list[int] = []

    class Attributes(Answer):
        attributes: list[Attribute]

    class Questions(Answer):
        questions: list[str]

    class Insight(BaseModel):
        insight: str
        evidence: list[int] = []

    class Outdated(BaseModel):
        number: int
        evidence: list[int]

    class Insights(Answer):
        # A sentence may also carry its citation itself.
        insights: list[Insight | str]
        # What was concluded before and no longer holds; what cites nothing is left out.
        outdated: list[Outdated] = []

        @field_validator("outdated", mode="before")
        @classmethod
        def _whole(cls, given: Any) -> list[Any]:
            found = given if isinstance(given, list) else [given]
            return [one for one in found if _is_whole(one)]

    def _is_whole(one: Any) -> bool:
        try:
            Outdated.model_validate(one)
        except ValidationError:
            return False
        return True

    class Summary(Answer):
        summary: list[str] | str

    class Facts(Answer):
        facts: list[str]

    known = (Rating, Attributes, Questions, Insights, Summary, Facts)
    return SimpleNamespace(**{shape.__name__: shape for shape in known})


def citation(one: Any) -> tuple[str, list[int]]:
    """Return an insight and the numbers of its evidence; a bare sentence carries them itself."""
    return (one, []) if isinstance(one, str) else (one.insight, one.evidence)


def _held(title: str, **parts: Schema) -> Schema:
    form = {
        "type": "object",
        "properties": parts,
        "required": list(parts),
        "additionalProperties": False,
    }
    return {"title": title, **form} if title else form


def _several(one: Schema, most: int, *, least: int = 0) -> Schema:
    return {"type": "array", "items": one, "minItems": least, "maxItems": most}


def _one_of(values: Iterable[Any]) -> Schema:
    known = list(values)
    return {"type": "string" if isinstance(known[0], str) else "integer", "enum": known}


def _words() -> Schema:
    return {"type": "string", "minLength": 3, "maxLength": LENGTH}
