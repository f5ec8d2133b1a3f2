"""The pages of all NPCs, and of one: how they do, what they said and why, and what they learned.

Views run in threads; functions that touch the game are called over the bridge and return plain data.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_POST, require_safe

from evennia_ai import conf, markup
from evennia_ai.agent import trace
from evennia_ai.commands import changes
from evennia_ai.commands.shown import npcs
from evennia_ai.commands.shown import turns as shown_turns
from evennia_ai.commands.shown import words
from evennia_ai.experience.base import experience_of, group_of
from evennia_ai.llm import ledger
from evennia_ai.memory import journal
from evennia_ai.memory.people import accounts, knowers
from evennia_ai.memory.state import active_assistants, assistant, sleep_state
from evennia_ai.typeclasses import scripts
from evennia_ai.typeclasses.scripts import AssistantScript
from evennia_ai.web import answering, bridge, visitors

# Rows of a page, since nobody reads more, and decisions that are open on it.
SHOWN, OPEN = 100, 5
# Characters that staff let an NPC say; the game may allow fewer. Characters of the id of a turn.
WORDS, LENGTH = 1000, 100
# Turns that are told at once: each takes as long as several rows of another page.
AT_ONCE = 2
# How well something must have gone to be called so, from -1 to 1.
NOTICED = 0.2
STATES = ("awake", "asleep", "off")
MEANWHILE = "Somebody has changed it meanwhile. Nothing was done."
# Changes of one NPC, by the last part of the address.
CHANGES: dict[str, Callable[..., str]] = {
    "start": partial(changes.turn, on=True),
    "stop": partial(changes.turn, on=False),
    "sleep": changes.put_to_sleep,
    "wake": changes.wake,
}

Row = dict[str, Any]
# Orders of the list: the most, or the last in time, first, and names by the alphabet.
ORDERS: dict[str, Callable[[Row], Any]] = {
    "name": lambda row: row["name"].casefold(),
    "waiting": lambda row: -row["waiting"],
    "turns": lambda row: -row["turns"],
    "cost": lambda row: tuple(-amount for amount in row["cost"]),
    "entries": lambda row: -row["entries"],
}
ORDER_WORDS = (
    ("name", "name"),
    ("waiting", "unanswered"),
    ("turns", "answers"),
    ("cost", "cost today"),
    ("entries", "memories"),
)


@require_safe
@answering.page
def town(request: HttpRequest, account_id: int) -> HttpResponse:
    """Show each NPC that the visitor may change."""
    halted = bridge.call(_is_halted, account_id)
    name, state = request.GET.get("name", ""), request.GET.get("state", "")
    order = request.GET.get("order", "")
    order = order if order in ORDERS else "name"
    everybody = list(bridge.each(_named, account_id, of=sorted(minds().values())))
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
        "orders": ORDER_WORDS,
    }
    return answering.render(request, "town", context)


@require_POST
@answering.page
def change(request: HttpRequest, account_id: int, npc_id: int, what: str) -> HttpResponse:
    """Switch the mind of an NPC on or off, put it to sleep or wake it."""
    if what not in CHANGES:
        raise visitors.NotFound(what)
    said = visitors.do(account_id, npc_id, lambda who, npc: CHANGES[what](who, npc, name_of(npc)))
    if request.POST.get("back"):
        return answering.done(request, said, "turns", npc_id)
    return answering.done(request, said, "town")


@require_POST
@answering.page
def halt(request: HttpRequest, account_id: int, *, halted: bool) -> HttpResponse:
    said = bridge.call(_halt, account_id, halted=halted)
    return answering.done(request, said, "town")


@require_POST
@answering.page
def say(request: HttpRequest, account_id: int, npc_id: int) -> HttpResponse:
    spoken = request.POST.get("words", "").strip()[:WORDS]
    said = visitors.do(
        account_id,
        npc_id,
        lambda who, npc: changes.speak_for(who, npc, name_of(npc), spoken),
    )
    return answering.done(request, said, "turns", npc_id)


@require_safe
@answering.page
def turns(request: HttpRequest, account_id: int, npc_id: int) -> HttpResponse:
    """Show the last turns of an NPC: what it heard and said, and why."""
    context = visitors.look(account_id, npc_id, _kept_turns)
    told = list(bridge.each(_told_turns, account_id, npc_id, of=context["turns"]))
    return answering.render(request, "turns", {**context, "turns": told})


@require_POST
@answering.page
def prompt(request: HttpRequest, account_id: int, npc_id: int) -> HttpResponse:
    """Show what a model was asked in a turn, word for word."""
    turn_id = request.POST.get("turn", "")[:LENGTH]
    context = visitors.look(account_id, npc_id, _prompt, turn_id)
    return answering.render(request, "prompt", context)


@require_safe
@answering.page
def experience(request: HttpRequest, account_id: int, npc_id: int) -> HttpResponse:
    """Show what an NPC learned by doing: what it tries when, how that goes, and over time."""
    found = visitors.look(account_id, npc_id, _experience)
    told = found["told"]
    days = [
        (day, f"{share:.0%} of {words.count(count, 'decision')}")
        for day, share, count in reversed(told.days[-SHOWN:])
    ]
    context = {
        "npc": found["npc"],
        "group": found["group"],
        "count": len(told.done),
        "average": "" if told.average is None else went(told.average),
        "habits": [(habit, went(habit.worth)) for habit in told.habits[:SHOWN]],
        "done": [(done, went(done.worth)) for done in told.done[:SHOWN]],
        "days": days,
        "open": OPEN,
        "rest": len(told.done[OPEN:SHOWN]),
    }
    return answering.render(request, "experience", context)


def went(worth: float | None) -> str:
    """How something went, in words; worth is from -1 to 1."""
    if worth is None:
        return "not known yet"
    if abs(worth) < NOTICED:
        return "neither well nor badly"
    return "well" if worth > 0 else "badly"


def minds() -> dict[int, int]:
    """Return the number of each NPC's mind by its own; no object of the game is made in this thread."""
    found = AssistantScript.objects.all_family().exclude(db_obj=None).order_by("-id")
    # Of several the first one counts, as everywhere.
    return dict(found.values_list("db_obj_id", "id"))


def head(npc: Any) -> dict[str, Any]:
    """The head of all pages of an NPC: who it is, how it does, and what may be done about that."""
    state = _state_of(scripts.find(npc))
    short = markup.plain(npc.key)
    return {
        "id": npc.id,
        "name": name_of(npc),
        "short": short,
        "state": state,
        "may": _changes_in(state),
    }


def name_of(npc: Any) -> str:
    return f"{markup.plain(npc.key)} (#{npc.id})"


def mark_of(text: str) -> str:
    """A mark by which a form tells that what it was filled in for says something else by now."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _rows(account_id: int, mind_ids: list[int]) -> list[Row]:
    spent = {row["assistant_id"]: row for row in ledger.written_totals()}
    people = knowers.how_many_know()
    found: list[Row] = list(bridge.each(_row_of_each, account_id, of=mind_ids))
    for row in found:
        today = spent.get(row["id"], {"money": 0, "prompt_tokens": 0, "completion_tokens": 0})
        tokens = today["prompt_tokens"] + today["completion_tokens"]
        row["people"] = people.get(row["id"], 0)
        row["cost"] = (today["money"], tokens)
        row["money"] = words.money(today["money"])
        row["tokens"] = f"{tokens:,}"
    return found


# Called over the bridge.


def _is_halted(account_id: int) -> bool:
    visitors.builders(account_id)
    return active_assistants.is_halted()


def _halt(account_id: int, *, halted: bool) -> str:
    who = visitors.admins(account_id)[0]
    return str(visitors.changes(account_id, lambda: changes.halt(who, halted=halted)))


def _named(account_id: int, mind_ids: Iterable[int]) -> list[tuple[str, int, int]]:
    """Return the name, the number and the mind's number of each NPC that the visitor may change."""
    return [
        (markup.plain(mind.obj.key), mind.obj.id, mind.id)
        for _, mind in visitors.kept_minds(account_id, mind_ids)
    ]


def _row_of_each(account_id: int, mind_ids: Iterable[int]) -> list[Row]:
    return [_row(who, mind) for who, mind in visitors.kept_minds(account_id, mind_ids)]


def _row(who: Any, mind: Any) -> Row:
    npc, row, state = mind.obj, npcs.row_of(mind, who), _state_of(mind)
    return {
        **row,
        "id": npc.id,
        "name": markup.plain(npc.key),
        "where": markup.plain(row["where"]),
        "state": state,
        "may": _changes_in(state),
        "said": _last_words(npc),
        "entries": journal.size(npc),
    }


def _state_of(mind: Any) -> str:
    if not assistant.is_enabled(mind):
        return "off"
    return "asleep" if sleep_state.is_asleep(mind) else "awake"


def _changes_in(state: str) -> list[str]:
    if state == "off":
        return ["start"]
    return ["stop", "sleep" if state == "awake" else "wake"]


def _last_words(npc: Any) -> str:
    """Return the last words of its last turns, and how they were said if not aloud."""
    said = (turn.record.said[-1] for turn in trace.turns(npc.id) if turn.record.said)
    kind, text, _ = next(said, ("", "", 0))
    return text if kind in ("", "say") else f"{kind}: {text}"


def _kept_turns(who: Any, npc: Any) -> dict[str, Any]:
    passed = [_heard(one, npc) for one in shown_turns.passed_by(npc)]
    return {
        "npc": head(npc),
        "turns": [turn.id for turn in trace.turns(npc.id)],
        "passed": [{**one, "ago": words.ago(one["ago"])} for one in passed],
    }


def _told_turns(account_id: int, npc_id: int, turn_ids: Iterable[str]) -> list[Row]:
    """Return some turns, without those that were let go meanwhile."""
    _, npc = visitors.with_npc(account_id, npc_id)
    kept = trace.turns(npc.id)
    numbers = {one.id: at for at, one in enumerate(kept, 1)}
    made = []
    for some in bridge.portions(turn_ids, size=AT_ONCE):
        there = [one for one in some if one in numbers]
        told = shown_turns.accounts_of(npc, kept, [numbers[one] for one in there])
        made += [
            {**_told_turn(one, npc), "id": turn_id}
            for one, turn_id in zip(told, there, strict=True)
        ]
    return made


def _told_turn(told: Row, npc: Any) -> Row:
    recalled = told["recalled"]
    return {
        **told,
        "ago": words.ago(told["ago"]),
        "heard": [_heard(one, npc) for one in told["heard"]],
        "attempts": [
            {**row, "money": words.money(row["money"]), "created": None} for row in told["attempts"]
        ],
        "items": [
            {**item, "cut": at >= told["in_prompt"]}
            for at, item in enumerate(recalled["items"] if recalled else ())
        ],
        "left_out": list(shown_turns.left_out(recalled)) if recalled else [],
        "tokens": sum(size for _, size, _ in told["sections"]) + told["tool_tokens"],
    }


def _heard(event: Row, npc: Any) -> Row:
    return {**event, "text": words.by_name(event["text"], markup.plain(npc.key))}


def _prompt(who: Any, npc: Any, turn_id: str) -> dict[str, Any]:
    asked = next((one for one in trace.turns(npc.id) if one.id == turn_id), None)
    if asked is None:
        raise visitors.NotFound("It is not kept any more.")
    may_change = partial(accounts.may_change, who)
    problem = shown_turns.why_no_prompt(npc, asked, may_change, name_of)
    text = "" if problem else shown_turns.prompt_of(asked)
    unread = "" if asked.llm.is_model else shown_turns.UNREAD
    return {"npc": head(npc), "problem": problem or unread, "text": text}


def _experience(who: Any, npc: Any) -> Any:
    shown, group = head(npc), group_of(npc)
    found = experience_of(scripts.find(npc), npc).told()
    return found.addCallback(lambda told: {"npc": shown, "group": group, "told": told})
