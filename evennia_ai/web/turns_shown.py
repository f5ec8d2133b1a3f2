"""The page of an NPC's turns, as `@assistant/why` tells them; called over the bridge."""

from __future__ import annotations

from typing import Any

from evennia_ai.agent import trace
from evennia_ai.commands import formatting
from evennia_ai.commands.assistants import assistant_why, formatting_why
from evennia_ai.web import desk, visitors


def begin(account_id: int, npc_id: int) -> dict[str, Any]:
    """Return who the NPC is, the ids of its turns, the newest first, and what it let pass."""
    _, npc = visitors.with_npc(account_id, npc_id)
    return {
        "npc": {"id": npc.id, "name": desk.name_of(npc)},
        "turns": [turn.id for turn in trace.turns(npc.id)],
        "passed": [
            {**one, "ago": formatting.ago(one["ago"])} for one in assistant_why.passed_by(npc)
        ],
    }


def turn(account_id: int, npc_id: int, turn_id: str) -> dict[str, Any] | None:
    """Return one turn, or None if it was let go meanwhile."""
    _, npc = visitors.with_npc(account_id, npc_id)
    kept = trace.turns(npc.id)
    number = next((at for at, one in enumerate(kept, 1) if one.id == turn_id), None)
    return None if number is None else _shown(assistant_why.account_of(npc, kept, number))


def _shown(told: dict[str, Any]) -> dict[str, Any]:
    attempts = [
        {**row, "money": formatting.money(row["money"]), "created": None}
        for row in told["attempts"]
    ]
    recalled = told["recalled"]
    return {
        **told,
        "ago": formatting.ago(told["ago"]),
        "attempts": attempts,
        "items": [
            {**item, "cut": at >= told["in_prompt"]}
            for at, item in enumerate(recalled["items"] if recalled else ())
        ],
        "left_out": [
            (count, why)
            for count, why in (formatting_why.left_out(recalled) if recalled else ())
            if count
        ],
        "tokens": sum(size for _, size, _, _ in told["sections"]) + told["tool_tokens"],
    }
