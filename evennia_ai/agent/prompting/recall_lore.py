"""Lore that comes to mind: what a builder wrote for everybody, for some, or on a condition."""

from __future__ import annotations

from typing import Any

from msgspec import structs

from evennia_ai.agent.turn import Turn
from evennia_ai.core import records
from evennia_ai.domain import audience
from evennia_ai.domain.memories.remembered import Remembered
from evennia_ai.memory import persona, routine


def of(turn: Turn, npc: Any, confidant: frozenset[str]) -> list[Remembered]:
    """Return what its builder wrote; what is on a condition, as if those it speaks with fulfilled that.

    Whether they do is asked of what fits a question (`as_conditions_are`), before any of it is used.
    On a channel nobody is asked, and nothing of it comes up.
    """
    found = []
    for fact in persona.load_lore(npc):
        if fact.only_if and turn.event.channel:
            continue
        found.append(
            Remembered(
                text=fact.text,
                by="",
                kind="lore",
                timestamp="",
                trust=1.0,
                event_id="",
                audience=sorted(confidant) if fact.only_if else fact.audience,
                only_if=fact.only_if,
            )
        )
    return found


def is_conditional(item: Remembered) -> bool:
    """Return whether it is still to be asked who may know something."""
    return bool(item.only_if)


def as_conditions_are(
    turn: Turn, npc: Any, ranked: list[Remembered], confidant: frozenset[str]
) -> list[Remembered]:
    """Return what comes to mind without what is on a condition and does not fit, or is not for those who ask.

    The rest of it is for those who fulfil the condition just now: so what comes of it is for them alone,
    whatever becomes of the condition.
    """
    # Many facts may hang on one lock: it is asked once of each who hears.
    ears: dict[str, records.Audience] = {}
    left = []
    for item in ranked:
        if is_conditional(item):
            lock = item.only_if
            if not item.fits:
                continue
            if lock not in ears:
                ears[lock] = _who_pass(turn, npc, lock)
            item = structs.replace(item, audience=ears[lock], only_if="")
            if not audience.may_know(item.audience, confidant):
                continue
        left.append(item)
    return left


def _who_pass(turn: Turn, npc: Any, lock: str) -> records.Audience:
    """Return who of those who hear the answer pass a lock."""
    there = {*turn.listeners(), *([turn.speaker] if turn.speaker is not None else [])}
    return sorted(routine.who_pass(npc, there, lock))
