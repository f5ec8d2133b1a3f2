"""The switches `cost` and `budget` of `@aiadmin`: what models cost, and the caps on it."""

from __future__ import annotations

from typing import Any

from evennia_ai import conf
from evennia_ai.agent.speech import escaped
from evennia_ai.commands.base import AssistantCommand, all_minds, quoted, switch
from evennia_ai.commands.screen import table
from evennia_ai.commands.shown import spending
from evennia_ai.commands.shown.words import money
from evennia_ai.llm import ledger
from evennia_ai.llm.wrappers import budget

# Rows of a table; nobody reads more, and it must fit on a page.
ROWS = 25
# Groups that the switch `cost` can list instead of assistants.
GROUPS = {"players": "player", "models": "alias", "jobs": "job"}
COLUMNS = {"assistant": "Assistant", "player": "Player", "alias": "Model", "job": "Job"}
FREE = "Only models are in the books: the offline mind costs nothing."
UNPRICED = "No PRICES are set, so that money counts as 0."
# Colors of the states of a budget.
_COLORS = {"awake": "", "asleep": "|y", "off": "|r"}


class SpendingSwitches(AssistantCommand):
    """How `@aiadmin` tells of tokens and money."""

    @switch("cost", lock="perm(Admin)")
    def show_cost(self) -> None:
        """@aiadmin/cost [<npc>/<player>/players/models/jobs] [= <day>]

        What models have cost today, by assistant, by player, by model or by job; for one
        assistant or player, day by day.
        """
        day = spending.day_of(self.rhs)
        if day is None:
            typed = quoted(self.rhs or "")
            self.msg(f"{typed} is no day: today, yesterday, or one like 2026-12-31.")
            return
        if not self.lhs or self.lhs.lower() in GROUPS:
            by = GROUPS.get(self.lhs.lower(), "assistant")
            rows = spending.spent_rows(ledger.totals(day=day, by=by), by)
            self._show_spent(f"{day} (UTC)", COLUMNS[by], rows)
            return
        found = spending.find_payers(self.lhs)
        if len(found) != 1:
            self.msg(escaped(spending.which_payer(self.lhs, found)))
            return
        daily = ledger.daily(by=found[0].kind, value=found[0].id)
        chosen = [row for row in daily if self.rhs is None or row["day"] == day]
        rows = spending.spent_rows(chosen, "day")
        self._show_spent(f"{found[0].name}, day by day (UTC)", "Day", rows)

    def _show_spent(self, title: str, column: str, rows: list[dict[str, Any]]) -> None:
        if not rows:
            self.msg(f"|c{title}|n\nNo model was asked. {FREE}")
            return
        heads = (column, "Calls", "Failed", "Read", "Cached", "Written", "Money", "ms a call")
        cells = [
            (
                escaped(row["who"]),
                row["calls"],
                row["failures"],
                row["read"],
                _share(row["cached_tokens"], row["prompt_tokens"]),
                row["written"],
                row["spent"],
                row["latency_ms"],
            )
            for row in rows[:ROWS]
        ]
        columns = ("prompt_tokens", "cached_tokens", "completion_tokens", "money")
        read, cached, written, spent = (sum(row[name] for row in rows[:ROWS]) for name in columns)
        lines = [f"|c{title}|n", table(heads, cells, self.screen)]
        lines += [f"… and {len(rows) - ROWS} more"] if rows[ROWS:] else []
        lines.append(
            f"Together {read:,} tokens read ({_share(cached, read)} cached), {written:,} written, "
            f"{money(spent)}."
        )
        lines += [] if conf.get("PRICES") else [UNPRICED]
        self.show("\n".join(lines))

    @switch("budget", lock="perm(Admin)")
    def budget(self) -> None:
        """@aiadmin/budget [<whose> = <tokens>[/<money>]]

        What may be spent in a day (UTC), and who is how far today. It is set for an assistant,
        for a player, for the `server`, for all `guests` together, or for each `assistant` or
        `player` who has none of their own. Tokens and money are numbers or `none`; `default` is
        what the settings say.
        """
        if not self.args:
            self._show_budget()
        elif not self.lhs or not self.rhs:
            self.say_usage()
        else:
            self.msg(escaped(spending.set_cap(self.caller, self.lhs, self.rhs)))

    def _show_budget(self) -> None:
        scopes = spending.spenders()
        payers = map(spending.payer_of, [mind.obj for mind in all_minds()])
        npcs = {payer.scope: payer.name for payer in payers}
        cells = []
        for row in (spending.budget_of(scope, npcs) for scope in scopes[:ROWS]):
            most = "" if row["most_money"] is None else f" of {row['most_money']}"
            color = _COLORS[row["looks"]]
            state = f"{color}{row['state']}|n" if color else row["state"]
            own = " *" if row["is_set"] else ""
            cells.append((escaped(row["who"]) + own, row["used"], f"{row['money']}{most}", state))
        has_cheaper = budget.CHEAPER_ALIAS in conf.get("LLM")
        then = (
            "the alias 'cheaper' answers" if has_cheaper else "nothing changes (no alias 'cheaper')"
        )
        lines = [
            table(("Whose budget", "Tokens today", "Money today", "State"), cells, self.screen),
            *([f"… and {len(scopes) - ROWS} more"] if scopes[ROWS:] else []),
            *(
                f"Each {kind} may have {may} a day (UTC)."
                for kind, may in spending.caps_of_each().items()
            ),
            f"From 80 % on {then};",
            "what the rest does not cover is answered with a line of their own.",
            "* set in the game, not in settings",
        ]
        self.show("\n".join(lines))


def _share(cached: int, read: int) -> str:
    return f"{100 * cached // max(read, 1)} %"
