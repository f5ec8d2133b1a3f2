"""Text of the commands on spending: the cost of models, and who may use which."""

from __future__ import annotations

from typing import Any, Iterable

from evennia_ai.agent.speech import escaped
from evennia_ai.commands.formatting import money
from evennia_ai.commands.screen import USUAL, Screen, table
from evennia_ai.llm.caps import Amount

# What a tool does, by its category.
CATEGORIES = {
    "terminal": "ends turn",
    "safe_chain": "lookup",
    "dangerous": "deed",
}
# What happens on each rung of the ladder.
RUNGS = {
    "full": "enough left",
    "low": "|ynearly spent|n, no cheaper model",
    "cheaper": "|ythe cheaper model|n",
    "spent": "|rspent|n: lines of their own",
}
FREE = "Only models are in the books: the offline mind costs nothing."
UNPRICED = "No PRICES are set, so that money counts as 0."


def cost(
    title: str,
    rows: list[dict[str, Any]],
    *,
    column: str,
    priced: bool,
    left: int = 0,
    screen: Screen = USUAL,
) -> str:
    """Return what was spent, a line for each {"who", "calls", "failures", "prompt_tokens", …}.

    `left` is how many rows more there are; `priced` whether any model has a price.
    """
    if not rows:
        return f"|c{title}|n\nNo model was asked. {FREE}"
    cells = [
        (
            escaped(row["who"]),
            row["calls"],
            row["failures"],
            f"{row['prompt_tokens']:,}",
            f"{row['completion_tokens']:,}",
            money(row["money"]),
            row["latency_ms"],
        )
        for row in rows
    ]
    heads = (column, "Calls", "Failed", "Tokens read", "written", "Money", "ms per call")
    read, written, spent = (
        sum(row[name] for row in rows) for name in ("prompt_tokens", "completion_tokens", "money")
    )
    more = [f"… and {left} more"] if left else []
    total = f"Together {read:,} tokens read, {written:,} written, {money(spent)}."
    return "\n".join(
        [f"|c{title}|n", table(heads, cells, screen), *more, total, *([] if priced else [UNPRICED])]
    )


def budget(
    rows: list[dict[str, Any]],
    caps: dict[str, Amount],
    *,
    cheaper: bool,
    left: int = 0,
    screen: Screen = USUAL,
) -> str:
    """Return how far everybody is: {"who", "tokens", "money", "cap", "rung", "is_set"} each.

    `caps` are those of each assistant and each player who has none of their own.
    """
    cells = []
    for row in rows:
        cap = row["cap"]
        own = " *" if row["is_set"] else ""
        tokens = _of(f"{row['tokens']:,}", cap.tokens and f"{cap.tokens:,}", cap.tokens)
        spent = _of(money(row["money"]), cap.money and money(cap.money), cap.money)
        cells.append((escaped(row["who"]) + own, tokens, spent, RUNGS[row["rung"]]))
    shown = table(("Whose budget", "Tokens today", "Money today", "State"), cells, screen)
    defaults = [f"Each {kind} may have {amount(cap)} a day (UTC)." for kind, cap in caps.items()]
    then = "the alias 'cheaper' answers" if cheaper else "nothing changes (no alias 'cheaper')"
    ladder = (
        f"From 80 % on {then};\nwhat the rest does not cover is answered with a line of their own."
    )
    more = [f"… and {left} more"] if left else []
    return "\n".join([shown, *more, *defaults, ladder, "* set in the game, not in settings"])


def amount(cap: Amount) -> str:
    """Return a cap as words: "300,000 tokens and 2.5000 in money"."""
    parts = [
        f"{cap.tokens:,} tokens" if cap.tokens is not None else "",
        f"{money(cap.money)} in money" if cap.money is not None else "",
    ]
    return " and ".join(part for part in parts if part) or "as much as they like"


def offers(rows: Iterable[dict[str, Any]], screen: Screen = USUAL) -> str:
    """Return how many tools each NPC is offered: {"name", "offered", "all", "tokens", "commands"}."""
    cells = [
        (
            row["name"],
            f"{row['offered']} of {row['all']}",
            row["tokens"],
            ", ".join(map(escaped, row["commands"])) or "none",
        )
        for row in rows
    ]
    return table(("Name", "Tools offered", "Tokens they take", "Game commands"), cells, screen)


def tools(name: str, rows: Iterable[dict[str, Any]], screen: Screen = USUAL) -> str:
    """Return each tool with why one NPC is not offered it: {"name", "category", "refusal"}."""
    cells = [
        (
            row["name"],
            CATEGORIES.get(row["category"], row["category"]),
            f"no: {row['refusal']}" if row["refusal"] else "yes",
        )
        for row in rows
    ]
    shown = table(("Tool", "Kind", "Offered"), cells, screen)
    return f"|c{name}|n, if somebody spoke to it now\n{shown}"


def _of(spent: str, cap: Any, limit: int | None) -> str:
    return spent if limit is None else f"{spent} of {cap or 0}"
