"""The report of a dialogue, as lines that people and programs read (the Test Anything Protocol)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evennia_ai.testing.dialogues import Report, Result

# Characters of what was said in a step, and of its answer.
TITLE, ANSWER = 80, 160


def line_of(result: Result, number: int) -> str:
    """Return `ok 3 - line 12: Ann says: …`, with a line beneath for each problem."""
    verdict = "ok" if result.passed else "not ok"
    where = f"line {result.line}: " if result.line else ""
    head = f"{verdict} {number} - {where}{_short(result.title, TITLE)}"
    if result.passed:
        return head
    told = [f"    # {_one_line(problem)}" for problem in result.problems]
    answer = result.outcome.words
    if answer:
        told.append(f"    # It said: {_short(answer, ANSWER)}")
    return "\n".join([head, *told])


def summary(report: Report) -> str:
    """Return the last line: how many steps passed, and what it cost."""
    results = report.results
    passed = sum(result.passed for result in results)
    costs = [result.outcome.cost for result in results]
    calls, money = sum(cost.calls for cost in costs), sum(cost.money for cost in costs)
    tokens = sum(cost.tokens for cost in costs)
    seconds = sum(cost.seconds for cost in costs)
    verdict = "passed" if report.passed else "FAILED"
    spent = f"{calls} calls, {tokens} tokens, {money:.4g} spent" if calls else "no model was asked"
    return (
        f"{report.name}: {verdict}, {passed} of {len(results)} steps, {report.npc} thinking with "
        f"{report.mind}; {spent}, {seconds:.1f} s."
    )


def full(report: Report) -> str:
    """Return everything."""
    results = report.results
    lines = [line_of(result, number) for number, result in enumerate(results, 1)]
    return "\n".join([f"1..{len(results)}", *lines, f"# {summary(report)}"])


def _short(text: str, length: int) -> str:
    text = _one_line(text)
    return text if len(text) <= length else f"{text[: length - 1]}…"


def _one_line(text: str) -> str:
    # "#" begins what a reader of the protocol takes for a directive.
    return " ".join(text.split()).replace("#", "＃")
