"""The page of costs: what it asks of the game and changes there; called over the bridge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from evennia_ai import conf, scheduling
from evennia_ai.commands import formatting
from evennia_ai.commands.aiadmin import admin_spending, formatting_spending
from evennia_ai.domain.model_text import spending
from evennia_ai.llm import caps, outages
from evennia_ai.llm.wrappers import breaker
from evennia_ai.memory import lookup
from evennia_ai.web import npcs_shown, visitors

# What each rung of the ladder is called, and how it looks.
RUNGS = {
    "full": ("enough left", "awake"),
    "low": ("nearly spent, no cheaper model", "asleep"),
    "cheaper": ("the cheaper model", "asleep"),
    "spent": ("spent: lines of their own", "off"),
}


def begin(account_id: int) -> dict[str, Any]:
    """Return what day it is, whose budgets there are, and how the models do."""
    visitors.admins(account_id)
    states = breaker.states()
    return {
        "today": scheduling.now().date(),
        "scopes": admin_spending.spenders(),
        "each": {
            kind: formatting_spending.amount(caps.cap_of(kind, kind))
            for kind in admin_spending.KINDS[1:]
        },
        "models": states,
        "outages": [_ended(row, states) for row in outages.latest()],
        "priced": bool(conf.get("PRICES")),
        "kept_days": conf.get("LEDGER_DAYS"),
    }


def scopes(account_id: int, mind_ids: Iterable[int]) -> list[tuple[str, str]]:
    """Return the scopes of the budgets of some minds' NPCs, and the NPCs' names."""
    visitors.admins(account_id)
    minds = filter(None, map(lookup.script_by_id, mind_ids))
    npcs = (mind.obj for mind in minds if mind.obj)
    return [(admin_spending.scope_of(npc)[0], npcs_shown.name_of(npc)) for npc in npcs]


def rungs(account_id: int, wanted: Iterable[str], npcs: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return how far some scopes are today."""
    visitors.admins(account_id)
    return [_shown(admin_spending.rung(scope, npcs)) for scope in wanted]


def named(account_id: int, rows: Iterable[Mapping[str, Any]], by: str) -> list[dict[str, Any]]:
    """Return rows of the ledger with the name of whom they are."""
    visitors.admins(account_id)
    return [
        {
            **row,
            "who": _name(row, by),
            "spent": formatting.money(row["money"]),
            "seconds": f"{row['latency_ms'] / 1000:.1f}",
            "read": f"{row['prompt_tokens']:,}",
            "written": f"{row['completion_tokens']:,}",
        }
        for row in rows
    ]


def name_of(account_id: int, npc_id: int) -> str:
    """Return how the NPC is called of which the days are shown."""
    visitors.admins(account_id)
    return _name({"assistant_id": npc_id}, "assistant")


def set_cap(account_id: int, whose: str, wanted: str) -> str:
    """Let a cap hold as `@aiadmin/budget` does; return what to say of it, or why not."""
    who = visitors.admins(account_id)[0]
    described = None if wanted.lower() == "default" else admin_spending.read_cap(wanted)
    if not wanted or described == {}:
        return f"That is no budget: {admin_spending.CAP_WORDS}"
    kind = whose.lower()
    if kind in admin_spending.KINDS:
        scope, name = kind, admin_spending.kind_name(kind)
    else:
        payers = admin_spending.find_payers(whose) if whose else []
        if len(payers) != 1:
            several = " or ".join(payer.name for payer in payers)
            return f"That may be {several}." if payers else "There is nobody of that name."
        scope, kind, name = payers[0].scope, payers[0].kind, payers[0].name
    change = visitors.changes(
        account_id, lambda: admin_spending.set_cap(who, scope, kind, described, name)
    )
    return str(change)


def _ended(row: dict[str, str], states: Mapping[str, Any]) -> dict[str, str]:
    """Return an outage with how it ended."""
    lasts = states.get(row["model"], {}).get("state", "closed") != "closed"
    return {**row, "until": row["until"] or ("now" if lasts else "a restart")}


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    cap, (state, looks) = row["cap"], RUNGS[row["rung"]]
    return {
        "who": row["who"],
        "is_set": row["is_set"],
        "state": state,
        "looks": looks,
        "tokens": row["tokens"],
        "most_tokens": cap.tokens,
        "near": None if cap.tokens is None else round(cap.tokens * spending.CHEAPER_SHARE),
        "used": f"{row['tokens']:,}" + ("" if cap.tokens is None else f" of {cap.tokens:,}"),
        "money": formatting.money(row["money"]),
        "most_money": None if cap.money is None else formatting.money(cap.money),
    }


def _name(row: Mapping[str, Any], by: str) -> str:
    npc = lookup.object_by_id(row["assistant_id"]) if by == "assistant" else None
    return npcs_shown.name_of(npc) if npc else admin_spending.who(dict(row), by)
