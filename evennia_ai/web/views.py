"""The pages for staff. Views run in threads: what is of the game comes and goes over the bridge."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_POST, require_safe

from evennia_ai import conf
from evennia_ai.commands import formatting
from evennia_ai.llm import ledger
from evennia_ai.memory.people import knowers
from evennia_ai.typeclasses.scripts import AssistantScript
from evennia_ai.web import answering, bridge, drawn, npcs_shown, turns_shown, visitors

# Rows of a page; nobody reads more.
SHOWN = 100
# Characters that staff let an NPC say; the game may allow fewer.
WORDS = 1000
# Characters of the id of a turn.
LENGTH = 100
STATES = ("awake", "asleep", "off")

Row = dict[str, Any]
# By what a list can be sorted; what is most, or last in time, first, and names by the alphabet.
ORDERS: dict[str, Callable[[Row], Any]] = {
    "name": lambda row: row["name"].casefold(),
    "waiting": lambda row: -row["waiting"],
    "turns": lambda row: -row["turns"],
    "cost": lambda row: tuple(-one for one in row["cost"]),
    "entries": lambda row: -row["entries"],
}


@require_safe
@answering.page
def town(request: HttpRequest, account_id: int) -> HttpResponse:
    """Show each NPC that the visitor may change."""
    halted = bridge.call(npcs_shown.is_halted, account_id)
    name, state = request.GET.get("name", ""), request.GET.get("state", "")
    order = request.GET.get("order", "")
    order = order if order in ORDERS else "name"
    everybody = list(bridge.each(npcs_shown.named, account_id, of=sorted(minds().values())))
    called = sorted(
        (one for one in everybody if name.casefold() in one[0].casefold()),
        key=lambda one: (one[0].casefold(), one[1]),
    )
    # In the order of their names, no more is asked of the game than is shown.
    cut = SHOWN if order == "name" and not state else len(called)
    rows = _rows(account_id, [mind_id for _, _, mind_id in called[:cut]])
    fitting = [row for row in rows if state in ("", row["state"])]
    fitting.sort(key=lambda row: (ORDERS[order](row), row["id"]))
    context = {
        "rows": fitting[:SHOWN],
        "left": len(fitting[SHOWN:]) + len(called[cut:]),
        "all": len(everybody),
        # Without PRICES nothing has a price, and there are tokens alone.
        "priced": bool(conf.get("PRICES")) or any(row["cost"][0] for row in fitting[:SHOWN]),
        "halted": halted,
        "name": name,
        "state": state,
        "order": order,
        "states": STATES,
        "orders": tuple(ORDERS),
    }
    return answering.render(request, "town", context)


@require_POST
@answering.page
def change(request: HttpRequest, account_id: int, npc_id: int, what: str) -> HttpResponse:
    """Switch the mind of an NPC on or off, put it to sleep or wake it."""
    if what not in npcs_shown.CHANGES:
        raise visitors.NotFound(what)
    words = bridge.call(npcs_shown.change, account_id, npc_id, what)
    if request.POST.get("back"):
        return answering.done(request, words, "turns", npc_id)
    return answering.done(request, words, "town")


@require_POST
@answering.page
def halt(request: HttpRequest, account_id: int, *, halted: bool) -> HttpResponse:
    """Stop every mind at once, or let all go on."""
    return answering.done(request, bridge.call(npcs_shown.halt, account_id, halted=halted), "town")


@require_POST
@answering.page
def say(request: HttpRequest, account_id: int, npc_id: int) -> HttpResponse:
    """Let an NPC say words of staff."""
    words = request.POST.get("words", "").strip()[:WORDS]
    return answering.done(
        request, bridge.call(npcs_shown.say, account_id, npc_id, words), "turns", npc_id
    )


@require_safe
@answering.page
def turns(request: HttpRequest, account_id: int, npc_id: int) -> HttpResponse:
    """Show the last turns of an NPC: what it heard and said, and why."""
    context = bridge.call(turns_shown.begin, account_id, npc_id)
    told = list(bridge.each(turns_shown.turns, account_id, npc_id, of=context["turns"]))
    return answering.render(request, "turns", {**context, "turns": told})


@require_POST
@answering.page
def prompt(request: HttpRequest, account_id: int, npc_id: int) -> HttpResponse:
    """Show what a model was asked in a turn, word for word."""
    turn_id = request.POST.get("turn", "")[:LENGTH]
    context = bridge.call(turns_shown.prompt, account_id, npc_id, turn_id)
    return answering.render(request, "prompt", context)


@require_safe
@answering.page
def experience(request: HttpRequest, account_id: int, npc_id: int) -> HttpResponse:
    """Show what an NPC learned by doing: what it tries when, how that goes, and over time."""
    found = bridge.call(turns_shown.experience, account_id, npc_id)
    told = found["told"]
    days = [
        (day, share, f"{share:.0%} of {count} decision{'s' * (count != 1)}")
        for day, share, count in told.days[-SHOWN:]
    ]
    context = {
        "npc": found["npc"],
        "group": found["group"],
        "count": len(told.done),
        "average": told.average,
        "habits": told.habits[:SHOWN],
        "done": told.done[:SHOWN],
        "plots": [drawn.of_days("What went well", days, most=1, unit="share of a day's decisions")]
        * (len(days) >= drawn.FEWEST),
        "days": days if len(days) < drawn.FEWEST else [],
    }
    return answering.render(request, "experience", context)


def minds() -> dict[int, int]:
    """Return the number of each NPC's mind by its own; no object of the game is made in this thread."""
    found = AssistantScript.objects.all_family().exclude(db_obj=None).order_by("-id")
    # Of several the first one counts, as everywhere.
    return dict(found.values_list("db_obj_id", "id"))


def _rows(account_id: int, mind_ids: list[int]) -> list[Row]:
    spent = {row["assistant_id"]: row for row in ledger.written_totals()}
    people = knowers.how_many_know()
    found: list[Row] = list(bridge.each(npcs_shown.rows, account_id, of=mind_ids))
    for row in found:
        today = spent.get(row["id"], {"money": 0, "prompt_tokens": 0, "completion_tokens": 0})
        tokens = today["prompt_tokens"] + today["completion_tokens"]
        row["people"] = people.get(row["id"], 0)
        row["cost"] = (today["money"], tokens)
        row["money"] = formatting.money(today["money"])
        row["tokens"] = f"{tokens:,}"
    return found
