"""The page of what models cost, for admins, by the functions of `@aiadmin/cost` and `@aiadmin/budget`.

Views run in threads; functions that touch the game are called over the bridge and return plain data.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_POST, require_safe

from evennia_ai import conf, scheduling
from evennia_ai.commands.base import whole_number
from evennia_ai.commands.shown import spending
from evennia_ai.commands.shown.words import money
from evennia_ai.llm import daily_costs, ledger, outages
from evennia_ai.llm.wrappers import breaker
from evennia_ai.memory import lookup
from evennia_ai.web import answering, bridge, npc_pages, visitors

DAYS = 30
# Groups of a day's calls, and lengths of time.
GROUPS = {"NPC": "assistant", "player": "player", "model": "alias", "job": "job"}
SPANS = {"day": 1, "week": 7, "month": 30}
SUMS = {"Today": 1, "The last 7 days": 7, "The last 30 days": 30}
# Budgets and rows that are shown; characters of a name.
SHOWN, LENGTH = 25, 255
# Budgets that are asked of the game in one go: some milliseconds of its time.
AT_ONCE = 10


@require_safe
@answering.page
def cost(request: HttpRequest, account_id: int) -> HttpResponse:
    """Show what models cost, day by day and on one day, and what they may."""
    begun = bridge.call(_begin, account_id)
    by = request.GET.get("by", "NPC")
    by = by if by in GROUPS else "NPC"
    day = _day(request.GET.get("day", ""), begun["today"])
    over = request.GET.get("over", "")
    over = over if over in SPANS else "day"
    npc_id = whole_number(request.GET.get("npc", ""))
    days = daily_costs.by_day(until=begun["today"], days=DAYS, assistant_id=npc_id)
    rows = ledger.written_totals(day=day, days=SPANS[over], by=GROUPS[by])
    context = {
        **begun,
        "days": [_told(row) for row in reversed(days)],
        "sums": [(words, _told(_summed(days[-count:]))) for words, count in SUMS.items()],
        "asked": any(row["calls"] for row in days),
        "of": "" if npc_id is None else bridge.call(_name_of, account_id, npc_id),
        "rows": bridge.call(_spent, account_id, rows[:SHOWN], GROUPS[by]),
        "left": len(rows[SHOWN:]),
        "by": by,
        "groups": tuple(GROUPS),
        "over": over,
        "spans": tuple(SPANS),
        "day": day,
        "budgets": _budgets_of(account_id, begun["scopes"][:SHOWN]),
        "spending": len(begun["scopes"]),
        "cap_words": spending.CAP_WORDS,
    }
    return answering.render(request, "cost", context)


@require_POST
@answering.page
def cap(request: HttpRequest, account_id: int) -> HttpResponse:
    """Set what somebody, or each of a kind, may spend in a day."""
    whose, wanted = (request.POST.get(name, "").strip()[:LENGTH] for name in ("whose", "cap"))
    return answering.done(request, bridge.call(_set_cap, account_id, whose, wanted), "cost")


def _day(text: str, today: date) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return today


def _summed(days: list[dict[str, Any]]) -> dict[str, Any]:
    return {name: sum(row[name] for row in days) for name in daily_costs.COUNTED}


def _told(row: dict[str, Any]) -> dict[str, Any]:
    """Return the figures of a day, or of several, as they are shown."""
    tokens = f"{row['prompt_tokens'] + row['completion_tokens']:,}"
    return {**row, "tokens": tokens, "spent": money(row["money"])}


def _budgets_of(account_id: int, scopes: list[str]) -> list[dict[str, Any]]:
    npcs: dict[str, str] = {}
    if any(scope.startswith("assistant:") for scope in scopes):
        asked = sorted(npc_pages.minds().values())
        npcs = dict(bridge.each(_scopes, account_id, of=asked))
    found: list[dict[str, Any]] = []
    for at in range(0, len(scopes), AT_ONCE):
        found += bridge.call(_budgets, account_id, scopes[at : at + AT_ONCE], npcs)
    return found


# Called over the bridge.


def _begin(account_id: int) -> dict[str, Any]:
    visitors.admins(account_id)
    states = breaker.states()
    return {
        "today": scheduling.now().date(),
        "scopes": spending.spenders(),
        "each": spending.caps_of_each(),
        "models": states,
        "outages": [_ended(row, states) for row in outages.latest()],
        "priced": bool(conf.get("PRICES")),
        "kept_days": conf.get("LEDGER_DAYS"),
    }


def _ended(row: dict[str, str], states: Mapping[str, Any]) -> dict[str, str]:
    """Return an outage with how it ended."""
    lasts = states.get(row["model"], {}).get("state", "closed") != "closed"
    return {**row, "until": row["until"] or ("now" if lasts else "a restart")}


def _scopes(account_id: int, mind_ids: Iterable[int]) -> list[tuple[str, str]]:
    """Return the scopes of the budgets of some minds' NPCs, and the NPCs' names."""
    visitors.admins(account_id)
    minds = filter(None, map(lookup.script_by_id, mind_ids))
    npcs = (mind.obj for mind in minds if mind.obj)
    return [(spending.payer_of(npc).scope, npc_pages.name_of(npc)) for npc in npcs]


def _budgets(account_id: int, scopes: Iterable[str], npcs: Mapping[str, str]) -> list[Any]:
    visitors.admins(account_id)
    return [spending.budget_of(scope, npcs) for scope in scopes]


def _spent(account_id: int, rows: Iterable[Mapping[str, Any]], by: str) -> list[dict[str, Any]]:
    visitors.admins(account_id)
    return [
        {**row, "who": _name(row, by), "seconds": f"{row['latency_ms'] / 1000:.1f}"}
        for row in spending.spent_rows(rows, by)
    ]


def _name_of(account_id: int, npc_id: int) -> str:
    visitors.admins(account_id)
    return _name({"assistant_id": npc_id}, "assistant")


def _name(row: Mapping[str, Any], by: str) -> str:
    npc = lookup.object_by_id(row["assistant_id"]) if by == "assistant" else None
    return npc_pages.name_of(npc) if npc else spending.who_paid(row, by)


def _set_cap(account_id: int, whose: str, wanted: str) -> str:
    who = visitors.admins(account_id)[0]
    change = visitors.changes(account_id, lambda: spending.set_cap(who, whose, wanted))
    return str(change)
