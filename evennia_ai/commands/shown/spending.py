"""Costs of models and the caps on them, as data."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from typing import Any, NamedTuple

from evennia.accounts.models import AccountDB

from evennia_ai import models, scheduling
from evennia_ai.commands.base import all_minds, log_change
from evennia_ai.commands.shown.words import money
from evennia_ai.core.records import GUESTS
from evennia_ai.domain.model_text import spending
from evennia_ai.llm import caps
from evennia_ai.llm.caps import Amount
from evennia_ai.llm.wrappers import budget
from evennia_ai.memory import identity, lookup

# Owners of a cap besides one assistant or player.
KINDS = ("server", "assistant", "player")
ALL_GUESTS = "all guests"
# The assistant of a call by which a model is only tried out.
NO_NPC = "no NPC"
CAP_WORDS = "tokens or tokens/money, each a number or `none`; or `default`, as in the settings."
# The state of a budget in words, and its look on a page.
RUNGS = {
    "full": ("enough left", "awake"),
    "low": ("nearly spent, no cheaper model", "asleep"),
    "cheaper": ("the cheaper model", "asleep"),
    "spent": ("spent: lines of their own", "off"),
}

# Nobody has more than that, and Python does not read numbers of any length.
_CAP = re.compile(
    r"(?P<tokens>none|[0-9][0-9,_]{0,19})?(?:/(?P<money>none|[0-9]{1,12}(?:\.[0-9]{1,12})?))?", re.I
)


class Payer(NamedTuple):
    """An assistant or a player on whose account calls are made."""

    kind: str
    id: int
    name: str
    scope: str


def day_of(text: str | None) -> date | None:
    """The day that is meant, today for None; None if it is no day."""
    today = scheduling.now().date()
    named = {None: today, "today": today, "yesterday": today - timedelta(days=1)}
    key = text and text.lower()
    if key in named:
        return named[key]
    try:
        return date.fromisoformat(text or "")
    except ValueError:
        return None


def spent_rows(rows: Iterable[Mapping[str, Any]], by: str) -> list[dict[str, Any]]:
    """Rows of the ledger with the name of those who paid, and their figures as they are shown."""
    return [
        {
            **row,
            "who": who_paid(row, by),
            "spent": money(row["money"]),
            "read": f"{row['prompt_tokens']:,}",
            "written": f"{row['completion_tokens']:,}",
        }
        for row in rows
    ]


def who_paid(row: Mapping[str, Any], by: str) -> str:
    """The name of those for whom a row of `ledger.totals` was summed up."""
    if by not in ("assistant", "player"):
        return str(row[by])
    if by == "player" and row["player_id"] == GUESTS:
        return ALL_GUESTS
    if by == "player":
        account = AccountDB.objects.filter(id=row["player_id"]).first()
        return account.key if account else "nobody" if not row["player_id"] else "somebody gone"
    if not row["assistant_id"]:
        return NO_NPC
    npc = lookup.object_by_id(row["assistant_id"])
    return f"{npc.key}(#{npc.id})" if npc else f"gone (#{row['assistant_id']})"


def find_payers(name: str) -> list[Payer]:
    """The assistants and players of that name; `#12` is an assistant, `*Ann` a player.

    `guests` are all guests, who are one player together.
    """
    wanted = name.casefold()
    if wanted == "guests":
        return [_player(GUESTS, "")]
    npcs = [
        mind.obj for mind in all_minds() if wanted in (mind.obj.key.casefold(), f"#{mind.obj.id}")
    ]
    accounts = AccountDB.objects.filter(username__iexact=name.removeprefix("*"))
    players = [_player(account.id, account.key) for account in accounts]
    return players if name.startswith("*") else [*map(payer_of, npcs), *players]


def which_payer(name: str, found: list[Payer]) -> str:
    """Why a name does not say whose account is meant."""
    if found:
        return f"{name!r} may be {' or '.join(payer.name for payer in found)}."
    return f"There is neither an assistant nor a player called {name!r}."


def payer_of(npc: Any) -> Payer:
    """The account of an NPC."""
    key = identity.identity_of(npc)
    scope = spending.scopes_of(assistant=key or str(npc.id))["assistant"]
    return Payer("assistant", npc.id, f"{npc.key}(#{npc.id})", scope)


def read_cap(text: str) -> dict[str, Any]:
    """A cap that is written `tokens/money`, with what is not given left out; {} if wrong."""
    match = _CAP.fullmatch(text.replace(" ", ""))
    cap: dict[str, Any] = {}
    if match and match["tokens"]:
        unlimited = match["tokens"].lower() == "none"
        cap["tokens"] = None if unlimited else int(re.sub("[,_]", "", match["tokens"]))
    if match and match["money"]:
        cap["money"] = None if match["money"].lower() == "none" else float(match["money"])
    return cap


def set_cap(caller: Any, whose: str, wanted: str) -> str:
    """Let a cap hold; return what came of it. It leaves a line for staff."""
    cap = None if wanted.lower() == "default" else read_cap(wanted)
    if cap == {}:
        return f"{wanted!r} is no budget: {CAP_WORDS}"
    scope = kind = whose.lower()
    name = "the server" if kind == "server" else f"each {kind}"
    if kind not in KINDS:
        found = find_payers(whose)
        if len(found) != 1:
            return which_payer(whose, found)
        kind, _, name, scope = found[0]
    # A part that is not spoken of stays as it is.
    caps.set_cap(scope, None if cap is None else {**caps.described_cap(kind, scope), **cap})
    may = amount(caps.cap_of(kind, scope))
    log_change(caller, f"set the budget of {name} to {may} a day")
    return f"The budget of {name} is {may} a day now."


def amount(cap: Amount) -> str:
    """A cap in words: "300,000 tokens and 2.5000 in money"."""
    parts = [
        f"{cap.tokens:,} tokens" if cap.tokens is not None else "",
        f"{money(cap.money)} in money" if cap.money is not None else "",
    ]
    return " and ".join(part for part in parts if part) or "as much as they like"


def caps_of_each() -> dict[str, str]:
    """What each assistant and each player may spend who has no cap of their own, in words."""
    return {kind: amount(caps.cap_of(kind, kind)) for kind in KINDS[1:]}


def spenders() -> list[str]:
    """The scopes that spent something today or have a cap of their own, the server first."""
    rows = models.Budget.objects.filter(day=scheduling.now().date()).order_by("-tokens")
    scopes = dict.fromkeys(["server", *(row.scope for row in rows), *caps.set_in_game()])
    return [scope for scope in scopes if scope == "server" or ":" in scope]


def budget_of(scope: str, npcs: Mapping[str, str]) -> dict[str, Any]:
    """How far a scope is today; `npcs` are the names of scopes."""
    kind, _, rest = scope.partition(":")
    cap: Amount = caps.cap_of(kind, scope)
    given = caps.set_in_game()
    far = budget.rung_of(scope, cap, day=scheduling.now().date())
    state, looks = RUNGS[far["rung"]]
    return {
        "who": npcs.get(scope) or _name_of_scope(kind, rest),
        "is_set": scope in given or kind in given,
        "state": state,
        "looks": looks,
        "tokens": far["tokens"],
        "most_tokens": cap.tokens,
        "near": None if cap.tokens is None else round(cap.tokens * spending.CHEAPER_SHARE),
        "used": f"{far['tokens']:,}" + ("" if cap.tokens is None else f" of {cap.tokens:,}"),
        "money": money(far["money"]),
        "most_money": None if cap.money is None else money(cap.money),
    }


def _player(account_id: int, name: str) -> Payer:
    scope = spending.scopes_of(player=account_id)["player"]
    shown = ALL_GUESTS if account_id == GUESTS else f"the player {name}"
    return Payer("player", account_id, shown, scope)


def _name_of_scope(kind: str, rest: str) -> str:
    if kind == "server":
        return "the server"
    if kind == "player" and not rest.isdecimal():
        return ALL_GUESTS
    if kind == "player":
        account = AccountDB.objects.filter(id=int(rest)).first()
        return f"the player {account.key}" if account else "a player who is gone"
    return f"an assistant that is gone ({rest[:8]})"
