"""What the commands show of what models cost, and of who may use what."""

from __future__ import annotations

from typing import Any, Iterable

from evennia.utils.evtable import EvTable

from evennia_ai.agent.speech import escaped
from evennia_ai.commands.formatting import money
from evennia_ai.llm.caps import Amount

# What happens on each rung of the ladder.
RUNGS = {
    "full": "full",
    "low": "|ynearly spent|n, no cheaper model",
    "cheaper": "|ythe cheaper model|n",
    "spent": "|rspent|n: lines of their own",
}
FREE = "Only models are in the books: the offline mind costs nothing."
UNPRICED = "No PRICES are set, so that money counts as 0."


def cost(
    title: str, rows: list[dict[str, Any]], *, column: str, priced: bool, left: int = 0
) -> str:
    """Return what was spent, a line for each {"who", "calls", "failures", "prompt_tokens", …}.

    `left` is how many rows more there are; `priced` whether any model has a price.
    """
    if not rows:
        return f"|c{title}|n\nNo model was asked. {FREE}"
    table = EvTable(column, "Calls", "Failed", "Read", "Written", "Money", "ms", border="header")
    for row in rows:
        table.add_row(
            escaped(row["who"]),
            row["calls"],
            row["failures"],
            f"{row['prompt_tokens']:,}",
            f"{row['completion_tokens']:,}",
            money(row["money"]),
            row["latency_ms"],
        )
    read, written, spent = (
        sum(row[name] for row in rows) for name in ("prompt_tokens", "completion_tokens", "money")
    )
    more = [f"… and {left} more"] if left else []
    total = f"Together {read:,} tokens read, {written:,} written, {money(spent)}."
    return "\n".join([f"|c{title}|n", str(table), *more, total, *([] if priced else [UNPRICED])])


def budget(
    rows: list[dict[str, Any]], caps: dict[str, Amount], *, cheaper: bool, left: int = 0
) -> str:
    """Return how far everybody is: {"who", "tokens", "money", "cap", "rung", "is_set"} each.

    `caps` are those of each assistant and each player who has none of their own.
    """
    table = EvTable("Whose", "Tokens", "Money", "Today", border="header")
    for row in rows:
        cap = row["cap"]
        own = " *" if row["is_set"] else ""
        table.add_row(
            escaped(row["who"]) + own,
            _of(f"{row['tokens']:,}", cap.tokens and f"{cap.tokens:,}", cap.tokens),
            _of(money(row["money"]), cap.money and money(cap.money), cap.money),
            RUNGS[row["rung"]],
        )
    defaults = [f"Each {kind} may have {amount(cap)} a day (UTC)." for kind, cap in caps.items()]
    then = "the alias 'cheaper' answers" if cheaper else "nothing changes (no alias 'cheaper')"
    ladder = (
        f"From 80 % on {then}; what the rest does not cover is answered with a line of their own."
    )
    more = [f"… and {left} more"] if left else []
    return "\n".join([str(table), *more, *defaults, ladder, "* set in the game, not in settings"])


def amount(cap: Amount) -> str:
    """Return a cap as words: "300,000 tokens and 2.5000 in money"."""
    parts = [
        f"{cap.tokens:,} tokens" if cap.tokens is not None else "",
        f"{money(cap.money)} in money" if cap.money is not None else "",
    ]
    return " and ".join(part for part in parts if part) or "as much as they like"


def offers(rows: Iterable[dict[str, Any]]) -> str:
    """Return how many tools each NPC is offered: {"name", "offered", "all", "tokens", "commands"}."""
    table = EvTable("Name", "Tools", "Tokens", "Commands", border="header")
    for row in rows:
        shown = ", ".join(map(escaped, row["commands"])) or "none"
        table.add_row(row["name"], f"{row['offered']} of {row['all']}", row["tokens"], shown)
    return str(table)


def tools(name: str, rows: Iterable[dict[str, Any]]) -> str:
    """Return each tool with why one NPC is not offered it: {"name", "category", "refusal"}."""
    table = EvTable("Tool", "Kind", "Offered", border="header")
    for row in rows:
        shown = f"no: {row['refusal']}" if row["refusal"] else "yes"
        table.add_row(row["name"], row["category"], shown)
    return f"|c{name}|n, if somebody spoke to it now\n{table}"


def _of(spent: str, cap: Any, limit: int | None) -> str:
    return spent if limit is None else f"{spent} of {cap or 0}"
