"""The switches `cost` and `budget` of `@aiadmin`: what models cost, and the caps on it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any, NamedTuple

from evennia.accounts.models import AccountDB
from evennia.utils.evmore import EvMore

from evennia_ai import conf, models, scheduling
from evennia_ai.commands.aiadmin import formatting_spending
from evennia_ai.commands.base import AssistantCommand, all_minds, log_change, quoted, switch
from evennia_ai.core.records import GUESTS
from evennia_ai.domain.model_text import spending
from evennia_ai.llm import caps, ledger
from evennia_ai.llm.caps import Amount
from evennia_ai.llm.wrappers import budget
from evennia_ai.memory import identity, lookup

# Rows of a table; nobody reads more, and it must fit on a page.
ROWS = 25
# What the switch `cost` can list instead of assistants.
GROUPS = {"players": "player", "models": "alias", "jobs": "job"}
COLUMNS = {"assistant": "Assistant", "player": "Player", "alias": "Model", "job": "Job"}
# Whom a cap can be set for besides one assistant or player.
KINDS = ("server", "assistant", "player")
ALL_GUESTS = "all guests"
# For whom a model is asked that is only tried out.
NO_NPC = "no NPC"

CAP_WORDS = "tokens or tokens/money, each a number or `none`; or `default`, as in the settings."

# Nobody has more than that, and Python does not read numbers of any length.
_CAP = re.compile(
    r"(?P<tokens>none|[0-9][0-9,_]{0,19})?(?:/(?P<money>none|[0-9]{1,12}(?:\.[0-9]{1,12})?))?", re.I
)


class Payer(NamedTuple):
    """One on whose account calls are made: an assistant or a player."""

    kind: str
    id: int
    name: str
    scope: str


class SpendingSwitches(AssistantCommand):
    """What `@aiadmin` tells of tokens and money."""

    @switch("cost", lock="perm(Admin)")
    def show_cost(self) -> None:
        """@aiadmin/cost [<npc>/<player>/players/models/jobs] [= <day>]"""
        day = read_day(self.rhs)
        if day is None:
            day_typed = quoted(self.rhs or "")
            self.msg(f"{day_typed} is no day: today, yesterday, or one like 2026-12-31.")
            return
        if not self.lhs or self.lhs.lower() in GROUPS:
            self._show_day(day, GROUPS.get(self.lhs.lower(), "assistant"))
            return
        payer = self._find_payer(self.lhs)
        if payer:
            rows = ledger.daily(by=payer.kind, value=payer.id)
            chosen = [row for row in rows if self.rhs is None or row["day"] == day]
            self._show(f"{payer.name}, day by day (UTC)", chosen, column="Day", key="day")

    @switch("budget", lock="perm(Admin)")
    def budget(self) -> None:
        """@aiadmin/budget [<whose> = <tokens>[/<money>]]"""
        if not self.args:
            self._show_budget()
            return
        wanted, kind = self.rhs or "", self.lhs.lower()
        described = None if wanted.lower() == "default" else read_cap(wanted)
        if not self.lhs or not wanted:
            self.say_usage()
            return
        if described == {}:
            self.msg(f"{quoted(wanted)} is no budget: {CAP_WORDS}")
            return
        payer = None if kind in KINDS else self._find_payer(self.lhs)
        if kind in KINDS or payer:
            scope, kind = (payer.scope, payer.kind) if payer else (kind, kind)
            name = payer.name if payer else kind_name(kind)
            self.msg(set_cap(self.caller, scope, kind, described, name))

    def _show_day(self, day: date, by: str) -> None:
        rows = [{**row, "who": who(row, by)} for row in ledger.totals(day=day, by=by)]
        self._show(f"{day} (UTC)", rows, column=COLUMNS[by], key="who")

    def _show(self, title: str, rows: list[dict[str, Any]], *, column: str, key: str) -> None:
        shown = [{**row, "who": str(row[key])} for row in rows[:ROWS]]
        text = formatting_spending.cost(
            title,
            shown,
            column=column,
            priced=bool(conf.get("PRICES")),
            left=len(rows[ROWS:]),
            screen=self.screen,
        )
        EvMore(self.caller, text, session=self.session)

    def _show_budget(self) -> None:
        whose = spenders()
        npcs = dict(scope_of(mind.obj) for mind in all_minds())
        text = formatting_spending.budget(
            [rung(scope, npcs) for scope in whose[:ROWS]],
            {kind: caps.cap_of(kind, kind) for kind in KINDS[1:]},
            cheaper=budget.CHEAPER_ALIAS in conf.get("LLM"),
            left=len(whose[ROWS:]),
            screen=self.screen,
        )
        EvMore(self.caller, text, session=self.session)

    def _find_payer(self, name: str) -> Payer | None:
        """Return the one who is meant, else None after having said why not."""
        found = find_payers(name)
        if len(found) == 1:
            return found[0]
        if found:
            self.msg(f"{quoted(name)} may be {' or '.join(payer.name for payer in found)}.")
        else:
            self.msg(f"There is neither an assistant nor a player called {quoted(name)}.")
        return None


def read_day(text: str | None) -> date | None:
    """Return the day that is meant, today for None; None if it is no day."""
    today = scheduling.now().date()
    named = {None: today, "today": today, "yesterday": today - timedelta(days=1)}
    key = text and text.lower()
    if key in named:
        return named[key]
    try:
        return date.fromisoformat(text or "")
    except ValueError:
        return None


def read_cap(text: str) -> dict[str, Any]:
    """Return a cap that is written `tokens/money`, with what is not given left out; {} if wrong."""
    match = _CAP.fullmatch(text.replace(" ", ""))
    cap: dict[str, Any] = {}
    if match and match["tokens"]:
        unlimited = match["tokens"].lower() == "none"
        cap["tokens"] = None if unlimited else int(re.sub("[,_]", "", match["tokens"]))
    if match and match["money"]:
        cap["money"] = None if match["money"].lower() == "none" else float(match["money"])
    return cap


def find_payers(name: str) -> list[Payer]:
    """Return the assistants and players of that name; `#12` is an assistant, `*Ann` a player.

    `guests` are all guests, who are one player together.
    """
    wanted = name.casefold()
    if wanted == "guests":
        return [_player(GUESTS, "")]
    npcs = [mind.obj for mind in all_minds() if wanted in (mind.obj.key.casefold(), _dbref(mind))]
    accounts = AccountDB.objects.filter(username__iexact=name.removeprefix("*"))
    players = [_player(account.id, account.key) for account in accounts]
    return [*map(_assistant, npcs), *players] if not name.startswith("*") else players


def _dbref(mind: Any) -> str:
    return f"#{mind.obj.id}"


def _assistant(npc: Any) -> Payer:
    key = identity.identity_of(npc)
    scope = spending.scopes_of(assistant=key or str(npc.id))["assistant"]
    return Payer("assistant", npc.id, f"{npc.key}(#{npc.id})", scope)


def _player(account_id: int, name: str) -> Payer:
    scope = spending.scopes_of(player=account_id)["player"]
    shown = ALL_GUESTS if account_id == GUESTS else f"the player {name}"
    return Payer("player", account_id, shown, scope)


def kind_name(kind: str) -> str:
    """Return what is said of a cap that holds for the server, or for each of a kind."""
    return "the server" if kind == "server" else f"each {kind}"


def set_cap(caller: Any, scope: str, kind: str, described: dict[str, Any] | None, name: str) -> str:
    """Let a cap hold, None: that of the settings; return what to say of it. It leaves a line for staff."""
    if described is not None:
        # What is not spoken of stays as it is.
        described = {**caps.described_cap(kind, scope), **described}
    caps.set_cap(scope, described)
    may = formatting_spending.amount(caps.cap_of(kind, scope))
    log_change(caller, f"set the budget of {name} to {may} a day")
    return f"The budget of {name} is {may} a day now."


def who(row: dict[str, Any], by: str) -> str:
    """Return what is called by whom a row of `ledger.totals` was summed up."""
    if by in ("alias", "job"):
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


def scope_of(npc: Any) -> tuple[str, str]:
    """Return the scope of an NPC, and how it is called."""
    payer = _assistant(npc)
    return payer.scope, payer.name


def spenders() -> list[str]:
    """Return the scopes that spent something today or have a cap of their own, the server first."""
    rows = models.Budget.objects.filter(day=scheduling.now().date()).order_by("-tokens")
    scopes = dict.fromkeys(["server", *(row.scope for row in rows), *caps.set_in_game()])
    return [scope for scope in scopes if scope == "server" or ":" in scope]


def _name_of_scope(kind: str, rest: str) -> str:
    if kind == "server":
        return "the server"
    if kind == "player" and not rest.isdecimal():
        return ALL_GUESTS
    if kind == "player":
        account = AccountDB.objects.filter(id=int(rest)).first()
        return f"the player {account.key}" if account else "a player who is gone"
    return f"an assistant that is gone ({rest[:8]})"


def rung(scope: str, npcs: Mapping[str, str]) -> dict[str, Any]:
    """Return how far a scope is today, as `formatting_spending.budget` shows it; `npcs` are their names."""
    kind, _, rest = scope.partition(":")
    cap: Amount = caps.cap_of(kind, scope)
    given = caps.set_in_game()
    is_set = scope in given or kind in given
    far = budget.rung_of(scope, cap, day=scheduling.now().date())
    return {**far, "who": npcs.get(scope) or _name_of_scope(kind, rest), "is_set": is_set}
