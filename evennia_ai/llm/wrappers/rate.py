"""Bound how many calls of models are made in a minute, so that nobody can flood them.

Counted in memory, and over all aliases together: a bound on the server is one on all its models. Where there are
workers it is counted in the ledger as well, which is of all processes: what is under way elsewhere counts when it ends.
"""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any
from weakref import WeakValueDictionary

from evennia.utils import logger
from twisted.internet.defer import Deferred, fail

from evennia_ai import conf, models, scheduling
from evennia_ai.domain.model_text import spending
from evennia_ai.exceptions import BudgetExceeded
from evennia_ai.llm.base import Backend, Caller, Completion, Request

# Scopes that are remembered before the idle ones are forgotten.
MANY_SCOPES = 1000


class Windows:
    """When calls were made in the last minute, and when staff were told, by scope."""

    def __init__(self) -> None:
        self.calls: dict[str, list[float]] = {}
        self.told: dict[str, float] = {}

    def forget_idle(self, now: float) -> None:
        """Drop the scopes that have made no call in the last minute."""
        recent = {key: spending.select_recent(old, now=now) for key, old in self.calls.items()}
        self.calls = {scope: times for scope, times in recent.items() if times}
        self.told = {
            scope: time
            for scope, time in self.told.items()
            if spending.select_recent([time], now=now)
        }


# The one that all stacks in use hold; it goes when the last of them does, as settings change.
_shared: WeakValueDictionary[str, Windows] = WeakValueDictionary()


class Rate:
    """Refuses a call when the server, the assistant or the player has used up its minute."""

    def __init__(
        self,
        inner: Backend,
        *,
        alias: str = "default",
        clock: Any = None,
        windows: Windows | None = None,
    ) -> None:
        self.inner, self.alias, self._clock = inner, alias, clock
        self.name, self.is_model = inner.name, inner.is_model
        self._windows = _shared.setdefault("all", Windows()) if windows is None else windows

    def complete(self, request: Request) -> Deferred[Completion]:
        """Answer `request`, or fail with BudgetExceeded; a refused call does not count."""
        now = (self._clock or scheduling.clock()).seconds()
        limits = limits_for(request.caller)
        calls = self._windows.calls
        for scope, limit in limits.items():
            calls[scope] = spending.select_recent(calls.get(scope, ()), now=now)
            others = elsewhere(scope, request.caller, now=now) if limit else []
            known = max(calls[scope], others, key=len)
            wait = spending.seconds_until_free(known, limit=limit, now=now)
            if wait > 0:
                return fail(self._refusal(scope, limit, wait, now))
        for scope in limits:
            calls[scope].append(now)
        if len(calls) > MANY_SCOPES:
            self._windows.forget_idle(now)
        return self.inner.complete(request)

    def _refusal(self, scope: str, limit: int, wait: float, now: float) -> BudgetExceeded:
        message = f"{scope} has made its {limit} model calls of this minute"
        message += f"; the next may be made in {wait:.0f} s." if limit else "."
        # One line a minute and scope: a flood of calls must not become a flood in the log.
        if not spending.select_recent([self._windows.told.get(scope, float("-inf"))], now=now):
            self._windows.told[scope] = now
            logger.log_warn(f"evennia_ai: {message}")
        return BudgetExceeded(message)


def elsewhere(scope: str, caller: Caller, *, now: float) -> list[float]:
    """Return when calls were made in the last minute that count for a scope, whoever made them.

    Nothing where nobody else makes any.
    """
    if conf.get("JOBS")["BACKEND"] != "procrastinate":
        return []
    since = datetime.fromtimestamp(now - spending.WINDOW_SECONDS, tz=timezone.utc)
    made = models.LedgerEntry.objects.filter(created__gt=since)
    kind, _, _ = scope.partition(":")
    if kind == "assistant":
        made = made.filter(assistant_id=caller.assistant_id)
    elif kind == "player":
        made = made.filter(player_id=caller.player_id)
    times = made.order_by("created").values_list("created", flat=True)
    return spending.select_recent((time.timestamp() for time in times), now=now)


def limits_for(caller: Caller) -> dict[str, int | None]:
    """Return the limit of each scope that a call counts for."""
    scopes = spending.scopes_of(
        assistant=caller.assistant_key or str(caller.assistant_id or ""), player=caller.player_id
    )
    limits = conf.get("RATE")
    return {scope: limits[kind] for kind, scope in scopes.items()}
