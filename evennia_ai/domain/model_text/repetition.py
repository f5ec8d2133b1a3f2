"""Repetition: a memory that says nothing beyond what stands in a prompt anyway is not told again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from evennia_ai.domain.memories import retrieval
from evennia_ai.domain.memories.remembered import Remembered
from evennia_ai.domain.sleeping import compaction_rules


class Shown(NamedTuple):
    """What a prompt says anyway of somebody, or of what they said: of whom, and how it stood when."""

    of: str
    text: str
    when: str


def is_repeated(item: Remembered, shown: Iterable[Shown], *, name: str) -> bool:
    """Return whether all the telling words of what somebody said stand in what is shown of them; `name` heard it.

    What they said later may put it right.
    """
    by = item.by or item.claimed_by
    known = [one.text for one in shown if by and one.of == by and one.when >= item.timestamp]
    told = compaction_rules.statements(item.text) or [item.text]
    words = {*retrieval.terms(" ".join(told))} - {*retrieval.terms(f"{by} {name}")}
    return bool(known and words) and words <= {*retrieval.terms(" ".join(known))}
