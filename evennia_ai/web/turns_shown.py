"""The page of an NPC's turns, as `@assistant/why` tells them; called over the bridge."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from twisted.internet.defer import Deferred

from evennia_ai.agent import trace
from evennia_ai.commands import formatting
from evennia_ai.commands.assistants import assistant_prompt, assistant_why, formatting_why
from evennia_ai.experience.base import experience_of, group_of
from evennia_ai.memory.people import accounts
from evennia_ai.typeclasses import scripts
from evennia_ai.web import bridge, npcs_shown, visitors

# Turns that are told at once: each takes as long as several rows of another page.
AT_ONCE = 2


def begin(account_id: int, npc_id: int) -> dict[str, Any]:
    """Return who the NPC is, the ids of its turns, the newest first, and what it let pass."""
    _, npc = visitors.with_npc(account_id, npc_id)
    return {
        "npc": npcs_shown.head(npc),
        "turns": [turn.id for turn in trace.turns(npc.id)],
        "passed": [
            {**one, "ago": formatting.ago(one["ago"])} for one in assistant_why.passed_by(npc)
        ],
    }


def turns(account_id: int, npc_id: int, turn_ids: Iterable[str]) -> list[dict[str, Any]]:
    """Return some turns, without those that were let go meanwhile."""
    _, npc = visitors.with_npc(account_id, npc_id)
    kept = trace.turns(npc.id)
    numbers = {one.id: at for at, one in enumerate(kept, 1)}
    made = []
    for some in bridge.portions(turn_ids, size=AT_ONCE):
        there = [one for one in some if one in numbers]
        told = assistant_why.accounts_of(npc, kept, [numbers[one] for one in there])
        made += [{**_shown(one), "id": turn_id} for one, turn_id in zip(told, there, strict=True)]
    return made


def prompt(account_id: int, npc_id: int, turn_id: str) -> dict[str, Any]:
    """Return what a model was asked last in a turn, word for word, as `@assistant/why/prompt` shows it."""
    who, npc = visitors.with_npc(account_id, npc_id)
    asked = next((one for one in trace.turns(npc.id) if one.id == turn_id), None)
    if asked is None:
        raise visitors.NotFound("It is not kept any more.")
    names = {"name": npcs_shown.name_of(npc)}
    other = assistant_prompt.partner(npc, lambda one: accounts.may_change(who, one))
    if other is not None:
        problem = assistant_prompt.NOT_YOURS.format(**names, other=npcs_shown.name_of(other))
    elif asked.record.request is None:
        problem = assistant_prompt.NO_PROMPT.format(**names)
    else:
        problem = "" if asked.llm.is_model else assistant_prompt.UNREAD
    is_shown = other is None and asked.record.request is not None
    return {
        "npc": npcs_shown.head(npc),
        "problem": problem,
        "text": assistant_prompt.prompt_of(asked) if is_shown else "",
    }


def experience(account_id: int, npc_id: int) -> Deferred[dict[str, Any]]:
    """Return what the NPC learned by doing, as `@assistant/experience` tells it."""
    _, npc = visitors.with_npc(account_id, npc_id)
    shown, group = npcs_shown.head(npc), group_of(npc)
    found = experience_of(scripts.find(npc), npc).told()
    return found.addCallback(lambda told: {"npc": shown, "group": group, "told": told})


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
