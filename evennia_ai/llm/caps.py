"""Caps on daily spending: the setting BUDGET, and what admins set in the game in its place.

A cap that was set in the game holds over a restart, and before the settings. Workers see it at their next
job (`read_anew`), other processes on the same database when they start.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping

from evennia.server.models import ServerConfig

from evennia_ai import conf, models, scheduling
from evennia_ai.core import volatile
from evennia_ai.domain.model_text import spending

# The key in Evennia's ServerConfig under which stands what admins set.
KEY = "evennia_ai_budget"


@dataclass(frozen=True)
class Amount:
    """What a call uses, or a cap on it; money in millionths, None is no cap."""

    tokens: int | None
    money: int | None


def cap_of(kind: str, scope: str) -> Amount:
    """Return the cap of a scope: its own, else what was set for its kind, else the settings'."""
    described = described_cap(kind, scope)
    money = described.get("money")
    return Amount(described.get("tokens"), None if money is None else spending.to_millionths(money))


def described_cap(kind: str, scope: str) -> Mapping[str, Any]:
    """Return a cap as the settings write it, {"tokens", "money"} with None for no limit."""
    given = set_in_game()
    return given.get(scope) or given.get(kind) or conf.get("BUDGET")[kind] or {}


@volatile.once
def set_in_game() -> dict[str, dict[str, Any]]:
    """Return the caps that admins set, {"tokens", "money"} by scope or kind of scope."""
    return dict(ServerConfig.objects.conf(KEY, default=dict))


def read_anew() -> None:
    """Let the next question be answered by the database: another process may have set caps since."""
    set_in_game.clear()


def set_cap(scope: str, cap: dict[str, Any] | None) -> None:
    """Let a cap hold for a scope, or for all of a kind; None: the settings hold again.

    Staff are told anew today when a cap is reached.
    """
    given = {**set_in_game()}
    given.pop(scope, None)
    if cap is not None:
        given[scope] = cap
    ServerConfig.objects.conf(KEY, given)
    models.Budget.objects.filter(day=scheduling.now().date()).update(warned=0)
    set_in_game.put(given)
