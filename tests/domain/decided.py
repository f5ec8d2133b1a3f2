"""Decisions for tests that need no turn."""

from typing import Any

from evennia_ai.core.states import RecentDecision

PLAIN: dict[str, Any] = {
    "id": "1",
    "turn": "turn 1",
    "actor": "",
    "at": "2030-01-01T00:00:00.000Z",
    "action": "say",
    "title": "A greeting",
    "favorability": 0.0,
    "goal_progress": 0.0,
}


def decision(**fields: Any) -> RecentDecision:
    """Return a decision; `fields` are those that matter to the test."""
    return RecentDecision(**{**PLAIN, **fields})
