"""Prices of model calls, daily caps, and waiting times between calls.

Money is counted in whole millionths of whatever currency the prices are in, so that sums are
exact. Token counts and times come in as arguments; nothing here knows a database or a clock.
"""

from __future__ import annotations

import math
from typing import Iterable, Mapping, Sequence

from evennia_ai.core.records import GUESTS

# Verdicts of a cap, from good to bad.
GO, CHEAPER, REFUSE = "go", "cheaper", "refuse"
VERDICTS = (GO, CHEAPER, REFUSE)

# Share of a cap from which a cheaper model should answer, so that the rest lasts longer.
CHEAPER_SHARE = 0.8

# Seconds that calls are counted for.
WINDOW_SECONDS = 60.0

# Bounds of the first wait between two attempts and of any later one, in seconds.
FIRST_WAIT = 0.5
LONGEST_WAIT = 8.0

# So many times our estimate, or by so much less, a server's count of tokens is believed. The shortest
# prompt counts as one of so many tokens: what some servers add to one with tools has 800.
FACTOR = 4
SHORTEST_PROMPT = 250

Price = tuple[float, float]


def to_millionths(money: float) -> int:
    """Return an amount of money in whole millionths."""
    return round(money * 1_000_000)


def price_for(prices: Mapping[str, Sequence[float]], names: Iterable[str]) -> Price:
    """Return the price of the first name that has one, (prompt, completion) per million tokens."""
    for name in names:
        if name in prices:
            prompt, completion = prices[name]
            return float(prompt), float(completion)
    return 0.0, 0.0


def cost(prompt_tokens: int, completion_tokens: int, *, price: Price) -> int:
    """Return what a call costs in millionths, rounded up: a sum of calls never costs less."""
    # Rounded first: 3 x 0.1 is a little more than 0.3, and must not become a whole millionth more.
    return math.ceil(round(prompt_tokens * price[0] + completion_tokens * price[1], 6))


def believed(told: int | None, *, estimate: int, largest: int, unsaid: int) -> int:
    """Return a token count as a server tells it, within what the text can have cost.

    `estimate` is that of the text as it is seen, `largest` of all that there may be of it; `unsaid`
    counts where the server tells none.
    """
    given = told if told and told > 0 else unsaid
    return min(max(given, estimate // FACTOR), FACTOR * max(estimate, largest))


def check_cap(spent: int, asked: int, *, cap: int | None) -> str:
    """Return whether `asked` may be spent on top of `spent`: GO, CHEAPER or REFUSE."""
    if cap is None:
        return GO
    if spent + asked > cap:
        return REFUSE
    return CHEAPER if spent >= cap * CHEAPER_SHARE else GO


def worst(verdicts: Iterable[str]) -> str:
    """Return the worst of some verdicts; none at all is GO."""
    return max(verdicts, key=VERDICTS.index, default=GO)


def seconds_until_free(times: Sequence[float], *, limit: int | None, now: float) -> float:
    """Return how long the next call must wait for a place in the window; 0 is not at all.

    `times` are in ascending order and in the window. With a limit of 0 no place
    ever comes free: the answer is infinite.
    """
    if limit is None or len(times) < limit:
        return 0.0
    if limit <= 0:
        return math.inf
    return times[-limit] + WINDOW_SECONDS - now


def backoff(attempt: int, *, chance: float, retry_after: float | None = None) -> float:
    """Return the seconds to wait after attempt 1, 2, …; `chance` is drawn from 0..1.

    Full jitter: anything between nothing and twice the wait before, so that callers who failed
    together do not come back together. What the server asked for is waited in full, and jittered
    on top.
    """
    if retry_after is not None:
        return max(0.0, retry_after) + chance * FIRST_WAIT
    return chance * min(LONGEST_WAIT, FIRST_WAIT * 2 ** (attempt - 1))


def scopes_of(*, assistant: str = "", player: int = 0) -> dict[str, str]:
    """Return the scopes that a call counts for, by kind; who is not known counts for nothing.

    All guests together are one player.
    """
    scopes = {"server": "server"}
    if assistant:
        scopes["assistant"] = f"assistant:{assistant}"
    if player:
        scopes["player"] = f"player:{'guests' if player == GUESTS else player}"
    return scopes
