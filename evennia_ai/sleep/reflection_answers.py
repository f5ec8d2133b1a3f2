"""The shapes of what a mind answers when it reflects; pydantic is read when the first is asked for."""

from __future__ import annotations

from functools import cache
from typing import Any


@cache
def questions_model() -> Any:
    from pydantic import BaseModel

    class Questions(BaseModel):
        questions: list[str]

    return Questions


@cache
def insights_model(*, has_earlier: bool = True) -> Any:
    """Return the shape of insights, without what is `outdated` where nothing was concluded earlier."""
    from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

    class Insight(BaseModel):
        insight: str
        evidence: list[int] = []

    class Outdated(BaseModel):
        number: int
        evidence: list[int]

    class Insights(BaseModel):
        # A sentence may also carry its citation itself.
        insights: list[Insight | str]

    if not has_earlier:
        return Insights

    class WithOutdated(Insights):
        model_config = ConfigDict(title="Insights")
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

    return WithOutdated


def citation(one: Any) -> tuple[str, list[int]]:
    """Return an insight and the numbers of its evidence; a bare sentence carries them itself."""
    return (one, []) if isinstance(one, str) else (one.insight, one.evidence)
