"""The page of what models cost, for admins."""

from __future__ import annotations

from datetime import date
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_POST, require_safe

from evennia_ai.commands import formatting
from evennia_ai.commands.aiadmin import admin_spending
from evennia_ai.commands.base import whole_number
from evennia_ai.llm import daily_costs, ledger
from evennia_ai.web import answering, bridge, cost_shown, drawn, views

DAYS = 30
# By whom a day can be summed up; budgets and rows that are shown; characters of a name.
GROUPS = {"NPC": "assistant", "player": "player", "model": "alias", "job": "job"}
SPANS = {"day": 1, "week": 7, "month": 30}
# What is said first.
SUMS = {"Today": 1, "The last 7 days": 7, "The last 30 days": 30}
SHOWN = 25
LENGTH = 255
# What is asked of the game in one go: some milliseconds of its time.
AT_ONCE = 10


@require_safe
@answering.page
def cost(request: HttpRequest, account_id: int) -> HttpResponse:
    """Show what models cost, day by day and on one day, and what they may."""
    begun = bridge.call(cost_shown.begin, account_id)
    by = request.GET.get("by", "NPC")
    by = by if by in GROUPS else "NPC"
    day = _day(request.GET.get("day", ""), begun["today"])
    over = request.GET.get("over", "")
    over = over if over in SPANS else "day"
    npc_id = whole_number(request.GET.get("npc", ""))
    days = daily_costs.by_day(until=begun["today"], days=DAYS, assistant_id=npc_id)
    rows = ledger.written_totals(day=day, days=SPANS[over], by=GROUPS[by])
    shown = bridge.call(cost_shown.named, account_id, rows[:SHOWN], GROUPS[by])
    context = {
        **begun,
        "days": [_told(row) for row in reversed(days)],
        "sums": [(words, _told(_summed(days[-count:]))) for words, count in SUMS.items()],
        "asked": any(row["calls"] for row in days),
        "plots": _plots(days, priced=begun["priced"]),
        "of": "" if npc_id is None else bridge.call(cost_shown.name_of, account_id, npc_id),
        "rows": shown,
        "left": len(rows[SHOWN:]),
        "by": by,
        "groups": tuple(GROUPS),
        "over": over,
        "spans": tuple(SPANS),
        "day": day,
        "budgets": _budgets(account_id, begun["scopes"][:SHOWN]),
        "spending": len(begun["scopes"]),
        "models": begun["models"],
        "cap_words": admin_spending.CAP_WORDS,
    }
    return answering.render(request, "cost", context)


@require_POST
@answering.page
def cap(request: HttpRequest, account_id: int) -> HttpResponse:
    """Set what somebody, or each of a kind, may spend in a day."""
    whose, wanted = (request.POST.get(name, "").strip()[:LENGTH] for name in ("whose", "cap"))
    return answering.done(
        request, bridge.call(cost_shown.set_cap, account_id, whose, wanted), "cost"
    )


def _day(text: str, today: date) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return today


def _summed(days: list[dict[str, Any]]) -> dict[str, Any]:
    return {name: sum(row[name] for row in days) for name in daily_costs.COUNTED}


def _told(row: dict[str, Any]) -> dict[str, Any]:
    """Return the figures of a day, or of several, as they are shown."""
    return {
        **row,
        "tokens": f"{row['prompt_tokens'] + row['completion_tokens']:,}",
        "spent": formatting.money(row["money"]),
    }


def _plots(days: list[dict[str, Any]], *, priced: bool) -> list[drawn.Plot]:
    figures = [
        ("Tokens", lambda row: row["prompt_tokens"] + row["completion_tokens"], "{:,}".format),
        ("Calls of models", lambda row: row["calls"], "{:,}".format),
        ("Calls that failed", lambda row: row["failures"], "{:,}".format),
    ]
    if priced:
        figures.insert(0, ("Money", lambda row: row["money"], formatting.money))
    return [
        drawn.of_days(title, [(row["day"], of(row), shown(of(row))) for row in days])
        for title, of, shown in figures
    ]


def _budgets(account_id: int, scopes: list[str]) -> list[dict[str, Any]]:
    npcs: dict[str, str] = {}
    if any(scope.startswith("assistant:") for scope in scopes):
        asked = sorted(views.minds().values())
        npcs = dict(bridge.each(cost_shown.scopes, account_id, of=asked))
    found: list[dict[str, Any]] = []
    for at in range(0, len(scopes), AT_ONCE):
        some_scopes = scopes[at : at + AT_ONCE]
        found.extend(bridge.call(cost_shown.rungs, account_id, some_scopes, npcs))
    return found
