"""When it is time to reflect: what happened adds up, by how much it mattered."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from evennia_ai.domain.records import format_time

THRESHOLD = 150
# Entries that one reflection looks at; a mind that never sleeps must not collect them for ever.
WINDOW = 200

SYNTHESIS_TAG = "synthesis"
SYNTHESIS_MARK = "[SYNTHESIS]"

State = dict[str, Any]


def new_state(threshold: float = THRESHOLD) -> State:
    """Return the state of a mind that has not reflected yet."""
    return {
        "cumulative_importance": 0.0,
        "threshold": threshold,
        "last_reflection_time": None,
        "reflection_count": 0,
        "entries_since_reflection": [],
    }


def add(state: State, importance: float, entry_id: int) -> State:
    """Return the state after one more entry."""
    return {
        **state,
        "cumulative_importance": state["cumulative_importance"] + importance,
        "entries_since_reflection": [*state["entries_since_reflection"], entry_id][-WINDOW:],
    }


def adjust(state: State, difference: float, entry_id: int) -> State:
    """Return the state after an entry was rated anew; one outside the window changes nothing."""
    if entry_id not in state["entries_since_reflection"]:
        return state
    return {**state, "cumulative_importance": state["cumulative_importance"] + difference}


def due(state: State) -> bool:
    """Return whether enough has happened."""
    return state["cumulative_importance"] >= state["threshold"]


def reset(state: State, *, now: datetime) -> State:
    """Return the state after a reflection; the threshold stays as it was set."""
    return {
        **new_state(state["threshold"]),
        "last_reflection_time": format_time(now),
        "reflection_count": state["reflection_count"] + 1,
    }


def is_synthesis(entry: dict[str, Any]) -> bool:
    """Return whether an entry was made of other entries: it is not reflected upon again."""
    return SYNTHESIS_TAG in entry["tags"] or entry["content"].startswith(SYNTHESIS_MARK)
