"""Bound how many calls of models are made in a minute, so that nobody can flood them.

Counted in memory, and over all aliases together: a bound on the server is one on all its models. Where there are
workers it is counted in the ledger as well, which is of all processes: what is under way elsewhere counts when it ends.
"""

from __future__ import annotations

from datetime import datetime, timezone

from evennia.utils import logger
from twisted.internet.defer import Deferred, fail

from evennia_ai import conf, models, rate_limits, scheduling
from evennia_ai.domain.model_text import spending
from evennia_ai.exceptions import BudgetExceeded
from evennia_ai.llm.base import Caller, Completion, Request, Wrapper
from evennia_ai.rate_limits import Limit


class Rate(Wrapper):
    """Refuses a call when the server, the assistant or the player has used up its minute."""

    def complete(self, request: Request) -> Deferred[Completion]:
        """Answer `request`, or fail with BudgetExceeded; a refused call does not count."""
        now = scheduling.clock().seconds()
        limits = limits_for(request.caller)
        for scope, most in limits.items():
            others = elsewhere(scope, request.caller, now=now) if most else []
            known = max(rate_limits.moments(_calls_of(scope)), others, key=len)
            wait = spending.seconds_until_free(known, limit=most, now=now)
            if wait > 0:
                return fail(_refusal(scope, most, wait))
        for scope in limits:
            rate_limits.count(_calls_of(scope))
        return self.inner.complete(request)


def _calls_of(scope: str) -> Limit:
    return Limit(("model calls", scope), seconds=spending.WINDOW_SECONDS)


def _refusal(scope: str, most: int | None, wait: float) -> BudgetExceeded:
    message = f"{scope} has made its {most} model calls of this minute"
    message += f"; the next may be made in {wait:.0f} s." if most else "."
    # One line a minute and scope: a flood of calls must not become a flood in the log.
    if rate_limits.take(Limit(("staff told", scope), seconds=spending.WINDOW_SECONDS)):
        logger.log_warn(f"evennia_ai: {message}")
    return BudgetExceeded(message)


def elsewhere(scope: str, caller: Caller, *, now: float) -> list[float]:
    """Return when calls were made in the last minute that count for a scope, whoever made them.

    Nothing where nobody else makes any.
    """
    if conf.get("JOBS")["BACKEND"] != "procrastinate":
        return []
    since, until = (
        datetime.fromtimestamp(moment, tz=timezone.utc)
        for moment in (now - spending.WINDOW_SECONDS, now)
    )
    made = models.LedgerEntry.objects.filter(created__gt=since, created__lte=until)
    kind, _, _ = scope.partition(":")
    if kind == "assistant":
        made = made.filter(assistant_id=caller.assistant_id)
    elif kind == "player":
        made = made.filter(player_id=caller.player_id)
    times = made.order_by("created").values_list("created", flat=True)
    return [time.timestamp() for time in times]


def limits_for(caller: Caller) -> dict[str, int | None]:
    """Return the limit of each scope that a call counts for."""
    scopes = spending.scopes_of(
        assistant=caller.assistant_key or str(caller.assistant_id or ""), player=caller.player_id
    )
    limits = conf.get("RATE")
    return {scope: limits[kind] for kind, scope in scopes.items()}
