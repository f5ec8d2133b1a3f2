"""Favorability by rules: how words and gifts change it, for a mind without a model."""

from __future__ import annotations

from typing import Any

from evennia_ai.core.records import SPOKEN
from evennia_ai.domain.offline import utterances

# Change of favorability by what somebody did; what is not listed leaves one cold.
DELTAS = {"thanks": 0.02, "praise": 0.05, "insult": -0.1, "give": 0.1}


def about(context: dict[str, Any]) -> tuple[float, str] | None:
    """Return (delta, reason) for the event of a turn, or None if it moves nobody.

    `context` is what the sections of a prompt leave behind: `event` and `npc` are read.
    """
    event = context.get("event") or {}
    kind = event.get("kind") or "say"
    if kind in SPOKEN:
        name = (context.get("npc") or {}).get("name") or ""
        said = utterances.classify(event.get("text") or "", names=[name])
        kind = said.topic if said.topic in DELTAS else said.kind
    return (DELTAS[kind], kind) if kind in DELTAS else None
